/** Keeps the view and the address of the page in sync. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { queryOf, type View, viewOf } from './view.ts';

export interface Navigation {
  readonly view: ReadonlySignal<View>;
  /** Opens another page, which the browser's Back leaves. */
  readonly go: (change: Partial<View>) => void;
  /** Changes the filters of the same page: Back does not undo each letter. */
  readonly refine: (change: Partial<View>) => void;
}

export function createNavigation(): Navigation {
  const view = signal(viewOf(location.search));
  addEventListener('popstate', () => {
    view.value = viewOf(location.search);
  });
  const set = (change: Partial<View>, how: 'pushState' | 'replaceState') => {
    view.value = { ...view.value, ...change };
    history[how](null, '', addressOf(view.value));
  };
  return {
    view,
    go: (change) => set(change, 'pushState'),
    refine: (change) => set(change, 'replaceState'),
  };
}

export function addressOf(view: View): string {
  return `/${queryOf(view)}`;
}

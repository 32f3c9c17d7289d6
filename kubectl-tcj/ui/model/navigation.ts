/** Keeps the view and the address of the page in sync. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { formatQuery, parseView, type View } from './view.ts';

export interface Navigation {
  readonly view: ReadonlySignal<View>;
  /** Opens another page, which the browser's Back leaves. */
  readonly navigate: (change: Partial<View>) => void;
  /** Changes the filters of the same page: Back does not undo each letter. */
  readonly replaceView: (change: Partial<View>) => void;
}

export function createNavigation(): Navigation {
  const view = signal(parseView(location.search));
  addEventListener('popstate', () => {
    view.value = parseView(location.search);
  });
  const updateView = (change: Partial<View>, method: 'pushState' | 'replaceState') => {
    view.value = { ...view.value, ...change };
    history[method](null, '', formatUrl(view.value));
  };
  return {
    view,
    navigate: (change) => updateView(change, 'pushState'),
    replaceView: (change) => updateView(change, 'replaceState'),
  };
}

export function formatUrl(view: View): string {
  return `/${formatQuery(view)}`;
}

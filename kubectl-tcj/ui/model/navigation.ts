/** Synchronizes the view with the URL of the page. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { formatQuery, parseView, type View } from './view.ts';

export interface Navigation {
  readonly view: ReadonlySignal<View>;
  /** Changes the view and adds an entry to the browser history. */
  readonly navigate: (change: Partial<View>) => void;
  /** Changes the view without a new entry in the browser history, for example for each typed letter. */
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

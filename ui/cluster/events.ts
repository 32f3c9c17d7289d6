/** Listens to the server, and begins anew when it was away. */
import { batch } from '@preact/signals';
import type { Changes, Watch } from '../../plugin/ui/messages.ts';
import { apply, type Store } from './store.ts';

/** What the page says when `kubectl tcj ui` has ended. */
const GONE: Watch = {
  kind: 'Broken',
  reason: 'Unreachable',
  message: 'kubectl tcj ui does not answer: it has ended, or its computer sleeps.',
  change: 'start it again: kubectl tcj ui',
};

/** @returns what ends it. */
export function listen(store: Store): () => void {
  const source = new EventSource('/api/events');
  // The first event of a connection is the watch: what it lists from there on is everything there is.
  source.addEventListener('open', () => {
    isFresh = true;
  });
  let isFresh = true;
  source.addEventListener('cronjobs', ({ data }: MessageEvent<string>) => {
    const changes: Changes = JSON.parse(data);
    batch(() => {
      if (isFresh) store.cronJobs.value = new Map();
      isFresh = false;
      // What has happened is not ahead.
      store.now.value = new Date();
      apply(changes, store);
    });
  });
  source.addEventListener('watch', ({ data }: MessageEvent<string>) => {
    const watch: Watch = JSON.parse(data);
    batch(() => {
      // There is none left.
      if (watch.kind === 'Live' && isFresh) store.cronJobs.value = new Map();
      if (watch.kind === 'Live') isFresh = false;
      store.watch.value = watch;
    });
  });
  source.addEventListener('error', () => {
    store.watch.value = GONE;
  });
  return () => source.close();
}

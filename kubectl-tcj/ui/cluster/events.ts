/** Listens to the events of the server, and reconnects after an outage. */
import { batch } from '@preact/signals';
import type { Changes, Watch } from '../../plugin/ui-server/messages.ts';
import { apply, type Store } from './store.ts';

/** The state of the page when `kubectl tcj ui` has ended. */
const GONE: Watch = {
  kind: 'Broken',
  reason: 'Unreachable',
  message: 'kubectl tcj ui does not answer: it has ended, or its computer sleeps.',
  change: 'start it again: kubectl tcj ui',
};

/** @returns a function that ends it. */
function listen(store: Store): () => void {
  const source = new EventSource('/api/events');
  /** UIDs that this connection has reported, until it has reported all CronJobs. */
  let told: Set<string> | undefined = new Set();
  source.addEventListener('open', () => {
    told = new Set();
  });
  source.addEventListener('cronjobs', ({ data }: MessageEvent<string>) => {
    const changes: Changes = JSON.parse(data);
    for (const { metadata } of changes.changed) told?.add(metadata.uid);
    batch(() => {
      // An event that has happened must not be ahead of the clock.
      store.now.value = new Date();
      apply(changes, store);
    });
  });
  source.addEventListener('watch', ({ data }: MessageEvent<string>) => {
    const watch: Watch = JSON.parse(data);
    batch(() => {
      if (watch.kind === 'Live' && told) {
        apply({ changed: [], deleted: [...store.cronJobs.value.keys()].filter((uid) => !told?.has(uid)) }, store);
        told = undefined;
      }
      store.watch.value = watch;
    });
  });
  source.addEventListener('error', () => {
    store.watch.value = GONE;
  });
  return () => source.close();
}

/** A browser allows six connections to a server: hidden pages leave theirs to others. */
const HIDDEN_MS = 60_000;

/** Listens for as long as the page is visible. */
export function listenWhileSeen(store: Store): void {
  let stop: (() => void) | undefined = listen(store);
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) stop ??= listen(store);
    else
      timer = setTimeout(() => {
        stop?.();
        stop = undefined;
      }, HIDDEN_MS);
  });
}

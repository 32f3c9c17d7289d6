/** Listens to the server, and begins anew when it was away. */
import { batch } from '@preact/signals';
import type { Changes, Watch } from '../../plugin/ui-server/messages.ts';
import { apply, type Store } from './store.ts';

/** What the page says when `kubectl tcj ui` has ended. */
const GONE: Watch = {
  kind: 'Broken',
  reason: 'Unreachable',
  message: 'kubectl tcj ui does not answer: it has ended, or its computer sleeps.',
  change: 'start it again: kubectl tcj ui',
};

/** @returns what ends it. */
function listen(store: Store): () => void {
  const source = new EventSource('/api/events');
  /** UIDs that this connection has told of, until it has told of all. */
  let told: Set<string> | undefined = new Set();
  source.addEventListener('open', () => {
    told = new Set();
  });
  source.addEventListener('cronjobs', ({ data }: MessageEvent<string>) => {
    const changes: Changes = JSON.parse(data);
    for (const { metadata } of changes.changed) told?.add(metadata.uid);
    batch(() => {
      // What has happened is not ahead.
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

/** A browser has six connections to a server: pages that nobody sees leave theirs to others. */
const HIDDEN_MS = 60_000;

/** Listens for as long as the page is seen. */
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

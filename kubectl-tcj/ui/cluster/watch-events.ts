/** Listens to the events of the server, and reconnects after an outage. */
import { batch } from '@preact/signals';
import type { CronJobChanges, WatchState } from '../../plugin/ui-server/messages.ts';
import { applyChanges, type ClusterStore } from './cluster-store.ts';

/** The state of the page when `kubectl tcj ui` was stopped. */
const DISCONNECTED: WatchState = {
  kind: 'Broken',
  reason: 'Unreachable',
  message: 'Lost the connection to kubectl tcj ui: it was stopped, or the computer is asleep.',
  change: 'run kubectl tcj ui again',
};

/** @returns a function that stops it. */
function listen(store: ClusterStore): () => void {
  const source = new EventSource('/api/events');
  /** UIDs that this connection has reported, until it has reported all CronJobs. */
  let reportedUids: Set<string> | undefined = new Set();
  source.addEventListener('open', () => {
    reportedUids = new Set();
  });
  source.addEventListener('cronjobs', ({ data }: MessageEvent<string>) => {
    const changes: CronJobChanges = JSON.parse(data);
    for (const { metadata } of changes.changed) reportedUids?.add(metadata.uid);
    batch(() => {
      // An event that has happened must not be ahead of the clock.
      store.now.value = new Date();
      applyChanges(changes, store);
    });
  });
  source.addEventListener('watch', ({ data }: MessageEvent<string>) => {
    const watch: WatchState = JSON.parse(data);
    batch(() => {
      if (watch.kind === 'Live' && reportedUids) {
        applyChanges(
          { changed: [], deleted: [...store.cronJobs.value.keys()].filter((uid) => !reportedUids?.has(uid)) },
          store,
        );
        reportedUids = undefined;
      }
      store.watch.value = watch;
    });
  });
  source.addEventListener('error', () => {
    store.watch.value = DISCONNECTED;
  });
  return () => source.close();
}

/** A browser allows six connections to a server: hidden pages leave theirs to others. */
const HIDDEN_TIMEOUT_MS = 60_000;

/** Listens for as long as the page is visible. */
export function listenWhileVisible(store: ClusterStore): void {
  let stop: (() => void) | undefined = listen(store);
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) stop ??= listen(store);
    else
      timer = setTimeout(() => {
        stop?.();
        stop = undefined;
      }, HIDDEN_TIMEOUT_MS);
  });
}

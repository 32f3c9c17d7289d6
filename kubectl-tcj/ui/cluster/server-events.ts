/** Receives events from the server and reconnects after an outage. */
import { batch } from '@preact/signals';
import type { CronJobChanges, WatchState } from '../../plugin/ui-server/page-messages.ts';
import { applyChanges, type ClusterStore } from './cluster-store.ts';

/** The state of the watch after `kubectl tcj ui` has stopped. */
const DISCONNECTED_STATE: WatchState = {
  kind: 'Broken',
  reason: 'Unreachable',
  message: 'Lost the connection to kubectl tcj ui. The command was stopped, or the computer is asleep.',
  change: 'run kubectl tcj ui again',
};

/** @returns a function that closes the connection. */
function receiveEvents(store: ClusterStore): () => void {
  const eventSource = new EventSource('/api/events');
  /**
   * The UIDs of the CronJobs that the server has sent over this connection, or `undefined` after the server has sent all CronJobs.
   */
  let reportedUids: Set<string> | undefined = new Set();
  eventSource.addEventListener('open', () => {
    reportedUids = new Set();
  });
  eventSource.addEventListener('cronjobs', ({ data }: MessageEvent<string>) => {
    const changes: CronJobChanges = JSON.parse(data);
    for (const { metadata } of changes.changed) reportedUids?.add(metadata.uid);
    batch(() => {
      // The current time of the page must not be before the times in an event.
      store.now.value = new Date();
      applyChanges(changes, store);
    });
  });
  eventSource.addEventListener('watch', ({ data }: MessageEvent<string>) => {
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
  eventSource.addEventListener('error', () => {
    store.watch.value = DISCONNECTED_STATE;
  });
  return () => eventSource.close();
}

/** A hidden page closes the connection after one minute, because browsers allow only six connections per server. */
const HIDDEN_TIMEOUT_MS = 60_000;

/** Receives events while the page is visible. */
export function receiveEventsWhileVisible(store: ClusterStore): void {
  let stop: (() => void) | undefined = receiveEvents(store);
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) stop ??= receiveEvents(store);
    else
      timer = setTimeout(() => {
        stop?.();
        stop = undefined;
      }, HIDDEN_TIMEOUT_MS);
  });
}

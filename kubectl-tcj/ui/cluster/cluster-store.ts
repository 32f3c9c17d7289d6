/** The data of the cluster from the server, and the time: everything on the page is computed from it. */
import { type Signal, signal } from '@preact/signals';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { CronJobChanges, ServerInfo, WatchState } from '../../plugin/ui-server/messages.ts';

export interface ClusterStore {
  readonly about: Signal<ServerInfo | undefined>;
  readonly watch: Signal<WatchState>;
  /** By UID. Replaced with a new map whenever a CronJob changes. */
  readonly cronJobs: Signal<ReadonlyMap<string, StoredCronJob>>;
  readonly now: Signal<Date>;
}

export function createClusterStore(now: Date): ClusterStore {
  return {
    about: signal(undefined),
    watch: signal<WatchState>({ kind: 'Reading' }),
    cronJobs: signal<ReadonlyMap<string, StoredCronJob>>(new Map()),
    now: signal(now),
  };
}

export function applyChanges({ changed, deleted }: CronJobChanges, { cronJobs }: ClusterStore): void {
  const next = new Map(cronJobs.value);
  for (const cronJob of changed) next.set(cronJob.metadata.uid, cronJob as StoredCronJob); // no report reads the template
  for (const uid of deleted) next.delete(uid);
  cronJobs.value = next;
}

/** Stores the data from the server and the current time. All components read from the store. */
import { type Signal, signal } from '@preact/signals';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { CronJobChanges, ServerInfo, WatchState } from '../../plugin/ui-server/page-messages.ts';

export interface ClusterStore {
  readonly serverInfo: Signal<ServerInfo | undefined>;
  readonly watch: Signal<WatchState>;
  /** CronJobs by UID. Each change replaces the map. */
  readonly cronJobs: Signal<ReadonlyMap<string, StoredCronJob>>;
  readonly now: Signal<Date>;
}

export function createClusterStore(now: Date): ClusterStore {
  return {
    serverInfo: signal(undefined),
    watch: signal<WatchState>({ kind: 'Reading' }),
    cronJobs: signal<ReadonlyMap<string, StoredCronJob>>(new Map()),
    now: signal(now),
  };
}

export function applyChanges({ changed, deleted }: CronJobChanges, { cronJobs }: ClusterStore): void {
  const newCronJobs = new Map(cronJobs.value);
  // The page does not need the missing Job template.
  for (const cronJob of changed) newCronJobs.set(cronJob.metadata.uid, cronJob as StoredCronJob);
  for (const uid of deleted) newCronJobs.delete(uid);
  cronJobs.value = newCronJobs;
}

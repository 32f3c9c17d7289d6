/** What the server has told of the cluster, and the time: all that is shown follows from it. */
import { type Signal, signal } from '@preact/signals';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { About, Changes, Watch } from '../../plugin/ui-server/messages.ts';
import { wellFormed } from '../model/well-formed.ts';

export interface Store {
  readonly about: Signal<About | undefined>;
  readonly watch: Signal<Watch>;
  /** By UID. A new map whenever one of them changes. */
  readonly cronJobs: Signal<ReadonlyMap<string, CronJob>>;
  readonly now: Signal<Date>;
}

export function createStore(now: Date): Store {
  return {
    about: signal(undefined),
    watch: signal<Watch>({ kind: 'Reading' }),
    cronJobs: signal<ReadonlyMap<string, CronJob>>(new Map()),
    now: signal(now),
  };
}

export function apply({ changed, deleted }: Changes, { cronJobs }: Store): void {
  const next = new Map(cronJobs.value);
  for (const cronJob of changed) next.set(cronJob.metadata.uid, wellFormed(cronJob));
  for (const uid of deleted) next.delete(uid);
  cronJobs.value = next;
}

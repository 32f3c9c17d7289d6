/** Deletes finished Jobs of CronJobRuns beyond the history limit of their CronJob. */
import {
  type CachedReader,
  type Clock,
  type EventRecorder,
  formatKey,
  type LiveReader,
  type ReconcileContext,
  type Request,
  type Writer,
} from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import { latest } from '../api/time.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { withDefaults } from './cache-transforms.ts';
import { pruningEvents } from './cronjob/events.ts';
import { excessRequestedRuns, isResultRecorded } from './cronjob/history.ts';
import { type Run, toRun } from './cronjob/job.ts';
import { hasCounted, isJobOf } from './cronjobrun/facts.ts';
import { JOBS_BY_REQUEST_INDEX } from './cronjobrun-watches.ts';
import { Housekeeping } from './housekeeping.ts';
import { PRUNING, pruneJobs } from './job-pruner.ts';
import { listJobs } from './job-reader.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

/** The statuses do not have the results of some Jobs to delete yet. The wait grows with the age of the results. */
const PRUNE_AGAIN_MS = { min: 5_000, max: 600_000 };

interface PrunerOptions {
  readonly client: CachedReader & Writer;
  readonly apiReader: LiveReader;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly clock: Clock;
}

export class RequestedJobPruner {
  readonly #options: PrunerOptions;
  readonly #housekeeping: Housekeeping;

  constructor(options: PrunerOptions) {
    this.#options = options;
    this.#housekeeping = new Housekeeping(options.clock, PRUNING);
  }

  /** @returns The wait before the next attempt, in milliseconds; `undefined` if no Job exceeds the limit. */
  async prune(cronJob: CronJob, reconcileContext: ReconcileContext): Promise<number | undefined> {
    const { client, apiReader, recorder, clock } = this.#options;
    const context = { client, apiReader, ...reconcileContext };
    const { namespace } = cronJob.metadata;
    if (cronJob.metadata.deletionTimestamp !== undefined) return undefined;
    const excess = excessRequestedRuns(cronJob, (await listJobs(cronJob, context)).map(toRun));
    if (excess.length === 0) return undefined;
    const prunable: Job[] = [];
    for (const run of excess) {
      const request = await client.get(cronJobRuns, { namespace, name: run.requestedBy ?? '' });
      const isCounted = request === undefined || !isJobOf(request, run.job) || hasCounted(request, run.job);
      if (isCounted && isResultRecorded(run, cronJob.status ?? {})) prunable.push(run.job);
    }
    const key = formatKey(cronJob);
    const pruned = await pruneJobs(key, prunable, this.#housekeeping, context);
    for (const { type, reason, message } of pruningEvents(pruned)) recorder.event(cronJob, type, reason, message);
    if (pruned.deleted.length === excess.length) return undefined;
    return Math.max(waitMs(excess, clock.now()), this.#housekeeping.remainingMs(key) ?? 0);
  }

  /** Deletes Jobs of a CronJobRun that does not exist any more. @returns As {@link prune}. */
  async pruneOf({ namespace, name }: Request<CronJobRun>, context: ReconcileContext): Promise<number | undefined> {
    const { client } = this.#options;
    const [job] = await client.list(jobs, { namespace, index: { name: JOBS_BY_REQUEST_INDEX, value: name } });
    const owner = job?.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const cronJob = owner && (await client.get(cronJobs, { namespace, name: owner.name }, { signal: context.signal }));
    return cronJob && (await this.prune(withDefaults(cronJob), context));
  }
}

function waitMs(excess: readonly Run[], now: Date): number {
  const newestResult = latest(...excess.map(({ finishedAt }) => finishedAt)) ?? now;
  return Math.min(PRUNE_AGAIN_MS.max, Math.max(PRUNE_AGAIN_MS.min, now.getTime() - newestResult.getTime()));
}

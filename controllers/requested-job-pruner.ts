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
import type { CronJob } from '../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { withDefaults } from './cache-transforms.ts';
import { pruningEvents } from './cronjob/events.ts';
import { excessRequestedRuns, recordedRuns } from './cronjob/history.ts';
import { toRun } from './cronjob/job.ts';
import { hasCounted, isJobOf } from './cronjobrun/facts.ts';
import { JOBS_BY_REQUEST_INDEX } from './cronjobrun-watches.ts';
import { Housekeeping } from './housekeeping.ts';
import { PRUNING, pruneJobs } from './job-pruner.ts';
import { listJobs } from './job-reader.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

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

  /**
   * Deletes excess Jobs of the CronJob that owns the Jobs of a CronJobRun. The CronJobRun may be deleted.
   * @returns The wait before the next attempt, in milliseconds; `undefined` if the next attempt follows an event.
   */
  async prune({ namespace, name }: Request<CronJobRun>, context: ReconcileContext): Promise<number | undefined> {
    const { client } = this.#options;
    const [job] = await client.list(jobs, { namespace, index: { name: JOBS_BY_REQUEST_INDEX, value: name } });
    const owner = job?.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const cronJob = owner && (await client.get(cronJobs, { namespace, name: owner.name }, { signal: context.signal }));
    return cronJob && (await this.#pruneCronJob(withDefaults(cronJob), context));
  }

  async #pruneCronJob(cronJob: CronJob, reconcileContext: ReconcileContext): Promise<number | undefined> {
    const { client, apiReader, recorder } = this.#options;
    const context = { client, apiReader, ...reconcileContext };
    const { namespace } = cronJob.metadata;
    const prunable: Job[] = [];
    const runs = (await listJobs(cronJob, context)).map(toRun);
    for (const run of recordedRuns(excessRequestedRuns(cronJob, runs), cronJob)) {
      const request = await client.get(cronJobRuns, { namespace, name: run.requestedBy ?? '' });
      const isCounted = request === undefined || !isJobOf(request, run.job) || hasCounted(request, run.job);
      if (isCounted) prunable.push(run.job);
    }
    const key = formatKey(cronJob);
    const pruned = await pruneJobs(key, prunable, this.#housekeeping, context);
    for (const { type, reason, message } of pruningEvents(pruned)) recorder.event(cronJob, type, reason, message);
    return this.#housekeeping.remainingMs(key);
  }
}

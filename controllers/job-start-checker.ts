/** Ends Jobs in which no container has started within `spec.startTimeoutSeconds`. */
import { type Clock, formatKey, isNotFound } from 'controller-runtime';
import type { Pod } from 'controller-runtime/kubernetes';
import QuickLRU from 'quick-lru';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import {
  buildEndJobPatch,
  EMPTY_START_CHECK_RESULT,
  type EndedJob,
  formatStartTimeout,
  hasStartedContainer,
  type StartCheckResult,
} from './cronjob/start-timeout.ts';
import { Housekeeping } from './housekeeping.ts';
import type { CallContext } from './job-writer.ts';
import { jobs, pods } from './resources.ts';

/** Time limit of a request. The run of the next slot waits until the reconcile ends. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Maximum number of Pods to read for a Job. */
const MAX_PODS = 500;
/** Maximum size of a list of Pods, three times the size of 500 typical Pods. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

const MAX_CHECKED_JOBS = 10_000;

export class JobStartChecker {
  readonly #checks: Housekeeping;
  /** The `status.startTime` of each checked Job, by UID of the Job. A Job that was suspended and resumed has a new start time. */
  readonly #checkedStartTimes = new QuickLRU<string, string | undefined>({ maxSize: MAX_CHECKED_JOBS });

  constructor(clock: Clock) {
    this.#checks = new Housekeeping(clock, {
      backOff: { baseDelayMs: 5_000, maxDelayMs: 1_000_000 },
      maxAtOnce: 20,
      failureMessage: 'could not check whether Job has started, will retry',
      reports: 'Lasting',
    });
  }

  /**
   * Ends the Jobs whose Pods have not started. Never rejects.
   * @param dueJobs Jobs whose timeout has passed, oldest first.
   */
  async check(cronJob: CronJob, dueJobs: readonly Job[], context: CallContext): Promise<StartCheckResult> {
    const uncheckedJobs = dueJobs.filter(
      ({ metadata, status }) => this.#checkedStartTimes.get(metadata.uid) !== status?.startTime,
    );
    if (uncheckedJobs.length === 0) return EMPTY_START_CHECK_RESULT;
    const { startTimeoutSeconds = 0 } = cronJob.spec;
    const ended: EndedJob[] = [];
    const remainder = await this.#checks.forEach(formatKey(cronJob), uncheckedJobs, context, async (job) => {
      const message = await endUnlessStarted(job, startTimeoutSeconds, context);
      if (message !== undefined) ended.push({ jobName: job.metadata.name, message });
      this.#checkedStartTimes.set(job.metadata.uid, job.status?.startTime);
    });
    return { ended, ...remainder };
  }

  forget(key: string): void {
    this.#checks.forget(key);
  }
}

/** @returns The message about the ended Job; `undefined` if a container has started or the Job was deleted. */
async function endUnlessStarted(job: Job, seconds: number, context: CallContext): Promise<string | undefined> {
  const { client, log, signal } = context;
  const { metadata } = job;
  const jobPods = await listPods(job, context);
  if (jobPods.some(hasStartedContainer)) return undefined;
  const message = formatStartTimeout(seconds, jobPods);
  const options = { priority: 'background', signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
  try {
    await client.patch(jobs, metadata, { kind: 'merge', body: buildEndJobPatch(job, seconds, message) }, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  log.info('ended Job that had not started in time', { job: formatKey(job), startTimeoutSeconds: seconds });
  return message;
}

function listPods({ metadata: { namespace, uid } }: Job, { apiReader, signal }: CallContext): Promise<readonly Pod[]> {
  return apiReader.list(pods, {
    namespace,
    labelSelector: `batch.kubernetes.io/controller-uid=${uid}`,
    limit: MAX_PODS,
    priority: 'background',
    signal,
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
}

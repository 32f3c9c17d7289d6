/** Sends the requests that no run waits for, as the last steps of a reconcile: docs/adr/0018-housekeeping-last.md. */
import {
  type Clock,
  findApiError,
  formatKey,
  isConflict,
  isRequestRejected,
  type Logger,
  type RateLimits,
  ResponseTooLargeError,
} from 'controller-runtime';
import { BackOff } from 'controller-runtime/internal';
import type { Job } from '../api/kubernetes.ts';
import type { StartCheckResult } from './cronjob/start-timeout.ts';
import { getErrorMessage } from './job-writer.ts';

/** After this time, a reconcile sends no further request, because the run of the next slot waits until the reconcile ends. */
const MAX_DURATION_MS = 5_000;
/** The wait before the next reconcile, which sends the remaining requests. */
const NEXT_CALLS_DELAY_MS = 1_000;
/** Minimum wait after a failure that a user must fix, such as a missing permission. */
const LASTING_FAILURE_DELAY_MS = 300_000;

export interface HousekeepingOptions {
  readonly backOff: RateLimits;
  /** Maximum number of Jobs that one reconcile handles. */
  readonly maxAtOnce: number;
  /** Log message for a failed call. */
  readonly failureMessage: string;
  /** Failures to report. After a failure was reported, no other failure is reported until all calls succeed. */
  readonly reports: 'All' | 'Lasting';
}

interface FailedCalls {
  /** UIDs of the Jobs with failed calls. The next reconcile tries the Jobs with failed calls last. */
  readonly uids: readonly string[];
  readonly isReported: boolean;
}

interface FailedCall {
  readonly jobs: readonly Job[];
  readonly job: Job;
  readonly error: unknown;
  readonly log: Logger;
}

type HousekeepingResult = Pick<StartCheckResult, 'failure' | 'continueAfterMs'>;

export class Housekeeping {
  readonly #clock: Clock;
  readonly #options: HousekeepingOptions;
  readonly #backOff: BackOff<FailedCalls>;

  constructor(clock: Clock, options: HousekeepingOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#backOff = new BackOff(clock, options.backOff);
  }

  /**
   * Makes one call after another until a call fails or a limit is reached. Makes no call during a back-off. Never rejects.
   * @param key Key of the CronJob.
   */
  async forEach(
    key: string,
    jobs: readonly Job[],
    { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
    call: (job: Job) => Promise<void>,
  ): Promise<HousekeepingResult> {
    const waitMs = this.#backOff.remainingMs(key) ?? 0;
    if (waitMs > 0) return { continueAfterMs: waitMs };
    this.#backOff.endWait(key);
    if (jobs.length === 0) return {};
    const endMs = this.#clock.monotonicMs() + MAX_DURATION_MS;
    for (const [index, job] of this.#failedLast(key, jobs).entries()) {
      const isLimitReached = index >= this.#options.maxAtOnce || this.#clock.monotonicMs() >= endMs;
      if (isLimitReached) return { continueAfterMs: NEXT_CALLS_DELAY_MS };
      try {
        await call(job);
      } catch (error) {
        return signal.aborted ? {} : this.#recordFailure(key, { jobs, job, error, log });
      }
    }
    this.#backOff.forget(key);
    return {};
  }

  /** Remaining back-off, in milliseconds; `undefined` if no call has failed. */
  remainingMs(key: string): number | undefined {
    return this.#backOff.remainingMs(key);
  }

  forget(key: string): void {
    this.#backOff.forget(key);
  }

  #failedLast(key: string, jobs: readonly Job[]): readonly Job[] {
    const { uids = [] } = this.#backOff.lastFailure(key) ?? {};
    const failureIndex = ({ metadata }: Job) => uids.indexOf(metadata.uid);
    return jobs.toSorted((left, right) => failureIndex(left) - failureIndex(right));
  }

  #recordFailure(key: string, { jobs, job, error, log }: FailedCall): HousekeepingResult {
    if (isConflict(error)) log.debug('Job changed meanwhile, will retry', { job: formatKey(job) });
    else log.error(this.#options.failureMessage, error, { job: formatKey(job) });
    const isLasting = isRequestRejected(error) || error instanceof ResponseTooLargeError;
    const minWaitMs = isLasting ? LASTING_FAILURE_DELAY_MS : findApiError(error)?.retryAfterMs;
    const before = this.#backOff.lastFailure(key);
    const failedBefore = jobs.filter((each) => each !== job && before?.uids.includes(each.metadata.uid));
    const uids = [...failedBefore, job].map(({ metadata }) => metadata.uid);
    const isReported = isLasting || this.#options.reports === 'All';
    const failure = { uids, isReported: isReported || before?.isReported === true };
    const continueAfterMs = this.#backOff.recordFailure(key, failure, minWaitMs);
    if (!isReported || before?.isReported) return { continueAfterMs };
    return { continueAfterMs, failure: { jobName: job.metadata.name, message: getErrorMessage(error) } };
  }
}

/** Ends Jobs of which no container has started in time (`spec.startTimeoutSeconds`). A last step of a pass, so that it never delays a run. */
import {
  AnswerTooLongError,
  apiErrorOf,
  BackOff,
  type Clock,
  isConflict,
  isNotFound,
  isRefused,
  keyOf,
  type LiveReader,
} from 'controller-runtime';
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../api/kubernetes.ts';
import {
  type EndedStart,
  endOf,
  hasStarted,
  NO_STARTS_CHECKED,
  type OpenStart,
  type StartChecks,
  type StartsChecked,
  timeoutMessage,
} from './cronjob/start-timeout.ts';
import { messageOf, type PassContext } from './job-writer.ts';
import { jobs, pods } from './resources.ts';

/** Back-off of checks that failed, for each CronJob: a Job that changed meanwhile is soon looked at again. */
const FAILED_CHECKS = { baseDelayMs: 5_000, maxDelayMs: 1_000_000 };
/** Least wait after a refusal: somebody has to grant a right first, or allow it in a policy. */
const REFUSED_DELAY_MS = 300_000;
/** Limits a request that hangs, because the next pass of the CronJob waits for it. */
const REQUEST_TIMEOUT_MS = 5_000;
/** No check begins later than this, because the next slot of the CronJob waits for the pass. */
const MAX_CHECKING_MS = 5_000;
/** In between, other CronJobs have their turn. */
const MAX_CHECKED_AT_ONCE = 20;
/** Wait before the checks that are left. */
const NEXT_CHECKS_MS = 1_000;
/** Of one Job. One that has more, and of these none that has started, has not started. */
const MAX_PODS = 500;
/** Three times what as many usual Pods take. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

interface CheckContext extends Pick<PassContext, 'client' | 'log' | 'signal'> {
  readonly apiReader: LiveReader;
}

/** What is known of the starts of a CronJob's active Jobs, by UID. */
interface Known {
  /** When those started that are not looked at again: a container has started, or the Job was ended. */
  readonly judged: Map<string, string>;
  /** Those whose check failed. They come last, so that they do not block the others. */
  readonly failed: Set<string>;
}

export class JobStartChecker {
  readonly #clock: Clock;
  /** By CronJob. */
  readonly #backOff: BackOff;
  /** By CronJob. */
  readonly #known = new Map<string, Known>();
  /** CronJobs whose checks were refused, and of which an event has said so. */
  readonly #reported = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#backOff = new BackOff(clock, FAILED_CHECKS);
  }

  /**
   * Looks at the Pods of one Job after the other, and ends the Jobs that have not started. Stops at the first failure, and at the limits above.
   * Checks nothing while the back-off of an earlier failure lasts. Never rejects.
   * @param key Of the CronJob.
   * @param checks `undefined` without a timeout.
   */
  async check(key: string, checks: StartChecks | undefined, context: CheckContext): Promise<StartsChecked> {
    if (checks === undefined) {
      this.forget(key);
      return NO_STARTS_CHECKED;
    }
    // As a rule nothing is due, and nothing was.
    if (checks.due.length === 0 && !this.#known.has(key)) return NO_STARTS_CHECKED;
    const known = this.#knownOf(key, new Set(checks.active));
    const open = checks.due.filter(({ job, startTime }) => known.judged.get(job.metadata.uid) !== startTime);
    if (open.length === 0) return NO_STARTS_CHECKED;
    const waitMs = this.#backOff.remainingMs(key) ?? 0;
    if (waitMs > 0) return { ended: [], againAfterMs: waitMs };
    return await this.#checkAll(key, { open, seconds: checks.seconds, known }, context);
  }

  /** For a CronJob that is gone, or has no timeout any more. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#reported.delete(key);
    this.#backOff.forget(key);
  }

  /** What is known of the active Jobs, and so never more than the cache has of them. */
  #knownOf(key: string, active: ReadonlySet<string>): Known {
    const known = this.#known.get(key) ?? { judged: new Map(), failed: new Set() };
    for (const uid of known.judged.keys()) if (!active.has(uid)) known.judged.delete(uid);
    for (const uid of known.failed) if (!active.has(uid)) known.failed.delete(uid);
    if (active.size === 0) this.#known.delete(key);
    else this.#known.set(key, known);
    return known;
  }

  async #checkAll(key: string, { open, seconds, known }: OpenChecks, context: CheckContext): Promise<StartsChecked> {
    const endMs = this.#clock.monotonicMs() + MAX_CHECKING_MS;
    const ended: EndedStart[] = [];
    for (const [index, { job, startTime }] of inTurn(open, known).entries()) {
      const isEnough = index >= MAX_CHECKED_AT_ONCE || this.#clock.monotonicMs() >= endMs;
      if (isEnough) return { ended, againAfterMs: NEXT_CHECKS_MS };
      const { name, uid } = job.metadata;
      try {
        const message = await endUnlessStarted(job, seconds, context);
        if (message !== undefined) ended.push({ jobName: name, message });
        known.judged.set(uid, startTime);
        known.failed.delete(uid);
      } catch (error) {
        // The manager is stopping: this is no failure of the check.
        if (context.signal.aborted) return { ended };
        known.failed.add(uid);
        return { ended, ...this.#noteFailure(key, { job, error }, context) };
      }
    }
    this.#reported.delete(key);
    this.#backOff.forget(key);
    return { ended };
  }

  /** When to look again; and the failure to report, if it is a refusal, and the first since checks last worked. */
  #noteFailure(
    key: string,
    { job, error }: { readonly job: Job; readonly error: unknown },
    { log }: CheckContext,
  ): Pick<StartsChecked, 'failure' | 'againAfterMs'> {
    const about = { job: keyOf(job) };
    const isForGood = isRefused(error) || error instanceof AnswerTooLongError;
    if (isConflict(error)) log.debug('Job changed while its start was checked, will look again', about);
    else log.error('could not check whether Job has started, will retry', error, about);
    this.#backOff.failed(key, isForGood ? REFUSED_DELAY_MS : apiErrorOf(error)?.retryAfterMs);
    const isNew = isForGood && !this.#reported.has(key);
    if (isNew) this.#reported.add(key);
    return {
      ...this.#remaining(key),
      ...(isNew && { failure: { jobName: job.metadata.name, message: messageOf(error) } }),
    };
  }

  #remaining(key: string): Pick<StartsChecked, 'againAfterMs'> {
    const againAfterMs = this.#backOff.remainingMs(key);
    return againAfterMs === undefined ? {} : { againAfterMs };
  }
}

interface OpenChecks {
  /** The due ones that are not judged. */
  readonly open: readonly OpenStart[];
  readonly seconds: number;
  readonly known: Known;
}

function inTurn(open: readonly OpenStart[], { failed }: Known): readonly OpenStart[] {
  const hasFailed = ({ job }: OpenStart) => failed.has(job.metadata.uid);
  return [...open.filter((start) => !hasFailed(start)), ...open.filter(hasFailed)];
}

/** @returns Why the Job was ended; `undefined` when a container has started, or the Job is gone. */
async function endUnlessStarted(job: Job, seconds: number, context: CheckContext): Promise<string | undefined> {
  const { client, log, signal } = context;
  const { metadata } = job;
  const found = await podsOf(job, context);
  if (found.some(hasStarted)) return undefined;
  const message = timeoutMessage(seconds, found);
  const options = { priority: 'background', signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
  try {
    await client.patch(jobs, metadata, { kind: 'merge', body: endOf(job, seconds, message) }, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  log.info('ended Job that had not started in time', { job: keyOf(job), startTimeoutSeconds: seconds });
  return message;
}

function podsOf({ metadata: { namespace, uid } }: Job, { apiReader, signal }: CheckContext): Promise<readonly Pod[]> {
  return apiReader.list(pods, {
    namespace,
    labelSelector: `batch.kubernetes.io/controller-uid=${uid}`,
    limit: MAX_PODS,
    priority: 'background',
    signal,
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
}

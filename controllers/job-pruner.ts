/** Deletes finished Jobs beyond the history limits. The last step of a pass, so that it never delays a run. */
import { BackOff, type Clock, keyOf } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { Pruned } from './cronjob/decide.ts';
import { deleteJob, messageOf, type PassContext } from './job-writer.ts';

/** Back-off of failed deletes, for each CronJob: five tries in the first hour, then four an hour. */
const FAILED_DELETES = { baseDelayMs: 300_000, maxDelayMs: 1_000_000 };
/** Limits a delete that hangs, because the next pass of the CronJob waits for it. */
const DELETE_TIMEOUT_MS = 5_000;
/** The watch events of these deletes start further passes, which delete the rest. In between, other CronJobs have their turn. */
const MAX_PRUNED_AT_ONCE = 50;
/** No delete is sent later than this, because the next slot of the CronJob waits for the pass. */
const MAX_PRUNING_MS = 5_000;

export class JobPruner {
  readonly #clock: Clock;
  /** By CronJob. */
  readonly #backOff: BackOff;
  /** By CronJob: UIDs of Jobs that could not be deleted. They are tried last, so that they do not block the others. */
  readonly #failed = new Map<string, ReadonlySet<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#backOff = new BackOff(clock, FAILED_DELETES);
  }

  /**
   * Deletes one Job after the other and stops at the first failure, and at the limits above. Deletes nothing while the back-off of an
   * earlier failure lasts. Never rejects.
   * @param key Of the CronJob.
   * @param prune Oldest first.
   */
  async prune(
    key: string,
    prune: readonly Job[],
    context: Pick<PassContext, 'client' | 'log' | 'signal'>,
  ): Promise<Pruned> {
    if ((this.#backOff.remainingMs(key) ?? 0) > 0) return { deleted: [] };
    const [queue, failedBefore] = this.#inTurn(key, prune);
    const endMs = this.#clock.monotonicMs() + MAX_PRUNING_MS;
    const deleted: Job[] = [];
    for (const job of queue.slice(0, MAX_PRUNED_AT_ONCE)) {
      if (this.#clock.monotonicMs() >= endMs) break;
      try {
        await deleteJob(job, context, { priority: 'background', timeoutMs: DELETE_TIMEOUT_MS });
        deleted.push(job);
      } catch (error) {
        // The manager is stopping: this is no failure of the delete.
        if (context.signal.aborted) return { deleted };
        context.log.error('could not delete finished Job, will retry', error, { job: keyOf(job) });
        return { deleted, ...this.#noteFailure(key, { job, failedBefore, error }) };
      }
    }
    this.#noteSuccess(key, deleted, queue);
    return { deleted };
  }

  /** How long until the next try, in milliseconds; `undefined` when nothing waits for one. */
  remainingMs(key: string): number | undefined {
    return this.#backOff.remainingMs(key);
  }

  /** For a CronJob whose deletes work, or that is gone. */
  forget(key: string): void {
    this.#backOff.forget(key);
    this.#failed.delete(key);
  }

  /** The Jobs in the order to delete them; and those among them that failed before, which come last. */
  #inTurn(key: string, prune: readonly Job[]): readonly [queue: readonly Job[], failedBefore: readonly Job[]] {
    const failed = this.#failed.get(key) ?? new Set();
    const hasFailed = ({ metadata }: Job) => failed.has(metadata.uid);
    const failedBefore = prune.filter(hasFailed);
    return [[...prune.filter((job) => !hasFailed(job)), ...failedBefore], failedBefore];
  }

  #noteSuccess(key: string, deleted: readonly Job[], queue: readonly Job[]): void {
    if (deleted.length > 0 && deleted.length === queue.length) this.forget(key);
    // Jobs that failed before are still to be tried, or nothing was deleted: failures count on, but need not be waited for.
    else this.#backOff.lift(key);
  }

  /** The failure to report: only the first since deletes last worked. */
  #noteFailure(key: string, { job, failedBefore, error }: FailedDelete): Pick<Pruned, 'failure'> {
    const isFirst = this.#backOff.failures(key) === 0;
    this.#failed.set(key, new Set([...failedBefore, job].map(({ metadata }) => metadata.uid)));
    this.#backOff.failed(key);
    return isFirst ? { failure: { jobName: job.metadata.name, message: messageOf(error) } } : {};
  }
}

interface FailedDelete {
  readonly job: Job;
  /** Jobs whose deletes failed in earlier passes. */
  readonly failedBefore: readonly Job[];
  readonly error: unknown;
}

/** Deletes finished Jobs beyond the history limits: the last thing a pass does, and never in the way of a run. */
import { BackOff, type Clock, keyOf } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { Pruned } from './cronjob/applied.ts';
import { deleteJob, messageOf, type PassContext } from './job-writer.ts';

/** Five failed deletes of a CronJob in the first hour, four in each after it. */
const FAILED_DELETES = { baseDelayMs: 300_000, maxDelayMs: 1_000_000 };
/** Deletes that hang hold up the next pass of their CronJob. */
const DELETE_TIMEOUT_MS = 5_000;
/** More Jobs wait for the passes that the events of these deletes cause: in between, others have their turn. */
const MAX_PRUNED_AT_ONCE = 50;
/** After this long no further delete is sent: the next slot of the CronJob waits for the pass. */
const MAX_PRUNING_MS = 5_000;

export class JobPruner {
  readonly #clock: Clock;
  /** By CronJob. */
  readonly #backOff: BackOff;
  /** UIDs of Jobs that could not be deleted. They come last, so that they do not keep the others. */
  readonly #failed = new Map<string, ReadonlySet<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#backOff = new BackOff(clock, FAILED_DELETES);
  }

  /**
   * Deletes one after the other, up to the first that fails, unless that was a short while ago; a part of them where they are many
   * or take long. Never rejects.
   * @param key Of the CronJob. @param prune Oldest first.
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
        // The manager stops: that says nothing of the delete.
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

  /** Deletes work, or the CronJob is gone. */
  forget(key: string): void {
    this.#backOff.forget(key);
    this.#failed.delete(key);
  }

  /** The Jobs in the order of their deletes, and those of them that come last because they could not be deleted. */
  #inTurn(key: string, prune: readonly Job[]): readonly [queue: readonly Job[], failedBefore: readonly Job[]] {
    const failed = this.#failed.get(key) ?? new Set();
    const hasFailed = ({ metadata }: Job) => failed.has(metadata.uid);
    const failedBefore = prune.filter(hasFailed);
    return [[...prune.filter((job) => !hasFailed(job)), ...failedBefore], failedBefore];
  }

  #noteSuccess(key: string, deleted: readonly Job[], queue: readonly Job[]): void {
    if (deleted.length > 0 && deleted.length === queue.length) this.forget(key);
    // Those that could not be deleted have not been tried again, or are gone by themselves.
    else this.#backOff.lift(key);
  }

  /** What people are told of it: only of the first since deletes last worked. */
  #noteFailure(key: string, { job, failedBefore, error }: FailedDelete): Pick<Pruned, 'failure'> {
    const isFirst = this.#backOff.failures(key) === 0;
    this.#failed.set(key, new Set([...failedBefore, job].map(({ metadata }) => metadata.uid)));
    this.#backOff.failed(key);
    return isFirst ? { failure: { jobName: job.metadata.name, message: messageOf(error) } } : {};
  }
}

interface FailedDelete {
  readonly job: Job;
  /** The Jobs whose deletes failed before. */
  readonly failedBefore: readonly Job[];
  readonly error: unknown;
}

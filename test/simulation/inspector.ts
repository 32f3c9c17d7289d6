/** Checks CronJobs when they are at rest, and finds CronJobs that are stuck. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { latest } from './facts.ts';
import { DELETE_PATIENCE_MS, InspectionQueue, PATIENCE_MS, REST_MS } from './inspection-queue.ts';
import type { DelayedSlots } from './jitter.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import type { Operations } from './operations.ts';
import { checkAtRest, checkRepeatedReconcile } from './rest-rules.ts';
import type { RuleChecker } from './rule-checker.ts';
import type { Setting } from './setting.ts';
import { isStartOverdue } from './timeout-rules.ts';

/** Number of patrols between two inspections of one CronJob. */
const PATROLS_PER_INSPECTION = 6;

export class Inspector {
  readonly counts = { rests: 0, repeatedReconciles: 0 };
  readonly #setting: Setting;
  readonly #checker: RuleChecker;
  readonly #operations: Operations;
  #patrols = 0;
  readonly #queue: InspectionQueue;
  /** Time when each key was last at rest, or last had a reason not to be; on the monotonic clock. */
  readonly #stuckSinceMs = new Map<string, number>();
  /** Keys of the CronJobs whose status an earlier manager has written last. The next reconcile corrects it, whenever it comes. */
  readonly #lateStatuses = new Set<string>();

  constructor(setting: Setting, checker: RuleChecker, operations: Operations) {
    this.#setting = setting;
    this.#checker = checker;
    this.#operations = operations;
    this.#queue = new InspectionQueue(setting.clock, this.inspect);
  }

  start(): void {
    this.#setting.world.cronJobs.listen(({ old, object, by }) => {
      const cronJob = object ?? old;
      if (cronJob === undefined) return;
      const key = formatKey(cronJob);
      if (by.kind === 'Person') this.#resetStuckTimer(key);
      else if (by.kind === 'Manager' && by.observed.isOrphaned) this.#lateStatuses.add(key);
      else this.#lateStatuses.delete(key);
    });
    this.#patrol();
  }

  /** Call this when a reconcile has ended. */
  readonly scheduleInspection = ({ key, refusedCreates }: Pick<ObservedReconcile, 'key' | 'refusedCreates'>): void => {
    if (refusedCreates > 0) this.#resetStuckTimer(key);
    this.#queue.schedule(key);
  };

  #resetStuckTimer(key: string): void {
    this.#stuckSinceMs.set(key, this.#setting.clock.monotonicMs());
  }

  /** Checks the CronJob of that key if it is at rest. */
  readonly inspect = (key: string): void => {
    const cronJob = this.#setting.world.cronJobs.get(key);
    const { process } = this.#operations;
    if (cronJob === undefined || !process?.isIdle(key) || this.#setting.faults.callFaultFreeMs(key) < PATIENCE_MS)
      return;
    const ledger = this.#checker.getLedger(cronJob);
    const now = process.machine.now();
    if (ledger === undefined) return;
    if (!process.isPastJump(key)) {
      this.#resetStuckTimer(key);
      this.#queue.schedule(key, PATIENCE_MS); // then the process must have detected the jump of the clock
      return;
    }
    if (isRunDue(ledger.getSlots(cronJob, now), now)) {
      this.#queue.schedule(key); // its reconcile is about to come
      return;
    }
    this.#resetStuckTimer(key);
    this.counts.rests++;
    const jobs = this.#setting.world.jobs.listByOwner(cronJob.metadata.uid);
    const isHistoryDue = this.#setting.faults.deleteFaultFreeMs(key) > DELETE_PATIENCE_MS;
    const overdueStarts = this.#listOverdueStarts(cronJob, jobs, now);
    this.#checker.reportBrokenRules(key, checkAtRest({ cronJob, jobs, ledger, now, isHistoryDue, overdueStarts }));
    const isComplete =
      isHistoryDue && ledger.pruned.size === 0 && this.#setting.faults.prunedStatus.get(key) === undefined;
    const isAsleep = !process.wakesWithin(key, REST_MS); // otherwise it may have work by now
    // A reconcile of a CronJobRun may start a run while the other reconcile waits for its turn.
    const canRepeat = isComplete && isAsleep && process.requests.areIdle(key) && !this.#lateStatuses.has(key);
    if (this.counts.rests % 16 === 0 && canRepeat) void this.#repeatReconcile(cronJob);
  };

  /** Jobs that have not started for a long time, though their checks succeed. */
  #listOverdueStarts(cronJob: CronJob, jobs: readonly Job[], now: Date): readonly Job[] {
    if (this.#setting.faults.startCheckFaultFreeMs(formatKey(cronJob)) < PATIENCE_MS) return [];
    const { pods } = this.#setting.world;
    return jobs.filter((job) => isStartOverdue(job, cronJob, { now, hasStarted: pods.hasStarted(job.metadata.uid) }));
  }

  /** One more reconcile must do nothing. */
  async #repeatReconcile({ metadata: { namespace, name } }: CronJob): Promise<void> {
    const { process } = this.#operations;
    if (process === undefined) return;
    const key = formatKey({ namespace, name });
    this.counts.repeatedReconciles++;
    this.#setting.journal.note(() => 'another reconcile', key);
    const observed = await process.reconcileAgain({ namespace, name });
    if (observed !== undefined) this.#checker.reportBrokenRules(key, checkRepeatedReconcile(observed));
  }

  /** Now and then inspects a CronJob without recent events, and whether any of them is stuck. */
  #patrol(): void {
    this.#setting.clock.schedule(PATIENCE_MS, () => {
      const cronJobs = this.#setting.world.cronJobs.list();
      this.#patrols++;
      const nextCronJob = cronJobs[this.#patrols / PATROLS_PER_INSPECTION];
      if (nextCronJob !== undefined) this.inspect(formatKey(nextCronJob));
      if (this.#patrols >= cronJobs.length * PATROLS_PER_INSPECTION) this.#patrols = 0;
      for (const cronJob of cronJobs) {
        const key = formatKey(cronJob);
        this.#findStuck(key);
        // A slot that a jump of the clock has made due causes no reconcile when the manager does not notice the jump.
        if (this.#operations.process?.isClockSteady(key) === false) this.inspect(key);
      }
      this.#patrol();
    });
  }

  #findStuck(key: string): void {
    const isBusy = this.#operations.process?.isBusy(key) === true;
    const hasFault =
      !this.#operations.isFaultFree(key) || this.#setting.faults.startCheckFaultFreeMs(key) < PATIENCE_MS;
    const busyMs = this.#setting.clock.monotonicMs() - (this.#stuckSinceMs.get(key) ?? 0);
    if (!isBusy || hasFault) this.#resetStuckTimer(key);
    else if (busyMs > 2 * PATIENCE_MS)
      this.#checker.reportBrokenRules(key, ['without faults every CronJob comes to rest']);
  }
}

/** Whether a slot or the start of its run has just come. */
function isRunDue(slots: DelayedSlots | undefined, now: Date): boolean {
  const restedSince = new Date(now.getTime() - REST_MS);
  const slot = slots?.all.previous(now);
  const newest = slots?.previous(slots.startedThrough(now));
  return latest(slot, newest && slots?.startOf(newest)) > restedSince;
}

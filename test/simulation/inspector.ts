/** Checks CronJobs when they are at rest, and slots when they are due. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Cancel } from '../../runtime/clock/clock.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { MINUTE_MS, SECOND_MS } from './durations.ts';
import {
  getDeadlineMs,
  getRunLimit,
  isActive,
  isSameInstant,
  isSuspendedAt,
  latest,
  MAX_MISSED,
  parseNamespace,
  storedFloor,
  voidThrough,
} from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedPass } from './observed-pass.ts';
import type { Operations } from './operations.ts';
import { checkAtRest } from './rest-rules.ts';
import type { RuleChecker } from './rule-checker.ts';
import type { Setting } from './setting.ts';
import { isStartOverdue } from './timeout-rules.ts';

/** Time after a pass until all its effects have happened. */
const REST_MS = 2 * SECOND_MS;
/** How late a slot may start without faults. */
const PROMPT_MS = 3 * SECOND_MS;
/** How late a slot may start while deletes hang: each pass waits some seconds for one of them. */
const SLOW_DELETE_PROMPT_MS = 12 * SECOND_MS;
/** Number of patrols between two inspections of one CronJob. */
const PATROLS_PER_INSPECTION = 6;
/** The longest back-off, and some more time. */
const PATIENCE_MS = 20 * MINUTE_MS;
/** Time from the end of denied deletes until all deletes are done. */
const DELETE_PATIENCE_MS = 70 * MINUTE_MS;

export class Inspector {
  readonly counts = { rests: 0, repeatedPasses: 0, promptSlots: 0 };
  readonly #setting: Setting;
  readonly #checker: RuleChecker;
  readonly #operations: Operations;
  #patrols = 0;
  /** Keys that will be checked soon. */
  readonly #scheduledKeys = new Set<string>();
  readonly #slotWatches = new Map<string, Cancel>();
  /** Time when each key was last at rest, or last had a reason not to be; on the monotonic clock. */
  readonly #stuckSinceMs = new Map<string, number>();

  constructor(setting: Setting, checker: RuleChecker, operations: Operations) {
    this.#setting = setting;
    this.#checker = checker;
    this.#operations = operations;
  }

  start(): void {
    this.#setting.world.cronJobs.listen(({ old, object, by }) => {
      if (by.kind !== 'Person') return;
      const cronJob = object ?? old;
      if (cronJob === undefined) return;
      this.#resetStuckTimer(formatKey(cronJob));
      if (object !== undefined) this.#watchSlots(object);
    });
    this.#patrol();
  }

  /** Call this when a pass has ended. */
  readonly scheduleInspection = ({ key, refusedCreates }: Pick<ObservedPass, 'key' | 'refusedCreates'>): void => {
    if (refusedCreates > 0) this.#resetStuckTimer(key);
    if (this.#scheduledKeys.has(key)) return;
    this.#scheduledKeys.add(key);
    this.#setting.clock.schedule(REST_MS, () => {
      this.#scheduledKeys.delete(key);
      this.#inspect(key);
    });
  };

  #resetStuckTimer(key: string): void {
    this.#stuckSinceMs.set(key, this.#setting.clock.monotonicMs());
  }

  #inspect(key: string): void {
    const cronJob = this.#setting.world.cronJobs.get(key);
    const { process } = this.#operations;
    if (cronJob === undefined || !process?.isIdle(key) || this.#setting.faults.callFaultFreeMs(key) < PATIENCE_MS)
      return;
    const ledger = this.#checker.getLedger(cronJob);
    const now = process.machine.now();
    if (ledger === undefined) return;
    if (!process.isPastJump(key)) {
      this.#resetStuckTimer(key);
      this.#inspectLater(key);
      return;
    }
    const slot = ledger.getSlots(cronJob, now)?.all.previous(now);
    if (slot !== undefined && slot.getTime() > now.getTime() - REST_MS) {
      this.scheduleInspection({ key, refusedCreates: 0 }); // its pass is about to come
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
    if (this.counts.rests % 16 === 0 && isComplete && isAsleep) void this.#repeatPass(cronJob);
  }

  /** Inspects it when the process must have detected jumps of the clock. */
  #inspectLater(key: string): void {
    if (this.#scheduledKeys.has(key)) return;
    this.#scheduledKeys.add(key);
    this.#setting.clock.schedule(PATIENCE_MS, () => {
      this.#scheduledKeys.delete(key);
      this.#inspect(key);
    });
  }

  /** Jobs that have not started for a long time, though their checks succeed. */
  #listOverdueStarts(cronJob: CronJob, jobs: readonly Job[], now: Date): readonly Job[] {
    if (this.#setting.faults.startCheckFaultFreeMs(formatKey(cronJob)) < PATIENCE_MS) return [];
    const { pods } = this.#setting.world;
    return jobs.filter((job) => isStartOverdue(job, cronJob, { now, hasStarted: pods.hasStarted(job.metadata.uid) }));
  }

  /** One more pass must do nothing. */
  async #repeatPass({ metadata: { namespace, name } }: CronJob): Promise<void> {
    const { process } = this.#operations;
    if (process === undefined) return;
    const key = formatKey({ namespace, name });
    this.counts.repeatedPasses++;
    this.#setting.journal.note(() => 'another pass', key);
    const pass = await process.reconcileAgain({ namespace, name });
    if (pass === undefined) return;
    if (pass.writes > 0) this.#checker.reportBrokenRules(key, ['at rest another pass writes nothing']);
    if (pass.events.length > 0) this.#checker.reportBrokenRules(key, ['at rest another pass records no event']);
  }

  /** Now and then inspects a CronJob without recent events, and whether any of them is stuck. */
  #patrol(): void {
    this.#setting.clock.schedule(PATIENCE_MS, () => {
      const cronJobs = this.#setting.world.cronJobs.list();
      this.#patrols++;
      const nextCronJob = cronJobs[this.#patrols / PATROLS_PER_INSPECTION];
      if (nextCronJob !== undefined) this.#inspect(formatKey(nextCronJob));
      if (this.#patrols >= cronJobs.length * PATROLS_PER_INSPECTION) this.#patrols = 0;
      for (const cronJob of cronJobs) {
        const key = formatKey(cronJob);
        this.#findStuck(key);
        // A slot that a jump of the clock has made due causes no pass when the manager does not notice the jump.
        if (this.#operations.process?.isClockSteady(key) === false) this.#inspect(key);
      }
      this.#patrol();
    });
  }

  #findStuck(key: string): void {
    const isBusy = this.#operations.process?.isBusy(key) === true;
    const faultFreeMs = Math.min(this.#operations.faultFreeMs, this.#setting.faults.callFaultFreeMs(key));
    const hasCheckFault = this.#setting.faults.startCheckFaultFreeMs(key) < PATIENCE_MS;
    const hasFault =
      hasCheckFault || faultFreeMs < PATIENCE_MS || this.#setting.faults.deleteFaultFreeMs(key) < DELETE_PATIENCE_MS;
    const busyMs = this.#setting.clock.monotonicMs() - (this.#stuckSinceMs.get(key) ?? 0);
    if (!isBusy || hasFault) this.#resetStuckTimer(key);
    else if (busyMs > 2 * PATIENCE_MS)
      this.#checker.reportBrokenRules(key, ['without faults every CronJob comes to rest']);
  }

  /** A hanging delete takes the seat that the limiter reserves for its namespace, so it delays the other CronJobs of the namespace too. */
  #hasHangingDelete(key: string): boolean {
    const { world, faults } = this.#setting;
    const neighbours = world.cronJobs
      .list()
      .map(formatKey)
      .filter((each) => parseNamespace(each) === parseNamespace(key));
    return neighbours.some((each) => faults.hangingDeletes.faultFreeMs(each) < 2 * MINUTE_MS);
  }

  /** Schedules an inspection when the next slot is due, and when the one after that is due. */
  #watchSlots(cronJob: CronJob): void {
    const key = formatKey(cronJob);
    this.#slotWatches.get(key)?.();
    const now = this.#setting.clock.now();
    const next = this.#checker.getLedger(cronJob)?.getSlots(cronJob, now)?.next(now);
    if (next === undefined) return;
    const cancel = this.#setting.clock.schedule(next.getTime() - now.getTime(), () => {
      const current = this.#setting.world.cronJobs.get(key);
      if (current?.metadata.uid !== cronJob.metadata.uid) return;
      this.#expectStart(current, next);
      this.#expectDeadline(current);
      this.#watchSlots(current);
    });
    this.#slotWatches.set(key, cancel);
  }

  /**
   * A slot must start soon after it is due, after any fault. Other work that the manager has to do is not an
   * excuse: failed status writes, deletes that are denied, passes that threw.
   */
  #expectStart(cronJob: CronJob, slot: Date): void {
    const key = formatKey(cronJob);
    const { uid, generation } = cronJob.metadata;
    const ledger = this.#checker.getLedger(cronJob);
    const isUnblocked = !isSuspendedAt(cronJob.spec, slot) && !this.#isPaused(cronJob);
    const isReady = this.#operations.process?.isCaughtUp === true && this.#isClockCorrect() && isUnblocked;
    const withinMs = this.#hasHangingDelete(key) ? SLOW_DELETE_PROMPT_MS : PROMPT_MS;
    // A status has a future slot as handled only if a clock was ahead. This includes a pending status.
    const pending = this.#pendingStatus(cronJob);
    const views = pending ? [cronJob, { ...cronJob, status: pending }] : [cronJob];
    if (!ledger || !isReady || this.#isBlocked(cronJob)) return;
    if (!views.every((each) => mustStart(each, slot, { ledger, withinMs }))) return;
    this.#setting.clock.schedule(withinMs, () => {
      const current = this.#setting.world.cronJobs.get(key);
      const isSame = current?.metadata.uid === uid && current.metadata.generation === generation;
      const faultFreeMs = Math.min(this.#operations.faultFreeMs, this.#setting.faults.startFaultFreeMs(key));
      const hasFault = faultFreeMs < withinMs + SECOND_MS || !this.#isClockCorrect();
      if (!isSame || hasFault || ledger.getRun(slot) !== undefined || this.#isBlocked(current)) return;
      if (this.#isNameTaken(cronJob, slot) || this.#isPaused(current)) return;
      this.#checker.reportBrokenRules(key, [`without faults a slot starts at once (${slot.toISOString()})`]);
    });
    this.counts.promptSlots++;
    if (this.#setting.faults.deniedDeletes.get(key)) this.#setting.faults.count('slot while deletes are denied');
    if (this.#setting.faults.hangingDeletes.get(key)) this.#setting.faults.count('slot while deletes hang');
    if (this.#setting.faults.failingStatus.get(key)) this.#setting.faults.count('slot while status writes fail');
    if (this.#isOtherNamespaceHanging(cronJob)) this.#setting.faults.count('slot while another namespace hangs');
  }

  #isClockCorrect(): boolean {
    const machine = this.#operations.process?.machine;
    return machine?.offsetMs === 0 && machine.steadyMs > MINUTE_MS;
  }

  /** Also when the status that shows it is not stored yet. */
  #isPaused(cronJob: CronJob): boolean {
    if (this.#checker.getLedger(cronJob)?.isPauseUnknown(cronJob)) return true;
    return [cronJob.status, this.#pendingStatus(cronJob)].some((status) => status?.paused !== undefined);
  }

  #pendingStatus(cronJob: CronJob): CronJobStatus | undefined {
    return this.#operations.process?.pendingStatuses.get(formatKey(cronJob))?.status;
  }

  #isOtherNamespaceHanging({ metadata }: CronJob): boolean {
    return this.#setting.faults.hangingNamespaces.keys().some((namespace) => namespace !== metadata.namespace);
  }

  /** A pass must notice that the deadline of a waiting slot has passed. */
  #expectDeadline(cronJob: CronJob): void {
    const deadlineMs = getDeadlineMs(cronJob);
    if (deadlineMs === undefined || !this.#hasActive(cronJob)) return;
    this.#setting.clock.schedule(deadlineMs + 2 * PROMPT_MS, () => this.#inspect(formatKey(cronJob)));
  }

  /** Under Forbid, an active run blocks the next one. Under Replace, a run that must not be deleted does. */
  #isBlocked(cronJob: CronJob): boolean {
    return this.#hasActive(cronJob) || this.#isReplaceDenied(cronJob);
  }

  #hasActive({ metadata, spec }: CronJob): boolean {
    return this.#setting.world.jobs.listByOwner(metadata.uid).filter(isActive).length >= getRunLimit({ spec });
  }

  /** The manager does not retry denied deletes for a while. A hanging delete may take the whole timeout of a request. */
  #isReplaceDenied(cronJob: CronJob): boolean {
    const key = formatKey(cronJob);
    if (cronJob.spec.concurrencyPolicy !== 'Replace') return false;
    if (this.#setting.faults.hangingDeletes.faultFreeMs(key) < PATIENCE_MS) return true;
    const isDenied = this.#setting.faults.deniedDeletes.faultFreeMs(key) < PATIENCE_MS;
    return isDenied && this.#setting.world.jobs.listByOwner(cronJob.metadata.uid).some(isActive);
  }

  #isNameTaken({ metadata: { namespace, name } }: CronJob, slot: Date): boolean {
    return (
      this.#setting.world.jobs.get(formatKey({ namespace, name: `${name}-${slot.getTime() / 1000}` })) !== undefined
    );
  }
}

/** The slot must start, unless something blocks it, independent of the memory of the process. */
function mustStart(
  cronJob: CronJob,
  slot: Date,
  { ledger, withinMs }: { readonly ledger: Ledger; readonly withinMs: number },
): boolean {
  const deadlineMs = getDeadlineMs(cronJob) ?? Number.POSITIVE_INFINITY;
  if (deadlineMs < withinMs) return false;
  return ledger.listViews(cronJob).every((view) => {
    const since = ledger.getExpectedSince(view, slot);
    const schedule = ledger.getSlots(view, slot);
    if (schedule === undefined || slot <= since || !isSameInstant(schedule.previous(slot), slot)) return false;
    const inTime = deadlineMs === Number.POSITIVE_INFINITY ? since : new Date(slot.getTime() - deadlineMs);
    const floor = latest(
      since,
      inTime,
      storedFloor(view),
      ledger.newestSlot,
      ledger.pausedUntil,
      voidThrough(view, slot),
    );
    if (slot <= floor) return false;
    return schedule.between(floor, slot, { limit: MAX_MISSED + 1 }).length <= MAX_MISSED; // more missed slots: none starts
  });
}

/** Checks that slots start when they are due. */
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Cancel } from '../../runtime/clock/clock.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { MINUTE_MS, SECOND_MS } from './durations.ts';
import {
  getDeadlineMs,
  getRunLimit,
  isActive,
  isBeingDeleted,
  isBlocking,
  isSameInstant,
  isSuspendedAt,
  latest,
  MAX_MISSED,
  parseNamespace,
  storedFloor,
  voidThrough,
} from './facts.ts';
import { PATIENCE_MS } from './inspection-queue.ts';
import type { Ledger } from './ledger.ts';
import type { Operations } from './operations.ts';
import type { RuleChecker } from './rule-checker.ts';
import type { Setting } from './setting.ts';

/** How late a slot may start without faults. */
const PROMPT_MS = 3 * SECOND_MS;
/** How late a slot may start while deletes hang: each reconcile waits some seconds for one of them. */
const SLOW_DELETE_PROMPT_MS = 12 * SECOND_MS;

interface SlotInspectorOptions {
  readonly checker: RuleChecker;
  readonly operations: Operations;
  /** Inspects the CronJob of that key. */
  readonly inspect: (key: string) => void;
}

export class SlotInspector {
  readonly counts = { promptSlots: 0 };
  readonly #setting: Setting;
  readonly #checker: RuleChecker;
  readonly #operations: Operations;
  readonly #inspect: (key: string) => void;
  readonly #slotWatches = new Map<string, Cancel>();

  constructor(setting: Setting, { checker, operations, inspect }: SlotInspectorOptions) {
    this.#setting = setting;
    this.#checker = checker;
    this.#operations = operations;
    this.#inspect = inspect;
  }

  start(): void {
    this.#setting.world.cronJobs.listen(({ object, by }) => {
      if (object !== undefined && by.kind === 'Person') this.#watchSlots(object);
    });
  }

  /** Schedules an inspection when the next run is due, and when the one after that is due. */
  #watchSlots(cronJob: CronJob): void {
    const key = formatKey(cronJob);
    this.#slotWatches.get(key)?.();
    const now = this.#setting.clock.now();
    const slots = this.#checker.getLedger(cronJob)?.getSlots(cronJob, now);
    const next = slots?.next(slots.startedThrough(now));
    if (slots === undefined || next === undefined) return;
    const cancel = this.#setting.clock.schedule(slots.startOf(next).getTime() - now.getTime(), () => {
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
   * excuse: failed status writes, deletes that are denied, reconciles that threw.
   */
  #expectStart(cronJob: CronJob, slot: Date): void {
    const key = formatKey(cronJob);
    const { uid, generation } = cronJob.metadata;
    const ledger = this.#checker.getLedger(cronJob);
    const now = this.#setting.clock.now();
    const isUnblocked = !isSuspendedAt(cronJob.spec, now) && !this.#isPaused(cronJob);
    const isReady = this.#operations.process?.isCaughtUp === true && this.#isClockCorrect() && isUnblocked;
    const withinMs = this.#hasHangingDelete(key) ? SLOW_DELETE_PROMPT_MS : PROMPT_MS;
    // A status has a future slot as handled only if a clock was ahead. This includes a pending status.
    const pending = this.#pendingStatus(cronJob);
    const views = pending ? [cronJob, { ...cronJob, status: pending }] : [cronJob];
    if (!ledger || !isReady || this.#isBlocked(cronJob) || this.#lacksSeats(cronJob)) return;
    if (!views.every((each) => mustStart(each, slot, { ledger, now, withinMs }))) return;
    this.#setting.clock.schedule(withinMs, () => {
      const current = this.#setting.world.cronJobs.get(key);
      const isSame = current?.metadata.uid === uid && current.metadata.generation === generation;
      const faultFreeMs = Math.min(this.#operations.faultFreeMs, this.#setting.faults.startFaultFreeMs(key));
      const hasFault = faultFreeMs < withinMs + SECOND_MS || !this.#isClockCorrect();
      if (!isSame || hasFault || ledger.getRun(slot) !== undefined || this.#isBlocked(current)) return;
      const jobName = `${cronJob.metadata.name}-${slot.getTime() / 1000}`;
      if (this.#checker.isForeignName(cronJob, jobName) || this.#isPaused(current)) return;
      this.#checker.reportBrokenRules(key, [`without faults a slot starts at once (${slot.toISOString()})`]);
    });
    this.counts.promptSlots++;
    if (this.#setting.faults.deniedDeletes.get(key)) this.#setting.faults.count('slot while deletes are denied');
    if (this.#setting.faults.hangingDeletes.get(key)) this.#setting.faults.count('slot while deletes hang');
    if (this.#setting.faults.failingStatus.get(key)) this.#setting.faults.count('slot while status writes fail');
    if (this.#isOtherNamespaceHanging(cronJob)) this.#setting.faults.count('slot while another namespace hangs');
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

  /**
   * Another namespace takes all shared seats of the small simulated limiter, and a hanging delete takes the seat of this namespace. Replace
   * gives a delete as much time as any call.
   */
  #lacksSeats(cronJob: CronJob): boolean {
    return this.#isOtherNamespaceHanging(cronJob) && this.#hasHangingDelete(formatKey(cronJob));
  }

  #isClockCorrect(): boolean {
    return this.#operations.process?.machine.isClockCorrect(MINUTE_MS) === true;
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

  /** A reconcile must notice that the deadline of a waiting slot has passed. */
  #expectDeadline(cronJob: CronJob): void {
    const deadlineMs = getDeadlineMs(cronJob);
    if (deadlineMs === undefined || !this.#hasActive(cronJob)) return;
    this.#setting.clock.schedule(deadlineMs + 2 * PROMPT_MS, () => this.#inspect(formatKey(cronJob)));
  }

  /** Under Forbid, an active run blocks the next one. Under Replace, a run that must not be deleted does. */
  #isBlocked(cronJob: CronJob): boolean {
    return isBeingDeleted(cronJob) || this.#hasActive(cronJob) || this.#isReplaceDenied(cronJob);
  }

  #hasActive(cronJob: CronJob): boolean {
    const jobs = this.#setting.world.jobs.listByOwner(cronJob.metadata.uid);
    return jobs.filter((job) => isBlocking(job, cronJob)).length >= getRunLimit(cronJob);
  }

  /** The manager does not retry denied deletes for a while. A hanging delete may take the whole timeout of a request. */
  #isReplaceDenied(cronJob: CronJob): boolean {
    const key = formatKey(cronJob);
    if (cronJob.spec.concurrencyPolicy !== 'Replace') return false;
    if (this.#setting.faults.hangingDeletes.faultFreeMs(key) < PATIENCE_MS) return true;
    const isDenied = this.#setting.faults.deniedDeletes.faultFreeMs(key) < PATIENCE_MS;
    return isDenied && this.#setting.world.jobs.listByOwner(cronJob.metadata.uid).some(isActive);
  }
}

/** The slot must start, unless something blocks it, independent of the memory of the process. */
function mustStart(
  cronJob: CronJob,
  slot: Date,
  { ledger, now, withinMs }: { readonly ledger: Ledger; readonly now: Date; readonly withinMs: number },
): boolean {
  const deadlineMs = getDeadlineMs(cronJob) ?? Number.POSITIVE_INFINITY;
  if (deadlineMs < withinMs) return false;
  return ledger.listViews(cronJob).every((view) => {
    const since = ledger.getExpectedSince(view, now);
    const schedule = ledger.getSlots(view, now);
    if (schedule === undefined || slot <= since || !isSameInstant(schedule.previous(slot), slot)) return false;
    const hasNoDeadline = deadlineMs === Number.POSITIVE_INFINITY;
    const inTime = hasNoDeadline ? since : schedule.startedThrough(new Date(now.getTime() - deadlineMs));
    const floor = latest(
      since,
      inTime,
      storedFloor(view),
      ledger.newestSlot,
      ledger.pausedUntil,
      voidThrough(view, now),
    );
    if (slot <= floor) return false;
    return schedule.between(floor, slot, { limit: MAX_MISSED + 1 }).length <= MAX_MISSED; // more missed slots: none starts
  });
}

/** Checks CronJobs when they are at rest, and slots when they are due. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Cancel } from '../../runtime/clock/clock.ts';
import { keyOf } from '../../runtime/kubernetes/resource.ts';
import { MINUTE_MS, SECOND_MS } from './durations.ts';
import {
  deadlineMsOf,
  isActive,
  isSuspendedAt,
  MOST_MISSED,
  newest,
  sameInstant,
  storedFloor,
  voidThrough,
} from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { Model } from './model.ts';
import type { Operations } from './operations.ts';
import type { Pass } from './pass.ts';
import { brokenAtRest } from './rest-rules.ts';
import type { Setting } from './setting.ts';
import { isOverlong } from './timeout-rules.ts';

/** Time after a pass until all its effects have happened. */
const REST_MS = 2 * SECOND_MS;
/** How late a slot may start without faults. */
const PROMPT_MS = 3 * SECOND_MS;
/** How late a slot may start while deletes hang: each pass waits some seconds for one of them. */
const HELD_MS = 12 * SECOND_MS;
/** Number of patrols between two looks. */
const LOOKS_APART = 6;
/** The longest back-off, and some more time. */
const PATIENCE_MS = 20 * MINUTE_MS;
/** Time from the end of denied deletes until all deletes are done. */
const DELETE_PATIENCE_MS = 70 * MINUTE_MS;

export class Inspector {
  readonly counts = { rests: 0, repeatedPasses: 0, promptSlots: 0 };
  readonly #setting: Setting;
  readonly #model: Model;
  readonly #operations: Operations;
  #patrols = 0;
  /** Keys that will be checked soon. */
  readonly #expected = new Set<string>();
  readonly #slotWatches = new Map<string, Cancel>();
  /** Time when each key was last at rest, or last had a reason not to be; on the monotonic clock. */
  readonly #excusedMs = new Map<string, number>();

  constructor(setting: Setting, model: Model, operations: Operations) {
    this.#setting = setting;
    this.#model = model;
    this.#operations = operations;
  }

  start(): void {
    this.#setting.world.cronJobs.listen(({ old, object, by }) => {
      if (by.kind !== 'Person') return;
      const gone = object ?? old;
      if (gone === undefined) return;
      this.#excuse(keyOf(gone));
      if (object !== undefined) this.#watchSlots(object);
    });
    this.#patrol();
  }

  /** Call this when a pass has ended. */
  readonly expectRest = ({ key, refusedCreates }: Pick<Pass, 'key' | 'refusedCreates'>): void => {
    if (refusedCreates > 0) this.#excuse(key);
    if (this.#expected.has(key)) return;
    this.#expected.add(key);
    this.#setting.clock.schedule(REST_MS, () => {
      this.#expected.delete(key);
      this.#lookAt(key);
    });
  };

  #excuse(key: string): void {
    this.#excusedMs.set(key, this.#setting.clock.monotonicMs());
  }

  #lookAt(key: string): void {
    const cronJob = this.#setting.world.cronJobs.get(key);
    const { process } = this.#operations;
    if (cronJob === undefined || !process?.isCalm(key) || this.#setting.faults.restPeaceMs(key) < PATIENCE_MS) return;
    const ledger = this.#model.ledgerOf(cronJob);
    const now = process.machine.now();
    if (ledger === undefined) return;
    if (!process.isPastJump(key)) {
      this.#excuse(key);
      this.#lookLater(key);
      return;
    }
    const slot = ledger.schedule(cronJob, now)?.previous(now);
    if (slot !== undefined && slot.getTime() > now.getTime() - REST_MS) {
      this.expectRest({ key, refusedCreates: 0 }); // its pass is about to come
      return;
    }
    this.#excuse(key);
    this.counts.rests++;
    const jobs = this.#setting.world.jobs.ownedBy(cronJob.metadata.uid);
    const isHistoryDue = this.#setting.faults.deletePeaceMs(key) > DELETE_PATIENCE_MS;
    const overlong = this.#overlong(cronJob, jobs, now);
    this.#model.accuse(key, brokenAtRest({ cronJob, jobs, ledger, now, isHistoryDue, overlong }));
    const isAllDone =
      isHistoryDue && ledger.pruned.size === 0 && this.#setting.faults.prunedStatus.of(key) === undefined;
    const isAsleep = !process.wakesWithin(key, REST_MS); // otherwise it may have work by now
    if (this.counts.rests % 16 === 0 && isAllDone && isAsleep) void this.#repeatPass(cronJob);
  }

  /** Time by which the process must have detected jumps of the clock. */
  #lookLater(key: string): void {
    if (this.#expected.has(key)) return;
    this.#expected.add(key);
    this.#setting.clock.schedule(PATIENCE_MS, () => {
      this.#expected.delete(key);
      this.#lookAt(key);
    });
  }

  /** Jobs that have not started for a long time, though their checks succeed. */
  #overlong(cronJob: CronJob, jobs: readonly Job[], now: Date): readonly Job[] {
    if (this.#setting.faults.startCheckPeaceMs(keyOf(cronJob)) < PATIENCE_MS) return [];
    const { pods } = this.#setting.world;
    return jobs.filter((job) => isOverlong(job, cronJob, { now, hasStarted: pods.hasStarted(job.metadata.uid) }));
  }

  /** One more pass must do nothing. */
  async #repeatPass({ metadata: { namespace, name } }: CronJob): Promise<void> {
    const { process } = this.#operations;
    if (process === undefined) return;
    const key = keyOf({ namespace, name });
    this.counts.repeatedPasses++;
    this.#setting.journal.note(() => 'once more', key);
    const pass = await process.reconcileAgain({ namespace, name });
    if (pass === undefined) return;
    if (pass.writes > 0) this.#model.accuse(key, ['at rest one more pass changes nothing']);
    if (pass.events.length > 0) this.#model.accuse(key, ['at rest one more pass has nothing to say']);
  }

  /** Now and then inspects a CronJob without recent events, and whether any of them is stuck. */
  #patrol(): void {
    this.#setting.clock.schedule(PATIENCE_MS, () => {
      const cronJobs = this.#setting.world.cronJobs.list();
      this.#patrols++;
      const chosen = cronJobs[this.#patrols / LOOKS_APART];
      if (chosen !== undefined) this.#lookAt(keyOf(chosen));
      if (this.#patrols >= cronJobs.length * LOOKS_APART) this.#patrols = 0;
      for (const cronJob of cronJobs) {
        const key = keyOf(cronJob);
        this.#findStuck(key);
        // A slot that a jump of the clock has made due causes no pass when the manager does not notice the jump.
        if (this.#operations.process?.isSteady(key) === false) this.#lookAt(key);
      }
      this.#patrol();
    });
  }

  #findStuck(key: string): void {
    const isBusy = this.#operations.process?.isBusy(key) === true;
    const peaceMs = Math.min(this.#operations.peaceMs, this.#setting.faults.restPeaceMs(key));
    const isCheckTroubled = this.#setting.faults.startCheckPeaceMs(key) < PATIENCE_MS;
    const isTroubled =
      isCheckTroubled || peaceMs < PATIENCE_MS || this.#setting.faults.deletePeaceMs(key) < DELETE_PATIENCE_MS;
    const quietMs = this.#setting.clock.monotonicMs() - (this.#excusedMs.get(key) ?? 0);
    if (!isBusy || isTroubled) this.#excuse(key);
    else if (quietMs > 2 * PATIENCE_MS) this.#model.accuse(key, ['in peace everything comes to rest']);
  }

  /** Schedules an inspection when the next slot is due, and when the one after that is due. */
  #watchSlots(cronJob: CronJob): void {
    const key = keyOf(cronJob);
    this.#slotWatches.get(key)?.();
    const now = this.#setting.clock.now();
    const next = this.#model.ledgerOf(cronJob)?.schedule(cronJob, now)?.next(now);
    if (next === undefined) return;
    const cancel = this.#setting.clock.schedule(next.getTime() - now.getTime(), () => {
      const current = this.#setting.world.cronJobs.get(key);
      if (current?.metadata.uid !== cronJob.metadata.uid) return;
      this.#expectStart(current, next);
      this.#expectGivingUp(current);
      this.#watchSlots(current);
    });
    this.#slotWatches.set(key, cancel);
  }

  /**
   * A slot must start soon after it is due, whatever was wrong before, for however long. Other work that the manager has to do is not an
   * excuse: failed status writes, deletes that are denied, passes that threw.
   */
  #expectStart(cronJob: CronJob, slot: Date): void {
    const key = keyOf(cronJob);
    const { uid, generation } = cronJob.metadata;
    const ledger = this.#model.ledgerOf(cronJob);
    const isOpen = !isSuspendedAt(cronJob.spec, slot) && !this.#isPaused(cronJob);
    const isReady = this.#operations.process?.isCaughtUp === true && this.#isClockRight() && isOpen;
    const withinMs = this.#setting.faults.hangingDeletes.peaceMs(key) < 2 * MINUTE_MS ? HELD_MS : PROMPT_MS;
    // Before its time a status has the slot as handled only if a clock was ahead, also a status that has yet to be stored.
    const pending = this.#pendingStatus(cronJob);
    const known = pending ? [cronJob, { ...cronJob, status: pending }] : [cronJob];
    if (!ledger || !isReady || this.#isHeldUp(cronJob)) return;
    if (!known.every((each) => mustStart(each, slot, { ledger, withinMs }))) return;
    this.#setting.clock.schedule(withinMs, () => {
      const current = this.#setting.world.cronJobs.get(key);
      const isSame = current?.metadata.uid === uid && current.metadata.generation === generation;
      const peaceMs = Math.min(this.#operations.peaceMs, this.#setting.faults.startPeaceMs(key));
      const isTroubled = peaceMs < withinMs + SECOND_MS || !this.#isClockRight();
      if (!isSame || isTroubled || ledger.runOfSlot(slot) !== undefined || this.#isHeldUp(current)) return;
      if (this.#isNameTaken(cronJob, slot) || this.#isPaused(current)) return;
      this.#model.accuse(key, [`in peace a slot starts at once (${slot.toISOString()})`]);
    });
    this.counts.promptSlots++;
    if (this.#setting.faults.deniedDeletes.of(key)) this.#setting.faults.count('slot while deletes are denied');
    if (this.#setting.faults.hangingDeletes.of(key)) this.#setting.faults.count('slot while deletes hang');
    if (this.#setting.faults.failingStatus.of(key)) this.#setting.faults.count('slot while status writes fail');
    if (this.#isOtherHanging(cronJob)) this.#setting.faults.count('slot while another namespace hangs');
  }

  #isClockRight(): boolean {
    const machine = this.#operations.process?.machine;
    return machine?.offsetMs === 0 && machine.steadyMs > MINUTE_MS;
  }

  /** Also when the status that shows it is not stored yet. */
  #isPaused(cronJob: CronJob): boolean {
    if (this.#model.ledgerOf(cronJob)?.isPauseUnknown(cronJob)) return true;
    return [cronJob.status, this.#pendingStatus(cronJob)].some((status) => status?.paused !== undefined);
  }

  #pendingStatus(cronJob: CronJob): CronJobStatus | undefined {
    return this.#operations.process?.pendingStatuses.get(keyOf(cronJob))?.status;
  }

  #isOtherHanging({ metadata }: CronJob): boolean {
    return this.#setting.faults.hanging.keys().some((namespace) => namespace !== metadata.namespace);
  }

  /** A pass must notice that the deadline of a waiting slot has passed. */
  #expectGivingUp(cronJob: CronJob): void {
    const deadlineMs = deadlineMsOf(cronJob);
    if (deadlineMs === undefined || !this.#hasActive(cronJob)) return;
    this.#setting.clock.schedule(deadlineMs + 2 * PROMPT_MS, () => this.#lookAt(keyOf(cronJob)));
  }

  /** Under Forbid, an active run blocks the next one. Under Replace, a run that must not be deleted does. */
  #isHeldUp(cronJob: CronJob): boolean {
    return this.#hasActive(cronJob) || this.#isReplaceDenied(cronJob);
  }

  #hasActive({ metadata, spec }: CronJob): boolean {
    return spec.concurrencyPolicy === 'Forbid' && this.#setting.world.jobs.ownedBy(metadata.uid).some(isActive);
  }

  /** The manager does not retry denied deletes for a while. A hanging delete may take the whole timeout of a request. */
  #isReplaceDenied(cronJob: CronJob): boolean {
    const key = keyOf(cronJob);
    if (cronJob.spec.concurrencyPolicy !== 'Replace') return false;
    if (this.#setting.faults.hangingDeletes.peaceMs(key) < PATIENCE_MS) return true;
    const isDenied = this.#setting.faults.deniedDeletes.peaceMs(key) < PATIENCE_MS;
    return isDenied && this.#setting.world.jobs.ownedBy(cronJob.metadata.uid).some(isActive);
  }

  #isNameTaken({ metadata: { namespace, name } }: CronJob, slot: Date): boolean {
    return this.#setting.world.jobs.get(keyOf({ namespace, name: `${name}-${slot.getTime() / 1000}` })) !== undefined;
  }
}

/** The slot must start, unless something blocks it, independent of the memory of the process. */
function mustStart(
  cronJob: CronJob,
  slot: Date,
  { ledger, withinMs }: { readonly ledger: Ledger; readonly withinMs: number },
): boolean {
  const deadlineMs = deadlineMsOf(cronJob) ?? Number.POSITIVE_INFINITY;
  if (deadlineMs < withinMs) return false;
  return ledger.viewsOf(cronJob).every((view) => {
    const since = ledger.since(view, slot);
    const schedule = ledger.schedule(view, slot);
    if (schedule === undefined || slot <= since || !sameInstant(schedule.previous(slot), slot)) return false;
    const inTime = deadlineMs === Number.POSITIVE_INFINITY ? since : new Date(slot.getTime() - deadlineMs);
    const floor = newest(
      since,
      inTime,
      storedFloor(view),
      ledger.newestSlot,
      ledger.stillUntil,
      voidThrough(view, slot),
    );
    if (slot <= floor) return false;
    return schedule.between(floor, slot, { limit: MOST_MISSED + 1 }).length <= MOST_MISSED; // more missed slots: none starts
  });
}

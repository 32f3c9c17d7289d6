/** What has really happened to one CronJob since its creation, independent of who knows of it. */

import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import { type Reading, readSchedule, type Slots } from './calendar.ts';
import {
  clockwork,
  deadlineMsOf,
  endingOf,
  instantOf,
  isManual,
  newest,
  slotOf,
  standsStill,
  storedClockwork,
  storedFloor,
  wholeSeconds,
} from './facts.ts';
import { RunBook, type RunRecord } from './run-book.ts';
import { SpecHistory } from './spec-history.ts';

/** Since when a schedule has its current value. */
interface ScheduleEdit {
  readonly version: number;
  /** With milliseconds. */
  readonly at: Date;
  /** The zone was removed and the schedule is unchanged. managedFields do not have a time for this. */
  readonly isUndated: boolean;
}

/** The entry for the schedule in managedFields. */
interface NotedEdit {
  readonly version: number;
  readonly time: Date;
}

export class Ledger {
  readonly key: string;
  readonly createdAt: Date;
  readonly runs = new Map<string, RunRecord>();
  readonly book = new RunBook();
  readonly history = new SpecHistory();
  /** Until then the schedule was paused, and no user had acted on it: slots that were due are void. */
  stillUntil = newest();
  /** The deadline in the spec when the status was last written, in milliseconds. */
  deadlineAtWrite: number | undefined;
  /** The end of a suspension with an end time, when the status was last written. */
  untilAtWrite: string | undefined;
  /** The server has dropped fields of the status: rules that depend on them cannot be checked any more. */
  wasPruned = false;
  /** A pass had a wrong clock: its times cannot be compared with those of the API server any more. */
  wasSkewed = false;
  /** Times of succeeded and failed runs, from the API. */
  readonly endings = { Succeeded: new Set<string>(), Failed: new Set<string>() };
  /** The latest time up to which a stored status has recorded slots as settled. */
  floor = newest();
  /** Values of the run-now annotation that were ever stored as handled. */
  readonly servedValues = new Set<string>();
  /** Fields that the server dropped from the last status write. */
  pruned: ReadonlySet<string> = new Set();
  /** The server has dropped the status of the last run, and no run has started since. */
  isLastRunForgotten = false;
  /** The newest slot that ever had a Job. */
  newestSlot = newest();
  /** The last sent values of the fields that the server dropped. */
  #dropped: CronJobStatus = {};
  readonly #bySlot = new Map<number, RunRecord>();
  readonly #edits: ScheduleEdit[] = [];
  readonly #noted: NotedEdit[] = [];
  #clockwork = '';
  #isStill = false;
  #pausedSince: string | undefined;
  /** Begin of the pause that a manual run has ended. */
  #endedByHand: string | undefined;
  /** Start of its slots, when it takes over from another CronJob. */
  readonly #takenOverFrom: Date | undefined;

  constructor(key: string, { metadata }: CronJob) {
    this.key = key;
    this.createdAt = new Date(metadata.creationTimestamp);
    this.#takenOverFrom = takenOverFrom(metadata.annotations?.[TAKES_OVER_FROM_ANNOTATION], this.createdAt);
  }

  /** Records the current CronJob. */
  follow(cronJob: CronJob, now: Date): void {
    const version = Number(cronJob.metadata.resourceVersion);
    const { schedule, timeZone } = cronJob.spec;
    if (clockwork(cronJob) !== this.#clockwork) {
      const isUndated = timeZone === undefined && this.#clockwork.startsWith(`${schedule} in `);
      const at = this.#edits.length === 0 ? (this.#takenOverFrom ?? now) : now;
      this.#edits.push({ version, at, isUndated });
    }
    this.#clockwork = clockwork(cronJob);
    this.history.follow(cronJob, now);
    const isStill = standsStill(cronJob) && cronJob.status?.paused?.since !== this.#endedByHand;
    if (this.#isStill && !isStill && cronJob.status?.paused) this.stillUntil = now;
    this.#isStill = isStill;
    this.#pausedSince = cronJob.status?.paused?.since;
    const time = notedEdit(cronJob);
    if (time.getTime() !== this.#noted.at(-1)?.time.getTime()) this.#noted.push({ version, time });
    this.floor = newest(this.floor, storedFloor(cronJob));
    const served = cronJob.status?.lastManualRun;
    if (served !== undefined) this.servedValues.add(served);
  }

  /** The server dropped these fields of a status write: their values are lost. */
  noteWrite(sent: CronJobStatus, pruned: ReadonlySet<string>): void {
    this.pruned = pruned;
    if (pruned.size > 0) this.wasPruned = true;
    if (pruned.has('lastRun')) this.isLastRunForgotten = true;
    this.#dropped = Object.fromEntries(Object.entries(sent).filter(([name]) => pruned.has(name)));
    if (pruned.has('lastManualRun')) this.servedValues.clear();
  }

  /** The status is stored. */
  noteStored(base: CronJob, status: CronJobStatus, now: Date): void {
    this.deadlineAtWrite = deadlineMsOf(base);
    this.untilAtWrite = base.spec.suspend ? undefined : base.spec.suspendUntil;
    this.book.noteStored(status, base, now);
  }

  /**
   * Failures cannot be counted where the server drops the fields for it. A CRD without these fields does not have the spec field either.
   */
  isPauseUnknown({ spec }: CronJob): boolean {
    const fields: readonly (keyof CronJobStatus)[] = ['paused', 'recentRuns', 'observedGeneration'];
    return spec.pauseAfterFailures !== undefined && fields.some((field) => this.pruned.has(field));
  }

  /**
   * The CronJob as a pass may see it: as it is stored, and, where the server drops fields of its status, also as it was sent. The process
   * that sent it may know the dropped fields, and a new process cannot.
   */
  viewsOf(cronJob: CronJob): readonly CronJob[] {
    if (this.pruned.size === 0) return [cronJob];
    return [cronJob, { ...cronJob, status: { ...cronJob.status, ...this.#dropped } }];
  }

  /** Records the current Job of the CronJob. */
  followJob(job: Job, now: Date): void {
    const ending = endingOf(job);
    this.book.follow(job);
    if (this.#isStill && isManual(job) && ending.kind === 'Succeeded') {
      this.stillUntil = now;
      this.#isStill = false;
      this.#endedByHand = this.#pausedSince;
    }
    if (ending.kind !== 'Active') this.endings[ending.kind].add(ending.at);
  }

  /** The last Job of the slot. */
  runOfSlot(slot: Date): RunRecord | undefined {
    return this.#bySlot.get(slot.getTime());
  }

  /** When the schedule of that version of the object took effect, as far as it can be known. */
  inForceSince(view: CronJob): Date {
    const version = Number(view.metadata.resourceVersion);
    // A zone that came and went between two passes leaves no trace in status or managedFields.
    const isSeen = ({ isUndated }: ScheduleEdit) => !isUndated || isZoneGone(view);
    return this.#edits.findLast((edit) => edit.version <= version && isSeen(edit))?.at ?? this.createdAt;
  }

  /** The required value of `effectiveSchedule.since` after a pass at `now` over that version of the object. */
  since(view: CronJob, now: Date): Date {
    const stored = instantOf(view.status?.effectiveSchedule?.since);
    if (stored !== undefined && storedClockwork(view) === clockwork(view)) return stored;
    const version = Number(view.metadata.resourceVersion);
    const dated = this.#noted.findLast((edit) => edit.version <= version)?.time;
    const noted = isZoneGone(view) ? now : (dated ?? now);
    const isInFuture = noted > now;
    const isFirst = view.status?.effectiveSchedule === undefined;
    if (isFirst && this.#takenOverFrom !== undefined && noted <= this.createdAt) return this.#takenOverFrom;
    return newest(stored ?? this.createdAt, wholeSeconds(isInFuture ? now : noted));
  }

  /** The schedule of that version of the object; `undefined` when it is not valid. */
  schedule(view: CronJob, now: Date): Slots | undefined {
    const reading = this.#read(view, this.since(view, now));
    return reading.kind === 'ok' ? reading.slots : undefined;
  }

  /** Why that version of the object does not start scheduled runs, as a reason of a condition. */
  invalidReason(view: CronJob): string | undefined {
    const reading = this.#read(view, this.createdAt);
    return reading.kind === 'invalid' ? reading.reason : undefined;
  }

  #read({ spec: { schedule, timeZone = 'UTC' } }: CronJob, anchor: Date): Reading {
    return readSchedule(schedule, timeZone, anchor);
  }

  addRun(job: Job, value: string | undefined): void {
    const slot = slotOf(job);
    const known = { ...(slot === undefined ? {} : { slot }), ...(value === undefined ? {} : { value }) };
    const run = { job, ...known, isGone: false };
    this.runs.set(job.metadata.uid, run);
    this.book.add(run);
    if (slot !== undefined) this.#bySlot.set(slot.getTime(), run);
    this.newestSlot = newest(this.newestSlot, slot);
    this.isLastRunForgotten = false;
  }
}

const MAX_TAKE_OVER_MS = 600_000;

/** A time shortly before the creation. */
function takenOverFrom(value: string | undefined, createdAt: Date): Date | undefined {
  const from = instantOf(value);
  const agoMs = from === undefined ? Number.NaN : createdAt.getTime() - from.getTime();
  return agoMs >= 0 && agoMs <= MAX_TAKE_OVER_MS ? from : undefined;
}

/** Whether the status has a zone and the spec has no zone. */
function isZoneGone({ spec, status }: CronJob): boolean {
  const stored = status?.effectiveSchedule?.timeZone;
  return spec.timeZone === undefined && stored !== undefined && stored !== 'UTC';
}

/** The newest time in managedFields at which a client set the schedule or its zone. */
function notedEdit({ metadata }: CronJob): Date {
  const times = (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => /"f:(schedule|timeZone)"/.test(JSON.stringify(fieldsV1)))
    .map(({ time }) => instantOf(time));
  return newest(...times);
}

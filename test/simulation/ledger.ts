/** What has really happened to one CronJob since its creation, whether or not a process has read it. */

import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import {
  getEnding,
  getScheduleKey,
  getSlot,
  getStoredScheduleKey,
  isManual,
  isPauseInForce,
  latest,
  parseInstant,
  SCHEDULE_FIELDS,
  storedFloor,
  truncateToSeconds,
  wasScheduleFieldRemoved,
} from './facts.ts';
import { type DelayedSlots, withJitter } from './jitter.ts';
import { RunBook, type RunRecord } from './run-book.ts';
import { SpecHistory } from './spec-history.ts';
import { readTimetable } from './timetable.ts';

/** An edit of the fields that define the schedule. */
interface ScheduleEdit {
  readonly version: number;
  /** With milliseconds. */
  readonly at: Date;
  /** Names of the fields with a new value. */
  readonly set: readonly string[];
  /** Names of the removed fields. managedFields do not have a time for a removal. */
  readonly removed: readonly string[];
}

/** The entry for the schedule in managedFields. */
interface ManagedFieldsEdit {
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
  pausedUntil = latest();
  /** The end of a suspension with an end time, when the status was last written. */
  suspendUntilAtWrite: string | undefined;
  /** The server has dropped fields of the status: rules that depend on them cannot be checked any more. */
  wasPruned = false;
  /** A reconcile had a wrong clock: its times cannot be compared with those of the API server any more. */
  wasSkewed = false;
  /** Times of succeeded and failed runs, from the API. */
  readonly endings = { Succeeded: new Set<string>(), Failed: new Set<string>() };
  /** UIDs of the Jobs whose result was recorded. */
  readonly #endedJobs = new Set<string>();
  /** The latest time up to which a stored status has recorded slots as settled. */
  floor = latest();
  /** Values of the run-now annotation that were ever stored as handled. */
  readonly handledValues = new Set<string>();
  /** Fields that the server dropped from the last status write. */
  pruned: ReadonlySet<string> = new Set();
  /** The server has dropped the status of the last run, and no run has started since. */
  isLastRunDropped = false;
  /** The newest slot that ever had a Job. */
  newestSlot = latest();
  /** The last sent values of the fields that the server dropped. */
  #dropped: CronJobStatus = {};
  readonly #bySlot = new Map<number, RunRecord>();
  readonly #edits: ScheduleEdit[] = [];
  readonly #managedFieldsEdits: ManagedFieldsEdit[] = [];
  #spec: CronJob['spec'] | undefined;
  #isPaused = false;
  #pausedSince: string | undefined;
  /** Begin of the pause that a manual run has ended. */
  #manuallyEndedPause: string | undefined;
  /** Start of its slots, when it takes over from another CronJob. */
  readonly #takeOverTime: Date | undefined;

  constructor(key: string, { metadata }: CronJob) {
    this.key = key;
    this.createdAt = new Date(metadata.creationTimestamp);
    this.#takeOverTime = parseTakeOverTime(metadata.annotations?.[TAKES_OVER_FROM_ANNOTATION], this.createdAt);
  }

  /** Records the current CronJob. */
  recordCronJob(cronJob: CronJob, now: Date): void {
    const version = Number(cronJob.metadata.resourceVersion);
    const old = this.#spec;
    if (old === undefined || getScheduleKey(cronJob) !== getScheduleKey({ spec: old })) {
      const at = old === undefined ? (this.#takeOverTime ?? now) : now;
      this.#edits.push({ version, at, ...compareSchedules(old, cronJob.spec) });
    }
    this.#spec = cronJob.spec;
    this.history.record(cronJob, now);
    const isPaused = isPauseInForce(cronJob) && cronJob.status?.paused?.since !== this.#manuallyEndedPause;
    if (this.#isPaused && !isPaused && cronJob.status?.paused) this.pausedUntil = now;
    this.#isPaused = isPaused;
    this.#pausedSince = cronJob.status?.paused?.since;
    const time = getScheduleEditTime(cronJob);
    if (time.getTime() !== this.#managedFieldsEdits.at(-1)?.time.getTime())
      this.#managedFieldsEdits.push({ version, time });
    this.floor = latest(this.floor, storedFloor(cronJob));
    const handled = cronJob.status?.lastManualRun;
    if (handled !== undefined) this.handledValues.add(handled);
  }

  /** The server dropped these fields of a status write: their values are lost. */
  noteWrite(sent: CronJobStatus, pruned: ReadonlySet<string>): void {
    this.pruned = pruned;
    if (pruned.size > 0) this.wasPruned = true;
    if (pruned.has('lastRun')) this.isLastRunDropped = true;
    this.#dropped = Object.fromEntries(Object.entries(sent).filter(([name]) => pruned.has(name)));
    if (pruned.has('lastManualRun')) this.handledValues.clear();
  }

  /** The status is stored. */
  noteStored(base: CronJob, status: CronJobStatus, now: Date): void {
    this.suspendUntilAtWrite = base.spec.suspend ? undefined : base.spec.suspendUntil;
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
   * The CronJob as a reconcile may see it: as it is stored, and, where the server drops fields of its status, also as it was sent. The
   * process that sent it may know the dropped fields, and a new process cannot.
   */
  listViews(cronJob: CronJob): readonly CronJob[] {
    if (this.pruned.size === 0) return [cronJob];
    return [cronJob, { ...cronJob, status: { ...cronJob.status, ...this.#dropped } }];
  }

  /** Records the current Job of the CronJob. */
  recordJob(job: Job, now: Date): void {
    const ending = getEnding(job);
    this.book.recordJob(job);
    const { uid } = job.metadata;
    // A later event of the Job, such as its deletion, ends no pause.
    if (this.#isPaused && isManual(job) && ending.kind === 'Succeeded' && !this.#endedJobs.has(uid)) {
      this.pausedUntil = now;
      this.#isPaused = false;
      this.#manuallyEndedPause = this.#pausedSince;
    }
    if (ending.kind === 'Active') return;
    this.#endedJobs.add(uid);
    this.endings[ending.kind].add(ending.at);
  }

  /** The last Job of the slot. */
  getRun(slot: Date): RunRecord | undefined {
    return this.#bySlot.get(slot.getTime());
  }

  /** When the schedule of that version of the object took effect, as far as it can be known. */
  getInForceSince(view: CronJob): Date {
    const version = Number(view.metadata.resourceVersion);
    const edits = this.#edits.filter((edit) => edit.version <= version).toReversed();
    const removed = new Set<string>();
    for (const { at, ...edit } of edits) {
      // A field that came and went between two reconciles leaves no trace in status or managedFields.
      if (wasScheduleFieldRemoved(view) || edit.set.some((name) => !removed.has(name))) return at;
      for (const name of edit.removed) removed.add(name);
    }
    return this.createdAt;
  }

  /** The required value of `effectiveSchedule.since` after a reconcile at `now` of that version of the object. */
  getExpectedSince(view: CronJob, now: Date): Date {
    const stored = parseInstant(view.status?.effectiveSchedule?.since);
    if (stored !== undefined && getStoredScheduleKey(view) === getScheduleKey(view)) return stored;
    const version = Number(view.metadata.resourceVersion);
    const entryTime = this.#managedFieldsEdits.findLast((edit) => edit.version <= version)?.time;
    const editTime = wasScheduleFieldRemoved(view) ? now : (entryTime ?? now);
    const isInFuture = editTime > now;
    const isFirst = view.status?.effectiveSchedule === undefined;
    if (isFirst && this.#takeOverTime !== undefined && editTime <= this.createdAt) return this.#takeOverTime;
    return latest(stored ?? this.createdAt, truncateToSeconds(isInFuture ? now : editTime));
  }

  /** The schedule of that version of the object; `undefined` when it is not valid. */
  getSlots(view: CronJob, now: Date): DelayedSlots | undefined {
    const parsed = readTimetable(view.spec, this.getExpectedSince(view, now));
    return parsed.kind === 'ok' ? withJitter(parsed.slots, view) : undefined;
  }

  /** Why that version of the object does not start scheduled runs, as a reason of a condition. */
  getInvalidReason(view: CronJob, now: Date): string | undefined {
    const parsed = readTimetable(view.spec, this.getExpectedSince(view, now));
    return parsed.kind === 'invalid' ? parsed.reason : undefined;
  }

  addRun(job: Job, value: string | undefined): void {
    const slot = getSlot(job);
    const reference = { ...(slot === undefined ? {} : { slot }), ...(value === undefined ? {} : { value }) };
    const run = { job, ...reference, isGone: false };
    this.runs.set(job.metadata.uid, run);
    this.book.add(run);
    if (slot !== undefined) this.#bySlot.set(slot.getTime(), run);
    this.newestSlot = latest(this.newestSlot, slot);
    this.isLastRunDropped = false;
  }
}

const MAX_TAKE_OVER_MS = 600_000;

/** A time shortly before the creation. */
function parseTakeOverTime(value: string | undefined, createdAt: Date): Date | undefined {
  const from = parseInstant(value);
  const agoMs = from === undefined ? Number.NaN : createdAt.getTime() - from.getTime();
  return agoMs >= 0 && agoMs <= MAX_TAKE_OVER_MS ? from : undefined;
}

function compareSchedules(
  old: CronJob['spec'] | undefined,
  spec: CronJob['spec'],
): Pick<ScheduleEdit, 'set' | 'removed'> {
  const changed = SCHEDULE_FIELDS.filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(spec[name]));
  const isSet = (name: (typeof SCHEDULE_FIELDS)[number]) => spec[name] !== undefined;
  return { set: changed.filter(isSet), removed: changed.filter((name) => !isSet(name)) };
}

const SCHEDULE_FIELD_PATTERN = new RegExp(`"f:(${SCHEDULE_FIELDS.join('|')})"`);

/** The newest time in managedFields at which a client set a field of the schedule. */
function getScheduleEditTime({ metadata }: CronJob): Date {
  const times = (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => SCHEDULE_FIELD_PATTERN.test(JSON.stringify(fieldsV1)))
    .map(({ time }) => parseInstant(time));
  return latest(...times);
}

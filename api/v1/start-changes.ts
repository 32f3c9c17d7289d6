/** Compares when the runs of a CronJob start before and after an edit of its spec. */
import { isSameJson } from 'controller-runtime/schema';
import { delayedStart, stableDelayMs, type Timetable } from 'kubernetes-cron-schedule';
import { findLatest, isAfter, parseTime, toWholeSeconds } from '../time.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { parseDelayedTimetable, type ValidDelayedTimetable } from './delayed-timetable.ts';
import { isSuspendedAt } from './suspension.ts';
import { getScheduleStart, pickScheduleFields } from './timetable.ts';
import { findMissedSlot, findUnmetSlots, toSecondBefore } from './unmet-slots.ts';
import { listDroppedWaitingSlots } from './waiting-slots.ts';

/** The part of a CronJob that determines when its runs start. */
export type ScheduledCronJob = Pick<CronJob, 'metadata' | 'spec' | 'status'>;

export interface Start {
  /** The scheduled time. */
  readonly slot: Date;
  /**
   * The time at which the run starts: the slot plus its jitter. If the slot has passed, the time is not earlier than
   * the edit.
   */
  readonly time: Date;
}

export interface MovedStart {
  readonly slot: Date;
  readonly oldTime: Date;
  readonly newTime: Date;
}

/** The effect of an edit. Each list is in ascending order. */
export interface StartChanges {
  /** The start time of a run that waits for active runs is `now`. */
  readonly dropped: readonly Start[];
  readonly moved: readonly MovedStart[];
  readonly added: readonly Start[];
  /** The end of the compared period, which is earlier than requested if a schedule has more slots than the limit. */
  readonly until: Date;
}

export interface StartPeriod {
  /** The time of the edit. */
  readonly now: Date;
  /** The last scheduled time to list. */
  readonly until: Date;
  /** Limits the number of slots to search per spec, because `@every 1s` has 86,400 slots a day. */
  readonly limit: number;
}

export interface StartList {
  readonly starts: readonly Start[];
  /** The end of the listed period, which is earlier than requested if the schedule has more slots than the limit. */
  readonly until: Date;
}

/**
 * Lists the runs of a CronJob that start after `now`. Without a UID, the runs have no jitter, because the UID
 * determines the jitter.
 */
export function listStarts(cronJob: ScheduledCronJob, period: StartPeriod): StartList {
  return computeStarts(getStoredFactors(cronJob), period);
}

/**
 * Returns the runs that are dropped, moved or added if `newSpec` replaces the spec of the CronJob. A run is moved if
 * its slot stays and its delay changes. Each edit ends a pause, so all runs of a paused CronJob are added.
 */
export function compareStarts(cronJob: ScheduledCronJob, newSpec: CronJobSpec, period: StartPeriod): StartChanges {
  const storedFactors = getStoredFactors(cronJob);
  const oldList = computeStarts(storedFactors, period);
  const waitingSlot = oldList.starts.find(({ slot }) => !isAfter(slot, period.now))?.slot;
  const newList = computeStarts(getEditedFactors(storedFactors, newSpec, { now: period.now, waitingSlot }), period);
  const until = isAfter(oldList.until, newList.until) ? newList.until : oldList.until;
  const isCovered = ({ slot }: Start) => !isAfter(slot, until);
  const oldStarts = new Map(oldList.starts.filter(isCovered).map((start) => [start.slot.getTime(), start]));
  const newStarts = new Map(newList.starts.filter(isCovered).map((start) => [start.slot.getTime(), start]));
  const moved = [...newStarts].flatMap(([slotMs, { slot, time }]) => {
    const oldTime = oldStarts.get(slotMs)?.time;
    return oldTime === undefined || oldTime.getTime() === time.getTime() ? [] : [{ slot, oldTime, newTime: time }];
  });
  const droppedSlots = listDroppedWaitingSlots(cronJob, newSpec, period);
  return {
    dropped: [
      ...droppedSlots.filter((slot) => !oldStarts.has(slot.getTime())).map((slot) => ({ slot, time: period.now })),
      ...[...oldStarts].flatMap(([slotMs, start]) => (newStarts.has(slotMs) ? [] : [start])),
    ],
    moved,
    added: [...newStarts].flatMap(([slotMs, start]) => (oldStarts.has(slotMs) ? [] : [start])),
    until,
  };
}

/** The values that determine when runs start. */
interface StartFactors {
  readonly spec: CronJobSpec;
  /** An empty string if the UID is unknown. */
  readonly uid: string;
  readonly anchor: Date;
  /** No run starts for a slot at or before this time. */
  readonly floor: Date;
  readonly isPaused: boolean;
  readonly passedSlots: PassedSlots;
}

/**
 * Whether a run starts for the newest slot between `floor` and the time of the edit. `Wait`: the run starts if its
 * delay has not ended. `Start`: the run starts now or after its delay, because it could not start before the edit.
 * `Handled`: the run has started.
 */
type PassedSlots = 'Wait' | 'Start' | 'Handled';

function getStoredFactors(cronJob: ScheduledCronJob): StartFactors {
  const { metadata, spec, status } = cronJob;
  const anchor = getScheduleStart(cronJob) ?? new Date(0);
  const handledTimes = [status?.lastScheduleTime, status?.handledThrough].map(parseTime);
  return {
    spec,
    uid: metadata.uid ?? '', // a manifest has no UID
    anchor,
    floor: findLatest(anchor, ...handledTimes),
    isPaused: status?.paused !== undefined,
    passedSlots: 'Wait',
  };
}

interface SpecEdit {
  readonly now: Date;
  /** The slot that has passed and waits for the end of its delay. */
  readonly waitingSlot: Date | undefined;
}

/** After an edit of the schedule, no run starts for an earlier slot, and `@every` counts from the edit. */
function getEditedFactors(storedFactors: StartFactors, spec: CronJobSpec, edit: SpecEdit): StartFactors {
  const { now, waitingSlot } = edit;
  if (storedFactors.isPaused) {
    return getEditedFactors({ ...storedFactors, isPaused: false, floor: now }, spec, edit);
  }
  if (!isSameJson(pickScheduleFields(spec), pickScheduleFields(storedFactors.spec))) {
    const editTime = toWholeSeconds(now);
    return {
      ...storedFactors,
      spec,
      anchor: findLatest(storedFactors.anchor, editTime),
      floor: findLatest(storedFactors.floor, editTime),
    };
  }
  if (isSuspendedAt(storedFactors.spec, now) || startsNoRun(storedFactors.spec))
    return { ...storedFactors, spec, passedSlots: 'Start' };
  if (waitingSlot === undefined) return { ...storedFactors, spec, passedSlots: 'Handled' };
  // Earlier slots could start before the edit.
  return { ...storedFactors, spec, floor: toSecondBefore(waitingSlot), passedSlots: 'Start' };
}

function startsNoRun(spec: CronJobSpec): boolean {
  return spec.suspend || hasZeroDeadline(spec);
}

/** Returns true if every run is too late to start. */
export function hasZeroDeadline({ startingDeadlineSeconds }: CronJobSpec): boolean {
  return startingDeadlineSeconds !== undefined && startingDeadlineSeconds <= 0;
}

function computeStarts(factors: StartFactors, { now, until, limit }: StartPeriod): StartList {
  const { spec, uid, anchor, isPaused } = factors;
  const timetable = parseDelayedTimetable({ metadata: { uid }, spec }, anchor);
  if (isPaused || startsNoRun(spec) || timetable.kind === 'invalid') return { starts: [], until };
  const after = findLatest(now, findLastSuspendedTime(spec));
  const slots = timetable.schedule.between(after, until, { limit: limit + 1 });
  const passedStarts = isSuspendedAt(spec, now) ? [] : listPassedStarts(factors, timetable, { now, until, limit });
  const starts = slots.slice(0, limit).map((slot, index) => {
    // The next slot comes from the list, because a search for the next slot is slow in a timetable with many
    // exclusions.
    const nextSlot = slots[index + 1];
    return { slot, time: addDelay(factors, nextSlot ? { next: () => nextSlot } : timetable.schedule, slot) };
  });
  return {
    starts: [...passedStarts, ...starts],
    until: slots.length > limit ? (starts.at(-1)?.slot ?? now) : until,
  };
}

/** Returns the time up to which slots have no runs because of `suspendUntil`. The run of a slot at `suspendUntil` may start. */
function findLastSuspendedTime({ suspendUntil }: CronJobSpec): Date | undefined {
  const resumeTime = parseTime(suspendUntil);
  return resumeTime && new Date(resumeTime.getTime() - 1);
}

/** Adds the jitter of the CronJob to a slot. */
function addDelay({ uid, spec }: StartFactors, timetable: Pick<Timetable, 'next'>, slot: Date): Date {
  const delayMs = uid === '' || spec.jitterSeconds === undefined ? 0 : stableDelayMs(uid, spec.jitterSeconds);
  return delayMs === 0 ? slot : delayedStart(timetable, slot, delayMs);
}

/** Returns when two runs start: the missed run, and the run that waits for the end of its delay. */
function listPassedStarts(
  factors: StartFactors,
  timetable: ValidDelayedTimetable,
  { now, limit }: StartPeriod,
): readonly Start[] {
  const { spec, passedSlots } = factors;
  const { jitterSeconds = 0, startingDeadlineSeconds: deadlineSeconds } = spec;
  if (passedSlots === 'Handled' || (passedSlots === 'Wait' && jitterSeconds <= 0)) return [];
  const floor = findLatest(factors.floor, findLastSuspendedTime(spec));
  const slot = timetable.schedule.previous(now);
  if (slot === undefined || !isAfter(slot, floor)) return [];
  const time = timetable.startOf(slot);
  const waitingStarts = isAfter(time, now) ? [{ slot, time }] : [];
  if (passedSlots === 'Wait') return waitingStarts;
  // A search skips excluded slots one by one, so the search for 100 missed slots could take seconds.
  const { exclusions } = timetable;
  const slotCount = exclusions ? findUnmetSlots(exclusions.fullTimetable, floor, now, limit + 1).count : 0;
  const missedSlot = slotCount > limit ? undefined : findMissedSlot(timetable, floor, { now, deadlineSeconds });
  return [...(missedSlot ? [{ slot: missedSlot, time: now }] : []), ...waitingStarts];
}

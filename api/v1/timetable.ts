/** Parses all fields of a spec that define its scheduled times. */
import {
  combineSchedules,
  type Exclusion,
  excludeDates,
  excludeSchedule,
  excludeSpan,
  isCalendarDate,
  loadTimeZone,
  type Timetable,
} from 'kubernetes-cron-schedule';
import { parseTime } from '../time.ts';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { type InvalidSchedule, parseSchedule } from './schedule.ts';
import { daylightSavingSchema } from './timetable-fields.ts';

export type TimetableFields = Pick<
  CronJobSpec,
  'schedule' | 'timeZone' | 'schedules' | 'startTime' | 'endTime' | 'exclude' | 'daylightSaving'
>;

export interface ValidTimetable {
  readonly kind: 'ok';
  /** The times at which runs start. */
  readonly schedule: Timetable;
  /** Absent without `exclude`. */
  readonly exclusions?: Exclusions;
}

export type ParsedTimetable = ValidTimetable | InvalidSchedule;

interface Exclusions {
  /** All scheduled times, including the excluded times. */
  readonly fullTimetable: Timetable;
  /** Returns the first exclusion that covers the time. */
  find(time: Date): SpecExclusion | undefined;
}

type SpecExclusion = NonNullable<CronJobSpec['exclude']>[number];

/**
 * Caches the newest timetable of each spec, because parsing a spec with thousands of excluded dates takes 30 ms. The
 * spec can be the key, because the informer returns the same object until the CronJob changes.
 */
const timetableCache = new WeakMap<
  TimetableFields,
  { readonly anchorMs: number; readonly timetable: ParsedTimetable }
>();

/**
 * Parses the fields. Never throws.
 * @param anchor The time from which `@every` counts.
 */
export function parseTimetable(spec: TimetableFields, anchor: Date): ParsedTimetable {
  const { schedule, timeZone, daylightSaving, schedules = [], startTime, endTime, exclude = [] } = spec;
  const isPlain = schedules.length + exclude.length === 0 && startTime === undefined && endTime === undefined;
  if (isPlain) return parseSchedule(schedule, { timeZone, anchor, daylightSaving });
  const cached = timetableCache.get(spec);
  const anchorMs = anchor.getTime();
  if (cached?.anchorMs === anchorMs) return cached.timetable;
  const timetable = parseAllFields(spec, anchor);
  timetableCache.set(spec, { anchorMs, timetable });
  return timetable;
}

function parseAllFields(spec: TimetableFields, anchor: Date): ParsedTimetable {
  const { schedule, timeZone, daylightSaving, schedules = [], startTime, endTime, exclude = [] } = spec;
  const options = { timeZone, anchor, daylightSaving };
  const mainSchedule = parseSchedule(schedule, options);
  if (mainSchedule.kind === 'invalid') return mainSchedule;
  const parsedSchedules = [mainSchedule.schedule];
  for (const [index, text] of schedules.entries()) {
    const extraSchedule = parseSchedule(text, options);
    if (extraSchedule.kind === 'invalid')
      return { ...extraSchedule, message: extraSchedule.message.replace('schedule', `schedules[${index}]`) };
    parsedSchedules.push(extraSchedule.schedule);
  }
  const window = { schedules: parsedSchedules, startTime: parseTime(startTime), endTime: parseTime(endTime) };
  const fullTimetable = combineSchedules(window);
  if (exclude.length === 0) return { kind: 'ok', schedule: fullTimetable };
  const exclusions: Exclusion[] = [];
  for (const [index, each] of exclude.entries()) {
    const exclusion = parseExclusion(each, timeZone);
    if (typeof exclusion === 'string') {
      return { kind: 'invalid', reason: 'UnparseableSchedule', message: `spec.exclude[${index}]: ${exclusion}` };
    }
    exclusions.push(exclusion);
  }
  return {
    kind: 'ok',
    schedule: combineSchedules({ ...window, exclusions }),
    exclusions: {
      fullTimetable,
      find: (time) => exclude[exclusions.findIndex((each) => each.coverage(time) !== undefined)],
    },
  };
}

/**
 * Returns the exclusion, or a fault if the exclusion is invalid. A different version of the CRD may have accepted an
 * invalid exclusion.
 */
function parseExclusion(
  { startTime, endTime, dates, schedule }: SpecExclusion,
  timeZone = DEFAULT_TIME_ZONE,
): Exclusion | string {
  const zone = loadTimeZone(timeZone);
  if (dates !== undefined && zone !== undefined) {
    return dates.every(isCalendarDate) ? excludeDates(dates, zone) : 'each date must be like 2026-12-25';
  }
  if (schedule !== undefined) {
    const parsed = parseSchedule(schedule, { timeZone });
    if (parsed.kind === 'invalid') return parsed.message.replace('spec.', '');
    return parsed.schedule.kind === 'cron' ? excludeSchedule(parsed.schedule) : 'schedule must not use @every';
  }
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  if (start === undefined || end === undefined) return 'give startTime and endTime, dates, or a schedule';
  return end > start ? excludeSpan(start, end) : 'endTime must be after startTime';
}

/** Returns the time at which the schedule took effect, from which `@every` counts. */
export function getScheduleStart({ metadata, status }: Pick<CronJob, 'metadata' | 'status'>): Date | undefined {
  return parseTime(status?.effectiveSchedule?.since) ?? parseTime(metadata.creationTimestamp);
}

/**
 * Returns the fields that `status.effectiveSchedule` records. `exclude` is not recorded, because an exclusion only skips slots.
 * Omits invalid values, which another version of the CRD may have accepted. An invalid value has no effect, and the API server
 * would reject a status that contains it.
 */
export function pickScheduleFields(spec: TimetableFields) {
  const { schedule, timeZone = DEFAULT_TIME_ZONE, schedules, startTime, endTime, daylightSaving } = spec;
  const clockChanges = daylightSaving && daylightSavingSchema.safeParse(daylightSaving).data;
  return {
    schedule,
    timeZone,
    ...(schedules && { schedules }),
    ...(parseTime(startTime) && { startTime }),
    ...(parseTime(endTime) && { endTime }),
    ...(clockChanges && { daylightSaving: clockChanges }),
  };
}

/** Exports the whole API of the package. README.md describes the API. */
export type { CronFields, UnreachedStep } from './cron-fields.ts';
export type { DaylightSaving } from './cron-schedule.ts';
export { type DstNote, type DstNotesOptions, describeDstNote, type LocalTime } from './dst-note.ts';
export { type ParsedDuration, parseGoDuration } from './go-duration.ts';
export {
  type InvalidSchedule,
  InvalidScheduleError,
  MAX_EXPRESSION_LENGTH,
  type ParsedSchedule,
  parseSchedule,
  parseScheduleOrThrow,
  type ScheduleOptions,
} from './parse-schedule.ts';
export type { BetweenOptions, Schedule } from './schedule.ts';
export { delayedStart, lastStartedTime, stableDelayMs } from './start-delay.ts';
export { type ConstantOffset, loadTimeZone, type TimeZone } from './time-zone.ts';
export { TIME_ZONE_NAMES } from './time-zone-names.ts';
export {
  combineSchedules,
  type Exclusion,
  excludeDates,
  excludeSchedule,
  excludeSpan,
  isCalendarDate,
  type Timetable,
  type TimetableOptions,
} from './timetable.ts';

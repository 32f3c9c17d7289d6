/** Warns about settings that are valid but probably mistakes. */
import { type CronFields, type DstNote, describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { formatTime, parseTime } from '../time.ts';
import type { CronJob } from './cronjob-types.ts';
import { isBeingDeleted } from './cronjob-validation.ts';
import { TAKES_OVER_FROM_ANNOTATION } from './groupversion.ts';
import { MONITORING_WARNING_RULES } from './monitoring-warnings.ts';
import { POLICY_WARNING_RULES } from './policy-warnings.ts';
import { isChanged, valueAt } from './raw-object.ts';
import { findShortestGapSeconds } from './shortest-gap.ts';
import { warnAboutStarts } from './start-warnings.ts';
import { warnAboutUnreachedSteps } from './step-warnings.ts';
import { parseTakeOverAnnotation } from './take-over.ts';
import {
  type Path,
  parseSpecSchedules,
  SCHEDULE_PATH,
  SUSPEND_PATH,
  TIME_ZONE_PATH,
  TIMETABLE_PATHS,
  type WarningContext,
  type WarningRule,
} from './warning-rule.ts';

/**
 * Returns warnings, each with a fix. On update, returns only the warnings that depend on a changed field. Ignores invalid values,
 * which validation reports. Never throws.
 */
export function getCronJobWarnings(cronJob: CronJob, context: WarningContext): readonly string[] {
  if (isBeingDeleted(cronJob)) return [];
  const specWarnings = WARNING_RULES.filter(({ dependsOn }) =>
    dependsOn.some((path) => isChanged(cronJob, context.oldCronJob, 'spec', ...path)),
  )
    .flatMap(({ getWarnings }) => getWarnings(valueAt(cronJob, 'spec'), context))
    .map((sentence) => `spec.${sentence}`);
  return [...warnAboutStarts(cronJob, context), ...specWarnings, ...warnAboutTakeOver(cronJob, context)];
}

const STARTING_DEADLINE_PATH: Path = ['startingDeadlineSeconds'];
const JITTER_PATH: Path = ['jitterSeconds'];
const TIME_TO_LIVE_PATH: Path = ['jobTemplate', 'spec', 'ttlSecondsAfterFinished'];

const WARNING_RULES: readonly WarningRule[] = [
  { dependsOn: [SCHEDULE_PATH, TIME_ZONE_PATH, ['schedules'], ['daylightSaving']], getWarnings: warnAboutSchedules },
  { dependsOn: [...TIMETABLE_PATHS, SUSPEND_PATH], getWarnings: warnAboutNeverFiring },
  { dependsOn: [...TIMETABLE_PATHS, JITTER_PATH], getWarnings: warnAboutJitter },
  { dependsOn: [STARTING_DEADLINE_PATH], getWarnings: warnAboutStartingDeadline },
  ...POLICY_WARNING_RULES,
  { dependsOn: [TIME_TO_LIVE_PATH], getWarnings: warnAboutTimeToLive },
  ...MONITORING_WARNING_RULES,
];

function warnAboutSchedules(spec: unknown, { now }: WarningContext): readonly string[] {
  const { schedules = [], timeZone = '' } = parseSpecSchedules(spec, now) ?? {};
  return schedules.flatMap(({ path, schedule }) => {
    if (schedule.next(now) === undefined) return [];
    const warnings = [
      ...warnAboutUnreachedSteps(schedule),
      ...warnAboutTwoDayFields(schedule.fields),
      ...warnAboutClockChanges(schedule, timeZone, now),
    ];
    return warnings.map((warning) => warning.replace('schedule', path));
  });
}

/**
 * Returns no warning for a suspended CronJob. Some users disable a CronJob with `suspend` and a schedule that never
 * fires.
 */
function warnAboutNeverFiring(spec: unknown, { now }: WarningContext): readonly string[] {
  const parsedSpec = parseSpecSchedules(spec, now);
  if (parsedSpec === undefined || valueAt(spec, ...SUSPEND_PATH) === true) return [];
  const {
    timetable,
    schedules,
    spec: { endTime },
  } = parsedSpec;
  const next = timetable.schedule.next(now);
  if (next !== undefined) {
    const nextWithoutExclusions = timetable.exclusions?.fullTimetable.next(now);
    const isExcludedForLong =
      nextWithoutExclusions !== undefined && next.getTime() - nextWithoutExclusions.getTime() > YEAR_MS;
    return isExcludedForLong
      ? [`exclude: covers every time of the schedule until ${formatTime(next)}; change an exclusion`]
      : [];
  }
  const end = parseTime(endTime);
  if (end !== undefined && end <= now) return [`endTime: ${endTime} has passed, so no run starts; ${END_TIME_FIX}`];
  if (schedules.every(({ schedule }) => schedule.next(now) === undefined)) return [NEVER_FIRES_WARNING];
  if (timetable.exclusions?.fullTimetable.next(now) !== undefined) return [ALL_EXCLUDED_WARNING];
  return [`endTime: no time of the schedule is before ${endTime}; ${END_TIME_FIX}`];
}

/** Warns if the jitter exceeds the shortest time between two scheduled times, because a larger jitter has no effect. */
function warnAboutJitter(spec: unknown, { now }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...JITTER_PATH);
  if (typeof seconds !== 'number') return [];
  const parsedSpec = parseSpecSchedules(spec, now);
  const shortest = parsedSpec && findShortestGapSeconds(parsedSpec.timetable.schedule, now);
  if (shortest === undefined || seconds < shortest) return [];
  return [
    `jitterSeconds: ${seconds} is not less than the ${shortest} s between two scheduled times; give ${shortest - 1} or less`,
  ];
}

const YEAR_MS = 366 * 86_400_000;
const END_TIME_FIX = 'give a later time, or remove it';
const ALL_EXCLUDED_WARNING = 'exclude: covers every time of the schedule, so no run starts; remove an exclusion';

const NEVER_FIRES_WARNING =
  'schedule: never fires: no date within five years matches; change day of month or month, or set suspend to stop it';

/** @param fields The five fields of the schedule. Absent for `@every`. */
function warnAboutTwoDayFields(fields: CronFields | undefined): readonly string[] {
  return fields === undefined || fields.isDayOfMonthStar || fields.isDayOfWeekStar ? [] : [TWO_DAY_FIELDS_WARNING];
}

const TWO_DAY_FIELDS_WARNING =
  'schedule: day of month and day of week are both given, so a run starts on each day that matches one of them; ' +
  'make one of them * unless you want this';

/** The number of months to search for clock changes. A year includes the start and the end of daylight saving time. */
const DST_MONTHS = 12;

/** Warns about the next scheduled time that a clock change skips, and the next one that a clock change repeats. */
function warnAboutClockChanges(schedule: Schedule, timeZone: string, now: Date): readonly string[] {
  const notes = schedule.dstNotes(now, { months: DST_MONTHS });
  return CLOCK_CHANGE_FIXES.flatMap(([kind, fix]) => {
    const note = notes.find((each) => each.kind === kind);
    return note === undefined ? [] : [`schedule: in ${timeZone} ${describeDstNote(note)}; ${fix}`];
  });
}

const CLOCK_CHANGE_FIXES: readonly (readonly [DstNote['kind'], fix: string])[] = [
  ['skipped', 'choose another time if that run matters'],
  ['doubled', 'choose another time if it must run only once'],
];

function warnAboutStartingDeadline(spec: unknown, { failoverSeconds }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...STARTING_DEADLINE_PATH);
  if (typeof seconds !== 'number' || seconds < 0) return [];
  if (seconds === 0) return [ZERO_DEADLINE_WARNING];
  if (seconds >= failoverSeconds) return [];
  const fault = `${seconds} is less than the ${failoverSeconds} s for which there may be no leader, and runs that are due in this time are lost`;
  return [`startingDeadlineSeconds: ${fault}; give ${failoverSeconds} or more`];
}

const ZERO_DEADLINE_WARNING =
  'startingDeadlineSeconds: 0 starts nothing; remove it, or give the seconds that a run may be late';

/** The controller can read the result of a run only while its Job exists. */
function warnAboutTimeToLive(spec: unknown, { failoverSeconds }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...TIME_TO_LIVE_PATH);
  if (typeof seconds !== 'number' || seconds < 0 || seconds >= failoverSeconds) return [];
  const fault = `${seconds} may delete a Job before the controller reads its result, for example while the leader changes`;
  return [`jobTemplate.spec.ttlSecondsAfterFinished: ${fault}; give 60 or more, or use the history limits`];
}

/** The annotation `takes-over-from` has no effect after creation, because only the first reconcile of a CronJob reads the annotation. */
function warnAboutTakeOver(cronJob: CronJob, { now, oldCronJob }: WarningContext): readonly string[] {
  if (!isChanged(cronJob, oldCronJob, 'metadata', 'annotations', TAKES_OVER_FROM_ANNOTATION)) return [];
  const creationTimestamp = valueAt(cronJob, 'metadata', 'creationTimestamp');
  const creationTime = typeof creationTimestamp === 'string' ? parseTime(creationTimestamp) : undefined;
  const takeOver = parseTakeOverAnnotation(valueAt(cronJob, 'metadata'), creationTime ?? now);
  if (takeOver.kind === 'none') return [];
  const hasStatus = valueAt(oldCronJob, 'status', 'effectiveSchedule') !== undefined;
  if (!hasStatus && takeOver.kind === 'takenOver') return [];
  const fault = takeOver.kind === 'ignored' ? takeOver.fault : TOO_LATE_FAULT;
  return [`metadata.annotations[${TAKES_OVER_FROM_ANNOTATION}]: ${fault}`];
}

const TOO_LATE_FAULT = 'is ignored, because it has an effect only when the CronJob is created; remove it';

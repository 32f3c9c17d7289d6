import { formatTime, isAfter, parseTime } from '../time.ts';
import { findLongestGap, type Gap } from './longest-gap.ts';
import { valueAt } from './raw-object.ts';
import { findClockChanges } from './schedule.ts';
import {
  JOB_DEADLINE_PATH,
  type Path,
  parseSpecSchedules,
  START_TIMEOUT_PATH,
  SUSPEND_PATH,
  TIMETABLE_PATHS,
  type WarningContext,
  type WarningRule,
} from './warning-rule.ts';

const EXPECT_SUCCESS_PATH: Path = ['expectSuccessWithinSeconds'];
const PAUSE_AFTER_FAILURES_PATH: Path = ['pauseAfterFailures'];
const FAILED_JOBS_LIMIT_PATH: Path = ['failedJobsHistoryLimit'];
const RECENT_RUNS_LIMIT_PATH: Path = ['recentRunsLimit'];
const SUSPEND_UNTIL_PATH: Path = ['suspendUntil'];

export const MONITORING_WARNING_RULES: readonly WarningRule[] = [
  { dependsOn: [START_TIMEOUT_PATH, JOB_DEADLINE_PATH], getWarnings: warnAboutStartTimeout },
  { dependsOn: [EXPECT_SUCCESS_PATH, ...TIMETABLE_PATHS], getWarnings: warnAboutExpectSuccessWithin },
  {
    dependsOn: [PAUSE_AFTER_FAILURES_PATH, FAILED_JOBS_LIMIT_PATH, RECENT_RUNS_LIMIT_PATH],
    getWarnings: warnAboutPauseAfterFailures,
  },
  // A change of `suspend` alone causes no warning, because the change of suspendUntil has already caused the warning.
  { dependsOn: [SUSPEND_UNTIL_PATH], getWarnings: warnAboutSuspendUntil },
];

/** Returns the value at `path` if the value is a positive integer. */
function getPositiveNumber(spec: unknown, path: Path): number | undefined {
  const value = valueAt(spec, ...path);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function warnAboutStartTimeout(spec: unknown): readonly string[] {
  const timeout = getPositiveNumber(spec, START_TIMEOUT_PATH);
  const deadline = getPositiveNumber(spec, JOB_DEADLINE_PATH);
  if (timeout === undefined || deadline === undefined || timeout < deadline) return [];
  const fault = `${timeout} never applies, because spec.jobTemplate.spec.activeDeadlineSeconds ends the Job after ${deadline}`;
  return [`startTimeoutSeconds: ${fault}; give less than that, or remove it`];
}

/** The length of the period to search for gaps. A year includes all months, weekends and clock changes. */
const YEAR_MS = 366 * 86_400_000;

/** Warns if the time between two runs exceeds `expectSuccessWithinSeconds`. Returns at most one warning. */
export function warnAboutExpectSuccessWithin(spec: unknown, { now }: Pick<WarningContext, 'now'>): readonly string[] {
  const seconds = getPositiveNumber(spec, EXPECT_SUCCESS_PATH);
  const { timetable, timeZone = '' } = parseSpecSchedules(spec, now) ?? {};
  if (seconds === undefined || timetable === undefined) return [];
  const clockChanges = findClockChanges(timeZone, now, new Date(now.getTime() + YEAR_MS));
  const gap = findLongestGap(timetable.schedule, seconds * 1000, { now, clockChanges });
  return gap === undefined ? [] : [`expectSuccessWithinSeconds: ${seconds} is too short: ${describeGap(gap)}`];
}

function describeGap({ start, end }: Gap): string {
  if (end === undefined) return `no run is due within five years after ${formatTime(start)}; change the schedule`;
  const seconds = (end.getTime() - start.getTime()) / 1000;
  const gapPhrase = `no run is due between ${formatTime(start)} and ${formatTime(end)}`;
  return `${gapPhrase}, so Overdue becomes True; give more than ${seconds} and the time that a run takes`;
}

/** Warns if no Job and no line of `status.recentRuns` remains from which a user can read the cause of the failures. */
function warnAboutPauseAfterFailures(spec: unknown): readonly string[] {
  if (
    getPositiveNumber(spec, PAUSE_AFTER_FAILURES_PATH) === undefined ||
    valueAt(spec, ...FAILED_JOBS_LIMIT_PATH) !== 0
  )
    return [];
  const isListed = valueAt(spec, ...RECENT_RUNS_LIMIT_PATH) !== 0;
  const missingPhrase = isListed ? 'no failed Job is' : 'neither a failed Job nor an entry in status.recentRuns is';
  return [
    `pauseAfterFailures: with a failedJobsHistoryLimit of 0 ${missingPhrase} left that shows why runs failed; give 1 or more`,
  ];
}

function warnAboutSuspendUntil(spec: unknown, { now }: WarningContext): readonly string[] {
  const value = valueAt(spec, ...SUSPEND_UNTIL_PATH);
  const until = typeof value === 'string' ? parseTime(value) : undefined;
  if (until === undefined) return [];
  if (!isAfter(until, now)) return [`suspendUntil: ${formatTime(until)} ${PAST_TIME_FAULT}`];
  return valueAt(spec, ...SUSPEND_PATH) === true ? [`suspendUntil: ${SUSPENDED_FAULT}`] : [];
}

const PAST_TIME_FAULT = 'has passed, so it suspends nothing; remove it, or give a later time';
const SUSPENDED_FAULT = 'has no effect, because suspend is true and does not end at that time; set suspend to false';

/** Warns about the fields that watch runs: how soon they start, how often they succeed, and when they stop. */
import { formatTime, isAfter, parseTime } from '../time.ts';
import {
  type Advice,
  JOB_DEADLINE,
  type Path,
  parseSpecSchedule,
  SCHEDULE,
  START_TIMEOUT,
  SUSPEND,
  TIME_ZONE,
  type WarningContext,
} from './advice.ts';
import { type Gap, longestGap } from './longest-gap.ts';
import { valueAt } from './raw-object.ts';
import { clockChanges } from './schedule.ts';

const EXPECT_SUCCESS: Path = ['expectSuccessWithinSeconds'];
const PAUSE_AFTER: Path = ['pauseAfterFailures'];
const FAILED_LIMIT: Path = ['failedJobsHistoryLimit'];
const RECENT_RUNS_LIMIT: Path = ['recentRunsLimit'];
const SUSPEND_UNTIL: Path = ['suspendUntil'];

export const WATCH_ADVICE: readonly Advice[] = [
  { dependsOn: [START_TIMEOUT, JOB_DEADLINE], advise: warnAboutStartTimeout },
  { dependsOn: [EXPECT_SUCCESS, SCHEDULE, TIME_ZONE], advise: warnAboutExpectSuccess },
  { dependsOn: [PAUSE_AFTER, FAILED_LIMIT, RECENT_RUNS_LIMIT], advise: warnAboutPauseAfterFailures },
  // Independent of `suspend`: a user who suspends now got the warning when suspendUntil was set, or does not rely on it.
  { dependsOn: [SUSPEND_UNTIL], advise: warnAboutSuspendUntil },
];

/** A positive whole number; `undefined` for any other value, which validation refuses. */
function getPositiveNumber(spec: unknown, path: Path): number | undefined {
  const value = valueAt(spec, ...path);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function warnAboutStartTimeout(spec: unknown): readonly string[] {
  const timeout = getPositiveNumber(spec, START_TIMEOUT);
  const deadline = getPositiveNumber(spec, JOB_DEADLINE);
  if (timeout === undefined || deadline === undefined || timeout < deadline) return [];
  const fault = `${timeout} never applies, because spec.jobTemplate.spec.activeDeadlineSeconds ends the Job after ${deadline}`;
  return [`startTimeoutSeconds: ${fault}; give less than that, or remove it`];
}

/** How far ahead to search for gaps: a year has every weekend, every month and both clock changes. */
const YEAR_MS = 366 * 86_400_000;

/** Warns when the schedule leaves more time between two runs than a success may take; at most one warning. */
export function warnAboutExpectSuccess(spec: unknown, { now }: Pick<WarningContext, 'now'>): readonly string[] {
  const seconds = getPositiveNumber(spec, EXPECT_SUCCESS);
  const { schedule, timeZone } = parseSpecSchedule(spec, now) ?? {};
  if (seconds === undefined || schedule === undefined || timeZone === undefined) return [];
  const changes = clockChanges(timeZone, now, new Date(now.getTime() + YEAR_MS));
  const gap = longestGap(schedule, seconds * 1000, { now, clockChanges: changes });
  return gap === undefined ? [] : [`expectSuccessWithinSeconds: ${seconds} is too short: ${describeGap(gap)}`];
}

function describeGap({ after, until }: Gap): string {
  if (until === undefined) return `no run is due within five years after ${formatTime(after)}; change the schedule`;
  const seconds = (until.getTime() - after.getTime()) / 1000;
  const wait = `no run is due between ${formatTime(after)} and ${formatTime(until)}`;
  return `${wait}, so Overdue becomes True; give more than ${seconds} and the time that a run takes`;
}

/** The Pods of failed Jobs have the logs; the list of recent runs has the reason. */
function warnAboutPauseAfterFailures(spec: unknown): readonly string[] {
  if (getPositiveNumber(spec, PAUSE_AFTER) === undefined || valueAt(spec, ...FAILED_LIMIT) !== 0) return [];
  const isListed = valueAt(spec, ...RECENT_RUNS_LIMIT) !== 0;
  const left = isListed ? 'no failed Job is' : 'neither a failed Job nor an entry in status.recentRuns is';
  return [
    `pauseAfterFailures: with a failedJobsHistoryLimit of 0 ${left} left to tell why runs failed; give 1 or more`,
  ];
}

function warnAboutSuspendUntil(spec: unknown, { now }: WarningContext): readonly string[] {
  const value = valueAt(spec, ...SUSPEND_UNTIL);
  const until = typeof value === 'string' ? parseTime(value) : undefined;
  if (until === undefined) return [];
  if (!isAfter(until, now)) return [`suspendUntil: ${formatTime(until)} ${HAS_PASSED}`];
  return valueAt(spec, ...SUSPEND) === true ? [`suspendUntil: ${STAYS_SUSPENDED}`] : [];
}

const HAS_PASSED = 'has passed, and suspends nothing; remove it, or give a later time';
const STAYS_SUSPENDED = 'has no effect, because suspend is true and does not end at that time; set suspend to false';

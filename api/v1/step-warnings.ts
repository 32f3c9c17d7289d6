/**
 * Warns about steps of a schedule that are longer than their range: they are accepted, but do not mean what they appear to mean.
 */
import type { CronFields, Schedule, UnreachedStep } from 'kubernetes-cron-schedule';

/** Maximum warnings, because a list may have hundreds of steps. */
const MAX_WARNINGS = 3;

/** Returns sentences that begin with the path below spec. */
export function warnAboutUnreachedSteps(schedule: Schedule): readonly string[] {
  const { fields } = schedule;
  return (fields?.unreachedSteps ?? []).slice(0, MAX_WARNINGS).map((unreached) => {
    const { field, item, value } = unreached;
    const interval = fields && toInterval(unreached, fields);
    const fix = interval === undefined ? '' : `, or "@every ${interval}" as the whole schedule for that interval`;
    return `schedule: ${field} ${quote(item)} never reaches its step: ${describeRuns(schedule)}; write ${value} if that is meant${fix}`;
  });
}

/** Limits the quoted item: a warning has at most 256 characters. */
const MAX_ITEM = 20;
const MAX_WORDS = 80;

function quote(item: string): string {
  return JSON.stringify(truncate(item, MAX_ITEM));
}

function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** Describes the runs, such as `runs hourly, at minute 0 of every hour`. */
function describeRuns(schedule: Schedule): string {
  const words = schedule.describe();
  const rhythm = schedule.fields === undefined ? '' : describeRhythm(schedule.fields);
  return `runs ${rhythm}${truncate(words.charAt(0).toLowerCase() + words.slice(1), MAX_WORDS)}`;
}

const ALL_HOURS = 24;

/** `hourly` or `daily`; empty for any other schedule. */
function describeRhythm(fields: CronFields): string {
  if (!isEachDay(fields) || fields.minutes.length > 1) return '';
  if (fields.hours.length === ALL_HOURS) return 'hourly, ';
  return fields.hours.length === 1 ? 'daily, ' : '';
}

const ALL_DAYS_OF_MONTH = 31;
const ALL_MONTHS = 12;
const ALL_DAYS_OF_WEEK = 7;

function isEachDay({ daysOfMonth, months, daysOfWeek }: Days): boolean {
  return (
    daysOfMonth.length === ALL_DAYS_OF_MONTH && months.length === ALL_MONTHS && daysOfWeek.length === ALL_DAYS_OF_WEEK
  );
}

type Days = Pick<CronFields, 'daysOfMonth' | 'months' | 'daysOfWeek'>;

/** The duration that equals the step; `undefined` when another field restricts the step, or no duration equals it. */
function toInterval({ field, step, isFullRange }: UnreachedStep, fields: CronFields): string | undefined {
  const { hours, months, daysOfWeek } = fields;
  if (!isFullRange || step > MAX_STEP) return undefined;
  switch (field) {
    case 'minute':
      return isEachDay(fields) && hours.length === ALL_HOURS ? `${step}m` : undefined;
    case 'hour':
      return isEachDay(fields) ? `${step}h` : undefined;
    case 'day of month':
      return months.length === ALL_MONTHS && daysOfWeek.length === ALL_DAYS_OF_WEEK
        ? `${step * ALL_HOURS}h`
        : undefined;
    case 'month':
    case 'day of week':
      return undefined;
  }
}

/** Limits the step, so that its days fit into the hours of a duration. */
const MAX_STEP = 10_000;

import type { CronFields, Schedule, UnreachedStep } from 'kubernetes-cron-schedule';

/** Limits the number of warnings if a cron field lists hundreds of steps. */
const MAX_WARNINGS = 3;

/**
 * Warns about steps that exceed the range of their field, such as `*\/90` for the minutes. Each warning starts with the
 * path of the field below `spec`.
 */
export function warnAboutUnreachedSteps(schedule: Schedule): readonly string[] {
  const { fields } = schedule;
  return (fields?.unreachedSteps ?? []).slice(0, MAX_WARNINGS).map((unreachedStep) => {
    const { field, item, value } = unreachedStep;
    const interval = fields && formatStepInterval(unreachedStep, fields);
    const fix = interval === undefined ? '' : `, or "@every ${interval}" as the whole schedule for that interval`;
    return `schedule: ${field} ${quote(item)} never reaches its step: ${describeRuns(schedule)}; write ${value} if you want that${fix}`;
  });
}

/** A warning has at most 256 characters, so the length of the quoted item is limited. */
const MAX_ITEM_LENGTH = 20;
const MAX_DESCRIPTION_LENGTH = 80;

function quote(item: string): string {
  return JSON.stringify(truncate(item, MAX_ITEM_LENGTH));
}

function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Returns a description such as `runs hourly, at minute 0 of every hour`. */
function describeRuns(schedule: Schedule): string {
  const description = schedule.describe();
  const frequency = schedule.fields === undefined ? '' : describeFrequency(schedule.fields);
  return `runs ${frequency}${truncate(description.charAt(0).toLowerCase() + description.slice(1), MAX_DESCRIPTION_LENGTH)}`;
}

const HOURS_PER_DAY = 24;

function describeFrequency(fields: CronFields): string {
  if (!isEveryDay(fields) || fields.minutes.length > 1) return '';
  if (fields.hours.length === HOURS_PER_DAY) return 'hourly, ';
  return fields.hours.length === 1 ? 'daily, ' : '';
}

const MAX_DAYS_PER_MONTH = 31;
const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;

function isEveryDay({ daysOfMonth, months, daysOfWeek }: DayFields): boolean {
  return (
    daysOfMonth.length === MAX_DAYS_PER_MONTH &&
    months.length === MONTHS_PER_YEAR &&
    daysOfWeek.length === DAYS_PER_WEEK
  );
}

type DayFields = Pick<CronFields, 'daysOfMonth' | 'months' | 'daysOfWeek'>;

/** Returns the step as a duration, or `undefined` if another field restricts the schedule or the step has no fixed duration. */
function formatStepInterval({ field, step, isFullRange }: UnreachedStep, fields: CronFields): string | undefined {
  const { hours, months, daysOfWeek } = fields;
  if (!isFullRange || step > MAX_STEP) return undefined;
  switch (field) {
    case 'minute':
      return isEveryDay(fields) && hours.length === HOURS_PER_DAY ? `${step}m` : undefined;
    case 'hour':
      return isEveryDay(fields) ? `${step}h` : undefined;
    case 'day of month':
      return months.length === MONTHS_PER_YEAR && daysOfWeek.length === DAYS_PER_WEEK
        ? `${step * HOURS_PER_DAY}h`
        : undefined;
    case 'month':
    case 'day of week':
      return undefined;
  }
}

/** The maximum step for which a duration is suggested. */
const MAX_STEP = 10_000;

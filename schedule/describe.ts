/**
 * Describes a schedule in English. Equivalent expressions have the same description, because the description uses only
 * the parsed values. docs/adr/0009-words.md explains why this file does not use the library cronstrue.
 */
import { daysInMonth } from './calendar.ts';
import type { CronFields } from './cron-fields.ts';

/**
 * Examples: `At 06:30 on days 1 and 15 of the month or Monday to Friday (either is enough), in March`, `Never: at 00:00 on
 * day 31 of the month, in February`.
 */
export function describeFields(fields: CronFields): string {
  const time = describeTime(fields);
  const days = describeDays(fields) ?? (isFullRange(fields.hours, 24) ? undefined : 'every day');
  const months = isFullRange(fields.months, 12) ? undefined : describeNames('in', fields.months, MONTHS);
  const hasCommaAfterTime = !shouldListTimes(fields) || !/^(?:on|every) /.test(days ?? '');
  const timeAndDays = days === undefined ? time : `${time}${hasCommaAfterTime ? ', ' : ' '}${days}`;
  const description = months === undefined ? timeAndDays : `${timeAndDays}, ${months}`;
  return hasExistingDay(fields) ? description : `Never: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
}

/**
 * Examples: `Every hour`, `Every 1 hour 30 minutes`.
 * @param periodMs A multiple of 1000.
 */
export function describePeriod(periodMs: number): string {
  const units = [
    ['hour', 3_600_000, Number.POSITIVE_INFINITY],
    ['minute', 60_000, 60],
    ['second', 1000, 60],
  ] as const;
  const terms = units
    .map(([unit, ms, limit]) => ({ unit, count: Math.floor(periodMs / ms) % limit }))
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return `Every ${terms.join(' ').replace(/^1 (\w+)$/, '$1')}`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  '', // the numbers of months start at 1
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** The maximum number of times of day that a description lists individually. */
const MAX_LISTED_TIMES = 4;
/** The minimum number of values that are described by their step, as in `every 7th minute from 0 to 56`. */
const MIN_STEP_VALUES = 5;
/** The minimum number of consecutive values that are described as a range, as in `10 to 20`. */
const MIN_RANGE_VALUES = 3;

function shouldListTimes({ minutes, hours }: CronFields): boolean {
  return minutes.length * hours.length <= MAX_LISTED_TIMES;
}

function describeTime(fields: CronFields): string {
  const { minutes, hours } = fields;
  if (shouldListTimes(fields)) {
    const times = hours.flatMap((hour) => minutes.map((minute) => `${padToTwoDigits(hour)}:${padToTwoDigits(minute)}`));
    return `At ${joinWithAnd(times)}`;
  }
  const hourPhrase = isFullRange(hours, 24) ? '' : ` of ${describeValues('hour', hours)}`;
  const firstMinute = minutes[0] ?? 0;
  const step = findStepAcrossHours(minutes);
  if (step === 1) return `Every minute${hourPhrase}`;
  if (step !== undefined && firstMinute === 0) return `Every ${step} minutes${hourPhrase}`;
  if (step !== undefined && hourPhrase === '') return `Every ${step} minutes from minute ${firstMinute} of the hour`;
  return `At ${describeValues('minute', minutes)}${hourPhrase === '' ? ' of every hour' : hourPhrase}`;
}

/** Returns a phrase such as `on day 1 of the month`, or `undefined` if the schedule runs every day. */
function describeDays(fields: CronFields): string | undefined {
  const { daysOfMonth, daysOfWeek, isDayOfMonthStar, isDayOfWeekStar } = fields;
  const dayOfMonthPhrase = `on ${describeValues('day', daysOfMonth)} of the month`;
  const dayOfWeekPhrase = describeNames('on', daysOfWeek, WEEKDAYS);
  if (!isDayOfMonthStar && !isDayOfWeekStar) return `${dayOfMonthPhrase} or ${dayOfWeekPhrase} (either is enough)`;
  if (!isFullRange(daysOfMonth, 31)) return dayOfMonthPhrase;
  return isFullRange(daysOfWeek, 7) ? undefined : dayOfWeekPhrase;
}

const LEAP_YEAR = 2000;

/** Returns false for days that no month of the schedule has, such as 31 February. */
function hasExistingDay({ daysOfMonth, months, isDayOfWeekStar }: CronFields): boolean {
  return !isDayOfWeekStar || months.some((month) => (daysOfMonth[0] ?? 0) <= daysInMonth(LEAP_YEAR, month));
}

/** Returns the step between the minutes, if the step to the first minute of the next hour is the same. */
function findStepAcrossHours(minutes: readonly number[]): number | undefined {
  const step = findStep([...minutes, (minutes[0] ?? 0) + 60]);
  return step === 60 ? undefined : step;
}

/** Examples: `minute 5`, `days 1, 2 and 10 to 20`, `every 7th minute from 0 to 56`. */
function describeValues(unit: string, values: readonly number[]): string {
  if (values.length === 1) return `${unit} ${values[0]}`;
  const step = findStep(values);
  if (step === undefined || step === 1 || values.length < MIN_STEP_VALUES) return `${unit}s ${formatValues(values)}`;
  return `every ${toOrdinal(step)} ${unit} from ${values[0]} to ${values.at(-1)}`;
}

/** Examples: `on Monday`, `on Monday and Friday`, `Monday to Friday`. A range has no preposition. */
function describeNames(preposition: string, values: readonly number[], names: readonly string[]): string {
  const text = formatValues(values, names);
  return text.includes(' to ') ? text : `${preposition} ${text}`;
}

/** Examples: `1, 2 and 10 to 20`, `Monday to Friday`. */
function formatValues(values: readonly number[], names: readonly string[] = []): string {
  const formatValue = (value: number | undefined) => names[value ?? 0] ?? String(value);
  const ranges = groupConsecutive(values).flatMap((group) =>
    group.length >= MIN_RANGE_VALUES
      ? [`${formatValue(group[0])} to ${formatValue(group.at(-1))}`]
      : group.map(formatValue),
  );
  return joinWithAnd(ranges);
}

function groupConsecutive(values: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const value of values) {
    const group = groups.at(-1);
    if (group?.at(-1) === value - 1) group.push(value);
    else groups.push([value]);
  }
  return groups;
}

/** Returns the difference between consecutive values, if the difference is constant. */
function findStep(values: readonly number[]): number | undefined {
  const [first = 0, second = 0] = values;
  const step = second - first;
  return values.every((value, index) => value === first + index * step) ? step : undefined;
}

function isFullRange(values: readonly number[], count: number): boolean {
  return values.length === count;
}

function joinWithAnd(phrases: readonly string[]): string {
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`;
}

function toOrdinal(step: number): string {
  const suffixes: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
  const isTeen = step >= 11 && step <= 13;
  return `${step}${(isTeen ? undefined : suffixes[step % 10]) ?? 'th'}`;
}

function padToTwoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

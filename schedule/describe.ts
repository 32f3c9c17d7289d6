/**
 * Describes a schedule in words. It uses the values of the fields instead of the text, so that two spellings of one
 * schedule read the same and no spelling is misread. Why not cronstrue: docs/adr/0009-words.md.
 */
import type { CronFields } from './cron-fields.ts';

/** `At 06:30 on days 1 and 15 of the month or on Monday to Friday (either is enough), in March`. Exact rather than pretty. */
export function describeFields(fields: CronFields): string {
  const time = describeTime(fields);
  const days = describeDays(fields) ?? (isEvery(fields.hours, 24) ? undefined : 'every day');
  const timeAndDays = days === undefined ? time : `${time}${listsTimes(fields) ? ' ' : ', '}${days}`;
  return isEvery(fields.months, 12) ? timeAndDays : `${timeAndDays}, in ${formatValues(fields.months, MONTHS)}`;
}

/**
 * `Every hour`, `Every 1 hour 30 minutes`; the caller adds the start of the count.
 * @param periodMs Whole seconds.
 */
export function describePeriod(periodMs: number): string {
  const units = [
    ['hour', 3_600_000, Number.POSITIVE_INFINITY],
    ['minute', 60_000, 60],
    ['second', 1000, 60],
  ] as const;
  const parts = units
    .map(([unit, ms, limit]) => ({ unit, count: Math.floor(periodMs / ms) % limit }))
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return `Every ${parts.join(' ').replace(/^1 (\w+)$/, '$1')}`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  '', // months count from 1
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

/** Up to this many times of day are listed; more are described by minutes and hours. */
const MAX_LISTED_TIMES = 4;
/** From this many values on, a list with equal steps is described by its step. */
const MIN_STEP_VALUES = 5;
/** From this many consecutive values on, a list is described by its first and last. */
const MIN_RANGE_VALUES = 3;

function listsTimes({ minutes, hours }: CronFields): boolean {
  return minutes.length * hours.length <= MAX_LISTED_TIMES;
}

function describeTime(fields: CronFields): string {
  const { minutes, hours } = fields;
  if (listsTimes(fields)) {
    const clock = hours.flatMap((hour) => minutes.map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`));
    return `At ${joinWithAnd(clock)}`;
  }
  const hourWords = isEvery(hours, 24) ? '' : ` of ${describeValues('hour', hours)}`;
  const first = minutes[0] ?? 0;
  const step = stepAroundTheHour(minutes);
  if (step === 1) return `Every minute${hourWords}`;
  if (step !== undefined && first === 0) return `Every ${step} minutes${hourWords}`;
  if (step !== undefined && hourWords === '') return `Every ${step} minutes from minute ${first} of the hour`;
  return `At ${describeValues('minute', minutes)}${hourWords === '' ? ' of every hour' : hourWords}`;
}

/** `undefined` when the days are not restricted. */
function describeDays(fields: CronFields): string | undefined {
  const { daysOfMonth, daysOfWeek, isDayOfMonthStar, isDayOfWeekStar } = fields;
  const dayOfMonthWords = `on ${describeValues('day', daysOfMonth)} of the month`;
  const dayOfWeekWords = `on ${formatValues(daysOfWeek, WEEKDAYS)}`;
  if (!isDayOfMonthStar && !isDayOfWeekStar) return `${dayOfMonthWords} or ${dayOfWeekWords} (either is enough)`;
  if (!isEvery(daysOfMonth, 31)) return dayOfMonthWords;
  return isEvery(daysOfWeek, 7) ? undefined : dayOfWeekWords;
}

/** Returns the step of minutes whose step continues from one hour to the next. */
function stepAroundTheHour(minutes: readonly number[]): number | undefined {
  const step = findStep([...minutes, (minutes[0] ?? 0) + 60]);
  return step === 60 ? undefined : step;
}

/** `minute 5`, `days 1, 2 and 10 to 20`, `every 7th minute from 0 to 56`. */
function describeValues(unit: string, values: readonly number[]): string {
  if (values.length === 1) return `${unit} ${values[0]}`;
  const step = findStep(values);
  if (step === undefined || step === 1 || values.length < MIN_STEP_VALUES) return `${unit}s ${formatValues(values)}`;
  return `every ${ordinal(step)} ${unit} from ${values[0]} to ${values.at(-1)}`;
}

/** `1, 2 and 10 to 20`, with names if there are any. */
function formatValues(values: readonly number[], names: readonly string[] = []): string {
  const formatValue = (value: number | undefined) => names[value ?? 0] ?? String(value);
  const runs = groupConsecutive(values).flatMap((run) =>
    run.length >= MIN_RANGE_VALUES ? [`${formatValue(run[0])} to ${formatValue(run.at(-1))}`] : run.map(formatValue),
  );
  return joinWithAnd(runs);
}

function groupConsecutive(values: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run?.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs;
}

/** Returns the distance between neighbours if it is constant. */
function findStep(values: readonly number[]): number | undefined {
  const [first = 0, second = 0] = values;
  const step = second - first;
  return values.every((value, index) => value === first + index * step) ? step : undefined;
}

function isEvery(values: readonly number[], count: number): boolean {
  return values.length === count;
}

function joinWithAnd(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function ordinal(step: number): string {
  const suffixes: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
  const isTeen = step >= 11 && step <= 13;
  return `${step}${(isTeen ? undefined : suffixes[step % 10]) ?? 'th'}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CronFields } from './cron-fields.ts';
import { describeFields, describePeriod } from './describe.ts';
import { parseExpression } from './expression.ts';

function wordsOf(text: string): string {
  return describeFields(fieldsOf(text));
}

function fieldsOf(text: string): CronFields {
  const expression = parseExpression(text);
  if (expression.kind !== 'cron') throw new Error(`not five fields: ${JSON.stringify(expression)}`);
  return expression.fields;
}

describe('says in words', () => {
  test.each([
    ['* * * * *', 'Every minute'],
    ['0-59 */1 ? * ?', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0,30 * * * *', 'Every 30 minutes'],
    ['5/15 * * * *', 'Every 15 minutes from minute 5 of the hour'],
    ['*/45 * * * *', 'At minutes 0 and 45 of every hour'],
    ['*/7 * * * *', 'At every 7th minute from 0 to 56 of every hour'],
    ['7/90 * * * *', 'At minute 7 of every hour'],
    ['10-20,*/7 * * * *', 'At minutes 0, 7, 10 to 21, 28, 35, 42, 49 and 56 of every hour'],
    ['@hourly', 'At minute 0 of every hour'],
    ['@daily', 'At 00:00 every day'],
    ['@weekly', 'At 00:00 on Sunday'],
    ['@monthly', 'At 00:00 on day 1 of the month'],
    ['@yearly', 'At 00:00 on day 1 of the month, in January'],
    ['30 2 * * *', 'At 02:30 every day'],
    ['0,30 9,17 * * *', 'At 09:00, 09:30, 17:00 and 17:30 every day'],
    ['0 9-17 * * mon-fri', 'At minute 0 of hours 9 to 17, on Monday to Friday'],
    ['5/15 9-17 * * *', 'At minutes 5, 20, 35 and 50 of hours 9 to 17, every day'],
    ['0 */2 * * *', 'At minute 0 of every 2nd hour from 0 to 22, every day'],
    ['* 9 * * *', 'Every minute of hour 9, every day'],
    ['*/5 22,23,0-4 * * *', 'Every 5 minutes of hours 0 to 4, 22 and 23, every day'],
    ['*/10 * 1 * *', 'Every 10 minutes, on day 1 of the month'],
    ['* * * 6-8 *', 'Every minute, in June to August'],
    ['0 0 */3 * *', 'At 00:00 on every 3rd day from 1 to 31 of the month'],
    ['0 0 1/11 * *', 'At 00:00 on days 1, 12 and 23 of the month'],
    ['0 0 29 2 *', 'At 00:00 on day 29 of the month, in February'],
    ['0 0 * jan-mar/2 0/2', 'At 00:00 on Sunday, Tuesday, Thursday and Saturday, in January and March'],
  ])('%s: %s', (text, words) => {
    expect(wordsOf(text)).toBe(words);
  });
});

describe('says by which of the two day fields a day is chosen', () => {
  test.each([
    ['30 6 1,15 * 1-5', 'At 06:30 on days 1 and 15 of the month or on Monday to Friday (either is enough)'],
    ['30 6 1,15 3 1-5', 'At 06:30 on days 1 and 15 of the month or on Monday to Friday (either is enough), in March'],
    ['0 0 */2 * 1', 'At 00:00 on every 2nd day from 1 to 31 of the month or on Monday (either is enough)'],
    ['0 0 1-31 * 1', 'At 00:00 on days 1 to 31 of the month or on Monday (either is enough)'],
    ['0 0 */1 * 1', 'At 00:00 on Monday'],
    ['0 0 ? * 1', 'At 00:00 on Monday'],
    ['0 0 1,* * 1', 'At 00:00 on Monday'],
    ['0 0 1-31 * *', 'At 00:00 every day'],
    ['0 0 13 * 0-6/1', 'At 00:00 on day 13 of the month or on Sunday to Saturday (either is enough)'],
    ['0 0 13 * 5,*', 'At 00:00 on day 13 of the month'],
  ])('%s: %s', (text, words) => {
    expect(wordsOf(text)).toBe(words);
  });
});

test.each([
  ['1s', 'Every second'],
  ['60m', 'Every hour'],
  ['90m', 'Every 1 hour 30 minutes'],
  ['90s', 'Every 1 minute 30 seconds'],
  ['26h0m1s', 'Every 26 hours 1 second'],
])('@every %s: %s', (duration, words) => {
  const expression = parseExpression(`@every ${duration}`);
  expect(expression.kind === 'every' && describePeriod(expression.periodMs)).toBe(words);
});

test('the words of any fields say all that the fields do', () => {
  const someOf = (min: number, max: number) => {
    const stepped = fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: max - min + 1 }))
      .map(([a, b, step]) => span(Math.min(a, b), Math.max(a, b), step));
    return fc.oneof(fc.constant(span(min, max, 1)), stepped, fc.subarray(span(min, max, 1), { minLength: 1 }));
  };
  const fields = fc.record({
    minutes: someOf(0, 59),
    hours: someOf(0, 23),
    daysOfMonth: someOf(1, 31),
    months: someOf(1, 12),
    daysOfWeek: someOf(0, 6),
  });
  fc.assert(
    fc.property(fields, fc.boolean(), fc.boolean(), (sets, isDayOfMonthStar, isDayOfWeekStar) => {
      const given = {
        ...sets,
        ...(isDayOfMonthStar ? { daysOfMonth: span(1, 31, 1) } : {}),
        ...(isDayOfWeekStar ? { daysOfWeek: span(0, 6, 1) } : {}),
        isDayOfMonthStar,
        isDayOfWeekStar,
      };
      expect(understood(describeFields(given))).toEqual(meaningOf(given));
    }),
    { numRuns: 300 },
  );
});

interface Meaning {
  readonly minutesOfDay: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly daysOfWeek: readonly number[];
  readonly isEitherEnough: boolean;
  readonly months: readonly number[];
}

function meaningOf({ minutes, hours, isDayOfMonthStar, isDayOfWeekStar, ...days }: CronFields): Meaning {
  const minutesOfDay = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  return { minutesOfDay, ...days, isEitherEnough: !isDayOfMonthStar && !isDayOfWeekStar };
}

const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const MONTHS = 'x January February March April May June July August September October November December'.split(' ');

/** What a reader takes from the words. */
function understood(words: string): Meaning {
  const [, time = '', days = '', months] = /^(.*?)(?:,? (every day|on .*?))?(?:, in (.*))?$/.exec(words) ?? [];
  const ofMonth = /on (?:days? )?((?:every .*|[\d, and to]+)) of the month/.exec(days)?.[1];
  const ofWeek = /on ([A-Z].*?)(?: \(|$)/.exec(days)?.[1];
  return {
    minutesOfDay: timesIn(time),
    daysOfMonth: ofMonth ? valuesIn(ofMonth) : span(1, 31, 1),
    daysOfWeek: ofWeek ? valuesIn(ofWeek, WEEKDAYS) : span(0, 6, 1),
    isEitherEnough: days.endsWith('(either is enough)'),
    months: months ? valuesIn(months, MONTHS) : span(1, 12, 1),
  };
}

function timesIn(words: string): readonly number[] {
  const clock = [...words.matchAll(/(\d\d):(\d\d)/g)].map(([, hour, minute]) => Number(hour) * 60 + Number(minute));
  if (clock.length > 0) return clock;
  const [, step, from] = /^Every (?:(\d+) minutes|minute)(?: from minute (\d+) of the hour)?/.exec(words) ?? [];
  const listed = /^At (?:minutes? )?(.*?) of (?:every hour$|hour|every)/.exec(words)?.[1];
  const minutes = listed ? valuesIn(listed) : span(Number(from ?? 0), 59, Number(step ?? 1));
  const ofHours = / of (?:hours? )?([\d, and to]+|every \d+\w\w hour from .*)$/.exec(words)?.[1];
  const hours = ofHours ? valuesIn(ofHours) : span(0, 23, 1);
  return hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
}

function valuesIn(words: string, names: readonly string[] = []): readonly number[] {
  const [, step, first, last] = /^every (\d+)\w\w \w+ from (\d+) to (\d+)$/.exec(words) ?? [];
  if (step !== undefined) return span(Number(first), Number(last), Number(step));
  const numberOf = (word: string) => (names.includes(word) ? names.indexOf(word) : Number(word));
  return words.split(/, | and /).flatMap((part) => {
    const [start = '', end = start] = part.split(' to ');
    return span(numberOf(start), numberOf(end), 1);
  });
}

function span(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

/** The errors of the webhook for the fields that define the scheduled times. The CRD cannot check schedules and calendar dates. */
import { describe, expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJobSpec } from './cronjob-types.ts';
import { validateCronJob } from './cronjob-validation.ts';

type Fields = Readonly<Record<string, unknown>>;

function validate(spec: Fields) {
  return validateCronJob(cronJob(spec as Partial<CronJobSpec>));
}

/** Returns a list that has the element so many times. */
const times = (count: number, element: unknown): readonly unknown[] => Array.from({ length: count }, () => element);

const [JANUARY_1, JANUARY_2] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const BAD_MINUTE = 'Invalid value: "61 * * * *": minute must be 0-59, not "61"';
const ONE_FORM = 'Invalid value: "object": give exactly one of: startTime and endTime, dates, schedule';
const WINDOW = 'Invalid value: "object": endTime must be after startTime; change one of them';

type Row = readonly [spec: Fields, field: string, message: string];

const SCHEDULE_ROWS: readonly Row[] = [
  [{ schedules: ['0 1 * * *', '61 * * * *'] }, 'spec.schedules[1]', BAD_MINUTE],
  [
    { schedules: [''] },
    'spec.schedules[0]',
    'Invalid value: "": must have 5 fields (minute, hour, day of month, month, day of week), not 0',
  ],
  [{ schedules: [1] }, 'spec.schedules[0]', 'Invalid value: 1: must be of type string'],
  [{ schedules: ['*'.repeat(1025)] }, 'spec.schedules[0]', 'Too long: may not be more than 1024 characters'],
  [{ schedules: times(11, '@daily') }, 'spec.schedules', 'Too many: 11: must have at most 10 items'],
  [{ startTime: JANUARY_2, endTime: JANUARY_1 }, 'spec', WINDOW],
  [{ startTime: JANUARY_1, endTime: JANUARY_1 }, 'spec', WINDOW],
  [
    { startTime: 'tomorrow' },
    'spec.startTime',
    'Invalid value: "tomorrow": must be of type date-time; give a time such as 2026-01-02T15:04:05Z',
  ],
  [
    { daylightSaving: { skippedTimes: 'Run' } },
    'spec.daylightSaving.skippedTimes',
    'Unsupported value: "Run": supported values: "Skip", "RunAfter"',
  ],
  [
    { daylightSaving: { repeatedTimes: 'Skip' } },
    'spec.daylightSaving.repeatedTimes',
    'Unsupported value: "Skip": supported values: "RunTwice", "RunOnce"',
  ],
];

const EXCLUSION_ROWS: readonly Row[] = [
  [{ dates: ['2026-02-30'] }, '.dates[0]', 'Invalid value: "2026-02-30": give a date such as 2026-12-25'],
  [{ dates: [] }, '.dates', 'Invalid value: "array": should have at least 1 items'],
  [{ dates: times(367, '2026-12-25') }, '.dates', 'Too many: 367: must have at most 366 items'],
  [
    { schedule: '@every 1h' },
    '.schedule',
    'Invalid value: "@every 1h": an exclusion cannot use @every; give five fields',
  ],
  [{ schedule: '61 * * * *' }, '.schedule', BAD_MINUTE],
  [{}, '', ONE_FORM],
  [{ startTime: JANUARY_1 }, '', ONE_FORM],
  [{ endTime: JANUARY_1 }, '', ONE_FORM],
  [{ dates: ['2026-12-25'], schedule: '* 2 * * *' }, '', ONE_FORM],
  [{ startTime: JANUARY_2, endTime: JANUARY_1 }, '', WINDOW],
  [{ startTime: 'tomorrow', endTime: JANUARY_1 }, '.startTime', 'Invalid value: "tomorrow": must be of type date-time'],
  [{ schedule: '* 2 * * *', reason: 'x'.repeat(129) }, '.reason', 'Too long: may not be more than 128 bytes'],
];

describe('refuses', () => {
  test.each(SCHEDULE_ROWS)('%j, at %s', (spec, field, message) => {
    expect(validate(spec)).toEqual([expect.objectContaining({ field, message })]);
  });

  test.each(EXCLUSION_ROWS)('the exclusion %j, at %j', (exclusion, field, message) => {
    expect(validate({ exclude: [{ dates: ['2026-12-25'] }, exclusion] })).toEqual([
      expect.objectContaining({ field: `spec.exclude[1]${field}`, message }),
    ]);
  });

  test('more than fifty exclusions', () => {
    expect(validate({ exclude: times(51, { schedule: '* 2 * * *' }) })).toEqual([
      expect.objectContaining({ field: 'spec.exclude', message: 'Too many: 51: must have at most 50 items' }),
    ]);
  });
});

test.each<Fields>([
  { schedules: ['@every 90m', ...times(9, '@daily')] },
  { startTime: JANUARY_1, endTime: JANUARY_2 },
  { startTime: JANUARY_2 },
  { endTime: JANUARY_1 },
  { daylightSaving: {} },
  { daylightSaving: { skippedTimes: 'RunAfter', repeatedTimes: 'RunOnce' } },
  { exclude: times(50, { schedule: '* 2-3 * * 0', reason: 'x'.repeat(128) }) },
  { exclude: [{ dates: times(366, '2028-02-29') }, { startTime: JANUARY_1, endTime: JANUARY_2 }] },
])('accepts %j', (spec) => {
  expect(validate(spec)).toEqual([]);
});

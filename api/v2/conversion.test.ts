import { checkConversions } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { CronJob as CronJobV1 } from '../v1/cronjob-types.ts';
import { API_VERSION } from '../v1/groupversion.ts';
import { SCHEDULE_ANNOTATION } from './conversion.ts';
import { CronJob, type CronJobV2 } from './cronjob-types.ts';

const { v2 } = CronJob.versions;
const NOTE = { 'example.com/note': 'kept' };

/** Only the fields that the conversions use, and an unknown field. */
function createV1(schedule: unknown, annotations: Readonly<Record<string, string>> = NOTE): CronJobV1 {
  const metadata = { name: 'a', namespace: 'b', labels: { app: 'a' }, annotations };
  const spec = { schedule, unknown: { field: 1 } };
  return { apiVersion: API_VERSION, kind: 'CronJob', metadata, spec } as unknown as CronJobV1;
}

function createV2(schedule: unknown, annotations = NOTE): CronJobV2 {
  return { ...createV1(schedule, annotations), apiVersion: v2.fromHub(createV1('')).apiVersion } as never;
}

test('conversions lose nothing', async () => {
  const schedules = ['0 5 * * 1-5', '* * * * *', '@daily', '@every 5m', '0  5 * * *', ' 0 5 ? * *'];
  const exclusions = [
    { schedule: '* 2-3 * * 0' },
    { dates: ['2026-12-25'] },
    { startTime: '2026-12-24T00:00:00Z', endTime: '2026-12-27T00:00:00Z' },
  ];
  const others = {
    'spec.timeZone': ['Europe/Berlin'],
    'spec.schedules[]': schedules,
    'spec.exclude[]': exclusions,
  };
  const parts = {
    'spec.schedule.minute': ['*', '0', '*/15', `${'0,'.repeat(101)}59`],
    'spec.schedule.hour': ['*', '0-5', '?'],
    'spec.schedule.dayOfMonth': ['*', '1'],
    'spec.schedule.month': ['*', 'JAN,2'],
    'spec.schedule.dayOfWeek': ['*', 'MON-FRI'],
    'spec.schedule.expression': schedules,
  };
  await checkConversions(CronJob, {
    values: { v1: { ...others, 'spec.schedule': schedules }, v2: { ...others, ...parts } },
  });
});

describe('a text of v1 is in v2', () => {
  const tooLong = `${'0'.repeat(205)} * * * *`;
  const whole = [
    '@hourly',
    '@every 5m',
    '0  5 * * *',
    ' 0 5 * * *',
    '0 5 * * *\n',
    'CRON_TZ=UTC 0 5 * * *',
    '0 5 * *',
    '',
    tooLong,
  ];

  test.each<readonly [text: string, schedule: object]>([
    ['0 5 * * 1-5', { minute: '0', hour: '5', dayOfWeek: '1-5' }],
    ['* * * * *', {}],
    ['1 2 3 4 5', { minute: '1', hour: '2', dayOfMonth: '3', month: '4', dayOfWeek: '5' }],
    ...whole.map((expression) => [expression, { expression }] as const),
  ])('%j', (text, schedule) => {
    expect(v2.fromHub(createV1(text))).toEqual(createV2(schedule));
    expect(v2.toHub(createV2(schedule))).toEqual(createV1(text));
  });
});

describe('v1 keeps in an annotation what its text cannot express', () => {
  test.each([
    [{ minute: '0', hour: '*' }, '0 * * * *'],
    [{ expression: '0 5 * * *' }, '0 5 * * *'],
    [{ minute: '5', unknown: 'field' }, '5 * * * *'],
  ])('%j', (schedule, text) => {
    const stored = createV1(text, { ...NOTE, [SCHEDULE_ANNOTATION]: JSON.stringify(schedule) });
    expect(v2.toHub(createV2(schedule))).toEqual(stored);
    expect(v2.fromHub(stored)).toEqual(createV2(schedule));
  });

  test.each(['{"hour":"*"}', '{"hour":5}', '[]', 'null', '7', 'not JSON'])(
    '%j does not match the text',
    (annotation) => {
      const changed = createV1('30 * * * *', { ...NOTE, [SCHEDULE_ANNOTATION]: annotation });
      expect(v2.fromHub(changed)).toEqual(createV2({ minute: '30' }));
    },
  );

  test('and nothing else, so an object without annotations has none', () => {
    const { labels: _, annotations: __, ...metadata } = createV1('').metadata;
    const bare = { ...createV1('0 * * * *'), metadata } as CronJobV1;
    expect(v2.toHub(v2.fromHub(bare))).toEqual(bare);
    const explicit = { ...createV2({ hour: '*' }), metadata } as CronJobV2;
    expect(v2.fromHub(v2.toHub(explicit))).toEqual(explicit);
  });
});

test('an incomplete object of server-side apply has no schedule in the other version either', () => {
  expect(v2.toHub(createV2(undefined))).toEqual(createV1(undefined));
  expect(v2.fromHub(createV1(undefined))).toEqual(createV2(undefined));
});

describe('a wrong type is refused with the name of the field', () => {
  test.each([
    ['0 5 * * *', 'spec.schedule: Invalid value: "0 5 * * *": must be of type object'],
    [{ minute: 0 }, 'spec.schedule.minute: Invalid value: 0: must be of type string'],
    [{ expression: 5 }, 'spec.schedule.expression: Invalid value: 5: must be of type string'],
  ])('%j', (schedule, message) => {
    expect(() => v2.toHub(createV2(schedule))).toThrow(message);
  });
});

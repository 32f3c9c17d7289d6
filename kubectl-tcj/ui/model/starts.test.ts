import { expect, test } from 'vitest';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { busiestOf, columnsOf, StartCounter } from './starts.ts';

const NOW = new Date(at('10:07:30'));
const ms = (time: string) => Date.parse(at(time));
const RANGE = { fromMs: ms('10:07:00'), untilMs: ms('12:00:00') };

function counted(specs: readonly Parameters<typeof cronJob>[0][], range = RANGE) {
  const counter = new StartCounter();
  counter.range = range;
  const cronJobs = specs.map((spec) => cronJob(spec));
  for (const each of cronJobs) counter.learn(each);
  return counter.of(cronJobs, NOW);
}

/** In the form `minute: starts`. */
function minutes({ firstMs, counts }: ReturnType<typeof counted>): readonly string[] {
  return [...counts].flatMap((count, minute) =>
    count === 0 ? [] : [`${new Date(firstMs + minute * 60_000).toISOString().slice(11, 16)}: ${count}`],
  );
}

test('adds up what starts in each minute', () => {
  const starts = counted([{ schedule: '0 * * * *' }, { schedule: '*/30 * * * *' }]);
  expect(minutes(starts)).toEqual(['10:30: 1', '11:00: 2', '11:30: 1']);
  expect(busiestOf(starts)).toEqual({ atMs: ms('11:00:00'), starts: 2 });
});

test('counts each start of a schedule of seconds', () => {
  const until = { ...RANGE, untilMs: ms('10:10:00') };
  expect(minutes(counted([{ schedule: '@every 20s' }], until))).toEqual(['10:08: 3', '10:09: 3']);
});

test('leaves out what is suspended, for as long as it is', () => {
  expect(minutes(counted([{ suspend: true }]))).toEqual([]);
  expect(minutes(counted([{ schedule: '*/30 * * * *', suspendUntil: at('11:00:00') }]))).toEqual([
    '11:00: 1',
    '11:30: 1',
  ]);
});

test('knows one schedule for all that share it, in the same zone', () => {
  const counter = new StartCounter();
  counter.range = RANGE;
  counter.learn(cronJob({ timeZone: 'Europe/Berlin' }));
  expect(counter.knows(cronJob({ timeZone: 'Europe/Berlin', suspend: true }))).toBe(true);
  expect(counter.knows(cronJob({ timeZone: 'Asia/Tokyo' }))).toBe(false);
  counter.range = RANGE;
  expect(counter.knows(cronJob({ timeZone: 'Europe/Berlin' }))).toBe(true);
  counter.range = { ...RANGE, untilMs: ms('13:00:00') };
  expect(counter.knows(cronJob({ timeZone: 'Europe/Berlin' }))).toBe(false);
});

test('an interval counts from when it took effect', () => {
  const every = (since: string) =>
    cronJob({ schedule: '@every 1h' }, { effectiveSchedule: { schedule: '', timeZone: '', since } });
  const counter = new StartCounter();
  counter.range = RANGE;
  counter.learn(every(at('00:10:00')));
  expect(counter.knows(every(at('00:20:00')))).toBe(false);
});

test('puts minutes together to columns, and leaves out empty ones', () => {
  const starts = counted([{ schedule: '*/30 * * * *' }]);
  expect(columnsOf(starts, 2)).toEqual([
    { fromMs: ms('10:07:00'), untilMs: ms('11:04:00'), atMs: ms('10:30:00'), starts: 1 },
    { fromMs: ms('11:04:00'), untilMs: ms('12:01:00'), atMs: ms('11:30:00'), starts: 1 },
  ]);
  expect(columnsOf(starts, 7)).toHaveLength(3);
});

test('a column is as high as its busiest minute', () => {
  const starts = counted([{ schedule: '*/30 * * * *' }, { schedule: '0 * * * *' }]);
  expect(columnsOf(starts, 1)).toMatchObject([{ atMs: ms('11:00:00'), starts: 2 }]);
});

test('nothing is busiest where nothing starts', () => {
  expect(busiestOf(counted([]))).toBeUndefined();
});

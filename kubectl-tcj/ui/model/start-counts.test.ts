import { expect, test } from 'vitest';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { findBusiestMinute, groupIntoColumns, StartCounter } from './start-counts.ts';

const NOW = new Date(at('10:07:30'));
const ms = (time: string) => Date.parse(at(time));
const RANGE = { fromMs: ms('10:07:00'), untilMs: ms('12:00:00') };

function countStarts(specs: readonly Parameters<typeof cronJob>[0][], range = RANGE) {
  const counter = new StartCounter();
  counter.range = range;
  const cronJobs = specs.map((spec) => cronJob(spec));
  for (const item of cronJobs) counter.addSchedule(item);
  return counter.count(cronJobs, NOW);
}

/** In the form `minute: starts`. */
function formatMinutes({ firstMs, counts }: ReturnType<typeof countStarts>): readonly string[] {
  return [...counts].flatMap((count, minute) =>
    count === 0 ? [] : [`${new Date(firstMs + minute * 60_000).toISOString().slice(11, 16)}: ${count}`],
  );
}

test('adds up the starts of each minute', () => {
  const starts = countStarts([{ schedule: '0 * * * *' }, { schedule: '*/30 * * * *' }]);
  expect(formatMinutes(starts)).toEqual(['10:30: 1', '11:00: 2', '11:30: 1']);
  expect(findBusiestMinute(starts)).toEqual({ minuteMs: ms('11:00:00'), startCount: 2 });
});

test('counts each start of a schedule with an interval of seconds', () => {
  const until = { ...RANGE, untilMs: ms('10:10:00') };
  expect(formatMinutes(countStarts([{ schedule: '@every 20s' }], until))).toEqual(['10:08: 3', '10:09: 3']);
});

test('counts a start after its jitter', () => {
  // The UID has a delay of 533 seconds.
  expect(formatMinutes(countStarts([{ schedule: '30 * * * *', jitterSeconds: 1800 }]))).toEqual([
    '10:38: 1',
    '11:38: 1',
  ]);
});

test('a jitter moves no start beyond the next start', () => {
  expect(formatMinutes(countStarts([{ schedule: '30,35 * * * *', jitterSeconds: 1800 }]))).toEqual([
    ...['10:34: 1', '10:43: 1', '11:34: 1', '11:43: 1'],
  ]);
});

test('counts nothing with a deadline of 0', () => {
  expect(formatMinutes(countStarts([{ startingDeadlineSeconds: 0 }]))).toEqual([]);
});

test('counts a run that waits out its delay', () => {
  // The UID has a delay of 533 seconds.
  const waiting = cronJob({ jitterSeconds: 1800 }, { lastScheduleTime: at('09:00:00') });
  const started = cronJob({ jitterSeconds: 1800 }, { lastScheduleTime: at('10:00:00') });
  const counter = new StartCounter();
  counter.range = RANGE;
  for (const each of [waiting, started]) counter.addSchedule(each);
  expect(formatMinutes(counter.count([waiting, started], NOW))).toEqual(['10:08: 1', '11:08: 2']);
  expect(counter.findStarting([waiting, started], ms('10:08:00'), NOW)).toEqual([waiting]);
});

test('counts a run once at the second of its scheduled time', () => {
  const delayed = cronJob({ jitterSeconds: 1800 }, { lastScheduleTime: at('10:00:00') });
  const counter = new StartCounter();
  counter.range = { fromMs: ms('11:00:00'), untilMs: ms('12:00:00') };
  counter.addSchedule(delayed);
  expect(formatMinutes(counter.count([delayed], new Date(at('11:00:00'))))).toEqual(['11:08: 1']);
});

test('counts two CronJobs apart whose schedules differ only in their exclusions', () => {
  const exclude = [{ schedule: '* 10 * * *' }];
  expect(formatMinutes(countStarts([{ schedule: '30 * * * *' }, { schedule: '30 * * * *', exclude }]))).toEqual([
    '10:30: 1',
    '11:30: 2',
  ]);
});

test('finds the CronJobs that start in a minute', () => {
  const counter = new StartCounter();
  counter.range = RANGE;
  const [hourly, half] = [cronJob({ schedule: '0 * * * *' }), cronJob({ schedule: '30 * * * *' })];
  for (const each of [hourly, half]) counter.addSchedule(each);
  expect(counter.findStarting([hourly, half], ms('11:00:00'), NOW)).toEqual([hourly]);
});

test('leaves out suspended CronJobs until the end of the suspension', () => {
  expect(formatMinutes(countStarts([{ suspend: true }]))).toEqual([]);
  expect(formatMinutes(countStarts([{ schedule: '*/30 * * * *', suspendUntil: at('11:00:00') }]))).toEqual([
    '11:00: 1',
    '11:30: 1',
  ]);
});

test('caches a schedule for all CronJobs with the same schedule and zone', () => {
  const counter = new StartCounter();
  counter.range = RANGE;
  counter.addSchedule(cronJob({ timeZone: 'Europe/Berlin' }));
  expect(counter.hasSchedule(cronJob({ timeZone: 'Europe/Berlin', suspend: true }))).toBe(true);
  expect(counter.hasSchedule(cronJob({ timeZone: 'Asia/Tokyo' }))).toBe(false);
  counter.range = RANGE;
  expect(counter.hasSchedule(cronJob({ timeZone: 'Europe/Berlin' }))).toBe(true);
  counter.range = { ...RANGE, untilMs: ms('13:00:00') };
  expect(counter.hasSchedule(cronJob({ timeZone: 'Europe/Berlin' }))).toBe(false);
});

test('caches an interval by the time when it took effect', () => {
  const every = (since: string) =>
    cronJob({ schedule: '@every 1h' }, { effectiveSchedule: { schedule: '', timeZone: '', since } });
  const counter = new StartCounter();
  counter.range = RANGE;
  counter.addSchedule(every(at('00:10:00')));
  expect(counter.hasSchedule(every(at('00:20:00')))).toBe(false);
});

test('groups minutes into columns, and leaves out empty columns', () => {
  const starts = countStarts([{ schedule: '*/30 * * * *' }]);
  expect(groupIntoColumns(starts, 2)).toEqual([
    { fromMs: ms('10:07:00'), untilMs: ms('11:04:00'), minuteMs: ms('10:30:00'), startCount: 1 },
    { fromMs: ms('11:04:00'), untilMs: ms('12:01:00'), minuteMs: ms('11:30:00'), startCount: 1 },
  ]);
  expect(groupIntoColumns(starts, 7)).toHaveLength(3);
});

test('gives a column the height of its busiest minute', () => {
  const starts = countStarts([{ schedule: '*/30 * * * *' }, { schedule: '0 * * * *' }]);
  expect(groupIntoColumns(starts, 1)).toMatchObject([{ minuteMs: ms('11:00:00'), startCount: 2 }]);
});

test('finds no busiest minute without starts', () => {
  expect(findBusiestMinute(countStarts([]))).toBeUndefined();
});

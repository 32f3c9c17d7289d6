import { describe, expect, test } from 'vitest';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from './cronjob-types.ts';
import { compareStarts, listStarts } from './start-changes.ts';

/** The UID of the builder has a delay of 533 of 1,800 seconds, and of 12 of 60 seconds. */
const NOW = new Date(at('12:10:00'));
const DAY_MS = 86_400_000;
const span = { now: NOW, until: new Date(NOW.getTime() + DAY_MS), limit: 300 };
const clock = (time: Date) => time.toISOString().slice(5, 19).replace('01-01T', '').replace('01-02T', '+');

/** Each change as text: the slot, and the start if it differs. */
function compare(before: CronJob, edit: Partial<CronJobSpec>, options = span): readonly string[] {
  const { dropped, moved, added } = compareStarts(before, { ...before.spec, ...edit }, options);
  const withStart = (slot: Date, time: Date) =>
    slot.getTime() === time.getTime() ? clock(slot) : `${clock(slot)} at ${clock(time)}`;
  return [
    ...dropped.map(({ slot, time }) => `- ${withStart(slot, time)}`),
    ...moved.map((each) => `~ ${clock(each.slot)} ${clock(each.oldTime)} to ${clock(each.newTime)}`),
    ...added.map(({ slot, time }) => `+ ${withStart(slot, time)}`),
  ];
}

const daily = (spec: Partial<CronJobSpec> = {}, status?: CronJobStatus) =>
  cronJob({ schedule: '30 14 * * *', ...spec }, status);
const ranAt = (time: string): CronJobStatus => ({ lastScheduleTime: at(time) });

describe('an edit of one field', () => {
  test.each<[name: string, before: CronJob, edit: Partial<CronJobSpec>, want: readonly string[]]>([
    ['of the template changes no start', daily(), { jobTemplate: {} as CronJobSpec['jobTemplate'] }, []],
    ['of the deadline changes no start', daily(), { startingDeadlineSeconds: 60 }, []],
    ['to a deadline of 0 drops every start', daily(), { startingDeadlineSeconds: 0 }, ['- 14:30:00']],
    ['of the schedule drops and adds', daily(), { schedule: '0 15 * * *' }, ['- 14:30:00', '+ 15:00:00']],
    ['of the time zone drops and adds', daily(), { timeZone: 'Asia/Tokyo' }, ['- 14:30:00', '+ +05:30:00']],
    ['that adds a schedule adds its starts', daily(), { schedules: ['0 15 * * *'] }, ['+ 15:00:00']],
    ['to suspend drops every start', daily(), { suspend: true }, ['- 14:30:00']],
    ['to suspendUntil drops the starts before it', daily(), { suspendUntil: at('14:30:01') }, ['- 14:30:00']],
    ['to suspendUntil keeps a start at that time', daily(), { suspendUntil: at('14:30:00') }, []],
    ['to startTime drops the starts before it', daily(), { startTime: at('15:00:00') }, ['- 14:30:00']],
    ['to endTime drops the starts from it on', daily(), { endTime: at('14:30:00') }, ['- 14:30:00']],
    ['to exclude drops the excluded starts', daily(), { exclude: [{ dates: ['2026-01-01'] }] }, ['- 14:30:00']],
    ['to an invalid schedule drops every start', daily(), { schedule: 'now' }, ['- 14:30:00']],
    ['to jitter moves the starts', daily(), { jitterSeconds: 60 }, ['~ 14:30:00 14:30:00 to 14:30:12']],
  ])('%s', (_, before, edit, want) => expect(compare(before, edit)).toEqual(want));
});

test('a clock change of the horizon counts', () => {
  const now = new Date('2026-03-28T12:00:00Z');
  const before = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
  const { added, dropped } = compareStarts(
    before,
    { ...before.spec, daylightSaving: { skippedTimes: 'RunAfter' } },
    { now, until: new Date(now.getTime() + DAY_MS), limit: 10 },
  );
  expect([added.map(({ slot }) => slot.toISOString()), dropped]).toEqual([['2026-03-29T01:00:00.000Z'], []]);
});

describe('the jitter', () => {
  const waiting = cronJob({ schedule: '0 * * * *', jitterSeconds: 1800 }, ranAt('11:00:00'));
  const hour = { ...span, now: new Date(at('12:05:00')), until: new Date(at('13:00:00')) };

  test('of a slot that waits is part of the comparison', () => {
    expect(listStarts(waiting, hour).starts.map(({ time }) => clock(time))).toEqual(['12:08:53', '13:08:53']);
  });
  test('that becomes shorter starts a waiting slot now', () => {
    expect(compare(waiting, { jitterSeconds: 60 }, hour)).toEqual([
      '~ 12:00:00 12:08:53 to 12:05:00',
      '~ 13:00:00 13:08:53 to 13:00:12',
    ]);
  });
  test('of a slot that has run changes nothing', () => {
    const ran = { ...waiting, status: ranAt('12:00:00') };
    expect(compare(ran, { jitterSeconds: 60 }, hour)).toEqual(['~ 13:00:00 13:08:53 to 13:00:12']);
  });
  test('does not save a waiting slot from an edit of the schedule', () => {
    expect(compare(waiting, { schedule: '0,59 * * * *' }, hour)).toEqual([
      '- 12:00:00 at 12:08:53',
      '+ 12:59:00 at 12:59:59',
    ]);
  });
  test('is unknown without a UID', () => {
    const { uid: _, ...metadata } = waiting.metadata;
    const { starts } = listStarts({ ...waiting, metadata: metadata as CronJob['metadata'] }, hour);
    expect(starts.map(({ time }) => clock(time))).toEqual(['13:00:00']);
  });
});

describe('the end of a suspension', () => {
  test('starts the newest missed run', () => {
    const suspended = cronJob({ suspend: true }, ranAt('09:00:00'));
    const hour = { ...span, until: new Date(at('13:00:00')) };
    expect(compare(suspended, { suspend: false }, hour)).toEqual(['+ 12:00:00 at 12:10:00', '+ 13:00:00']);
    expect(compare(suspended, { suspend: false, startingDeadlineSeconds: 60 }, hour)).toEqual(['+ 13:00:00']);
    expect(compare(suspended, { suspend: false, schedule: '0 13 * * *' }, hour)).toEqual(['+ 13:00:00']);
  });
  test('starts the newest run whose delay has ended, and the run of the last slot after its delay', () => {
    const suspended = cronJob({ suspend: true, jitterSeconds: 1800 }, ranAt('09:00:00'));
    const hour = { ...span, now: new Date(at('12:05:00')), until: new Date(at('13:00:00')) };
    expect(compare(suspended, { suspend: false }, hour)).toEqual([
      ...['+ 11:00:00 at 12:05:00', '+ 12:00:00 at 12:08:53', '+ 13:00:00 at 13:08:53'],
    ]);
    expect(compare(suspended, { suspend: false, startingDeadlineSeconds: 3300 }, hour)).toEqual([
      ...['+ 12:00:00 at 12:08:53', '+ 13:00:00 at 13:08:53'],
    ]);
    expect(compare(suspended, { suspend: false, startingDeadlineSeconds: 3500 }, hour)).toHaveLength(3);
  });
  test('starts no missed run after more than 100 missed runs', () => {
    const suspended = cronJob({ schedule: '* * * * *', suspend: true }, ranAt('09:00:00'));
    expect(compare(suspended, { suspend: false }, { ...span, until: new Date(at('12:11:00')) })).toEqual([
      '+ 12:11:00',
    ]);
  });
  test('keeps the slots before suspendUntil void', () => {
    const suspended = daily({ schedule: '0 * * * *', suspendUntil: at('18:00:00') }, ranAt('11:00:00'));
    const hour = { ...span, until: new Date(at('13:00:00')) };
    expect(compare(suspended, { suspendUntil: at('12:05:00') }, hour)).toEqual(['+ 13:00:00']);
  });
});

test('a missed run after more excluded slots than the limit is not searched', () => {
  const exclude = [{ schedule: '*/2 * * * *' }, { schedule: '1-57/2 * * * *' }, { schedule: '59 0-7 * * *' }];
  const suspended = cronJob({ schedule: '* * * * *', exclude, suspend: true }, ranAt('10:00:00'));
  const minute = { ...span, until: new Date(at('12:11:00')) };
  expect(compare(suspended, { suspend: false }, minute)).toEqual(['+ 11:59:00 at 12:10:00']);
  expect(compare(suspended, { suspend: false }, { ...minute, limit: 100 })).toEqual([]);
});

test('@every counts from the edit', () => {
  const every = cronJob({ schedule: '@every 6h' }, {
    effectiveSchedule: { schedule: '@every 6h', timeZone: 'UTC', since: at('08:00:00') },
  } as CronJobStatus);
  expect(compare(every, { schedule: '@every 12h' })).toEqual([
    ...['- 14:00:00', '- 20:00:00', '- +02:00:00', '- +08:00:00'],
    ...['+ +00:10:00', '+ +12:10:00'],
  ]);
  expect(compare(every, { suspend: true })).toHaveLength(4);
});

test('each edit of a paused CronJob ends the pause, and no missed run starts', () => {
  const paused = cronJob({}, { ...ranAt('09:00:00'), paused: { reason: 'TooManyFailures', since: at('09:00:00') } });
  const hour = { ...span, until: new Date(at('13:00:00')) };
  expect(compare(paused, { jobTemplate: {} as CronJobSpec['jobTemplate'] }, hour)).toEqual(['+ 13:00:00']);
  expect(compare(paused, { schedule: '30 * * * *' }, hour)).toEqual(['+ 12:30:00']);
  expect(compare(paused, { suspend: true }, hour)).toEqual([]);
});

test('a schedule for every second is compared up to the limit only', () => {
  const { added, dropped, until } = compareStarts(
    cronJob({ schedule: '0 13 * * *' }),
    { ...cronJob().spec, schedule: '@every 1s' },
    { ...span, limit: 50 },
  );
  expect([added.length, dropped.length, until]).toEqual([50, 0, new Date(at('12:10:50'))]);
});

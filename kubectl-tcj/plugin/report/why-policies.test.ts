/** The explanations of CronJobs with a jitter, an end, exclusions and a queue. The core writes the statuses. */
import { expect, test } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { at } from '../../../test/support/cron-jobs.ts';
import { time, worldAfterReconciles } from '../../../test/support/reconciles-at.ts';
import { explainCronJob } from './why.ts';
import { explainTime } from './why-at.ts';

const DELAYED = worldAfterReconciles({ jitterSeconds: 3599 }, '01:00').cronJob;
const DELAYED_START = new Date(DELAYED.status?.nextStartTime ?? '');

test('a run that waits out its delay has a start, and is late only after it', () => {
  expect(DELAYED.status?.nextScheduleTime).toBe(at('01:00:00'));
  const delay =
    /The run of Thu 2026-01-01 01:00 UTC starts Thu 2026-01-01 01:\d\d:\d\d UTC \(in \S+\), after its delay \(spec\.jitterSeconds\)\.$/;
  expect(explainCronJob(DELAYED, time('01:00:30')).sentence).toMatch(delay);
  const { sentence } = explainTime(DELAYED, time('01:00'), { now: time('01:00:30') });
  expect(sentence).toMatch(/^Thu 2026-01-01 01:00 UTC \(30s ago\) has not run yet\. /);
  expect(sentence).toMatch(delay);
  const late = new Date(DELAYED_START.getTime() + 120_000);
  expect(explainCronJob(DELAYED, late).sentence).toMatch(/^The run of Thu 2026-01-01 01:00 UTC \(/);
});

test('after the end, no further run starts', () => {
  const ended = worldAfterReconciles(
    { endTime: at('02:30:00') },
    '01:00',
    '01:05 Complete',
    '02:00',
    '02:05 Complete',
    '02:30',
  );
  expect(explainCronJob(ended.cronJob, time('05:00')).sentence).toBe(
    'Nothing is wrong. The run of Thu 2026-01-01 02:00 UTC succeeded after 5m. ' +
      'No further run starts: spec.endTime was Thu 2026-01-01 02:30 UTC (150m ago).',
  );
  expect(explainTime(ended.cronJob, time('03:00'), { now: time('05:00') }).sentence).toBe(
    'Thu 2026-01-01 03:00 UTC is not before spec.endTime (Thu 2026-01-01 02:30 UTC): the previous time is ' +
      'Thu 2026-01-01 02:00 UTC. The run of Thu 2026-01-01 02:00 UTC succeeded after 5m.',
  );
});

test('before the start, no run starts', () => {
  const early = worldAfterReconciles({ startTime: at('02:30:00') }, '01:00');
  expect(explainTime(early.cronJob, time('01:00'), { now: time('01:10') }).sentence).toMatch(
    /^Thu 2026-01-01 01:00 UTC is before spec\.startTime \(Thu 2026-01-01 02:30 UTC\): the next time is Thu 2026-01-01 03:00 UTC\. /,
  );
});

const EXCLUDE: CronJobSpec['exclude'] = [{ reason: 'stocktaking', schedule: '* 2 * * *' }, { schedule: '* 4 * * *' }];

test.each([
  [
    '02:00',
    '02:10',
    'Thu 2026-01-01 02:00 UTC (10m ago) did not run, because its time is excluded (spec.exclude): stocktaking.',
  ],
  ['04:00', '02:10', 'Thu 2026-01-01 04:00 UTC (in 110m) will not run, because its time is excluded (spec.exclude).'],
  [
    '02:30',
    '05:00',
    'Thu 2026-01-01 02:30 UTC is not in its schedule (0 * * * *): the previous time is Thu 2026-01-01 02:00 UTC and the next time is ' +
      'Thu 2026-01-01 03:00 UTC. Thu 2026-01-01 02:00 UTC (3h ago) did not run, because its time is excluded (spec.exclude): stocktaking.',
  ],
  ['01:00', '02:10', 'The run of Thu 2026-01-01 01:00 UTC succeeded after 5m.'],
])('an excluded time has the reason of its exclusion: %s', (asked, now, sentence) => {
  const world = worldAfterReconciles({ exclude: EXCLUDE }, '01:00', '01:05 Complete', '02:00');
  expect(explainTime(world.cronJob, time(asked), { now: time(now) }).sentence).toBe(sentence);
});

test('a time that ran before its exclusion has its run', () => {
  const world = worldAfterReconciles({}, '01:00', '02:00', '02:05 Complete');
  world.edit({ exclude: EXCLUDE });
  expect(explainTime(world.cronJob, time('02:00'), { now: time('03:00') }).sentence).toMatch(
    /^The run of .* succeeded/,
  );
});

test('a run in a queue has its position', () => {
  const queue = worldAfterReconciles({ concurrencyPolicy: 'Queue' }, '01:00', '02:00', '03:00', '04:00').cronJob;
  const now = time('04:10');
  const waits = 'The run of Thu 2026-01-01 02:00 UTC waits for the active run to end (concurrencyPolicy Queue).';
  expect(explainCronJob(queue, now).sentence).toContain(` ${waits} 2 more runs wait after it. `);
  expect(explainTime(queue, time('04:00'), { now }).sentence).toMatch(
    /^Thu 2026-01-01 04:00 UTC \(10m ago\) has not run yet: it is number 3 of 3 waiting runs\. /,
  );
  expect(explainTime(queue, time('02:00'), { now }).sentence).toMatch(
    /^\S+ \S+ 02:00 UTC \(130m ago\) has not run yet\. /,
  );
});

test('a time between several schedules names all of them', () => {
  const { cronJob } = worldAfterReconciles({ schedules: ['15 * * * *', '@daily'] }, '01:00', '01:05 Complete');
  expect(explainTime(cronJob, time('01:10'), { now: time('01:12') }).sentence).toMatch(
    /^Thu 2026-01-01 01:10 UTC is not in its schedules \(0 \* \* \* \*; 15 \* \* \* \*; @daily\): the previous time is /,
  );
});

const ALL_EXCLUDED: Partial<CronJobSpec> = { exclude: [{ schedule: '* * * * *' }] };

test.each<readonly [name: string, spec: Partial<CronJobSpec>, change: RegExp, suspended: RegExp]>([
  [
    'all times are excluded',
    ALL_EXCLUDED,
    /^remove or shorten an entry of exclude$/,
    /spec\.exclude covers every time/,
  ],
  [
    'the deadline is 0',
    { startingDeadlineSeconds: 0 },
    /^increase or remove startingDeadlineSeconds$/,
    /Every run is too late to start: spec\.startingDeadlineSeconds is 0\./,
  ],
  [
    'no time is before the end',
    { endTime: at('00:30:00') },
    /^set a later endTime$/,
    /No time of the schedule is left before spec\.endTime \(.*\)\./,
  ],
  ['the schedule has no time', { schedule: '0 0 31 2 *' }, /^correct the schedule$/, /matches no time within/],
])('the advice names the field that prevents every run: %s', (_, spec, change, suspended) => {
  const explained = explainCronJob(worldAfterReconciles(spec).cronJob, time('00:10'));
  expect(explained.sentence).toMatch(/^It never runs: /);
  expect(explained.change).toMatch(change);
  const suspendedCronJob = worldAfterReconciles({ ...spec, suspend: true }).cronJob;
  const whileSuspended = explainCronJob(suspendedCronJob, time('00:10'));
  expect(whileSuspended.sentence).toMatch(suspended);
  expect(whileSuspended.change).toBe(`${explained.change}, then resume the CronJob`);
});

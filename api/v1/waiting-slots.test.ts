import { expect, test } from 'vitest';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { CronJobSpec, CronJobStatus } from './cronjob-types.ts';
import { compareStarts } from './start-changes.ts';
import { warnAboutStarts } from './start-warnings.ts';
import { listWaitingSlots } from './waiting-slots.ts';

const NOW = new Date(at('05:30:00'));
/** The run of 01:00 is active, and the runs of 02:00, 03:00, 04:00 and 05:00 wait. */
const STATUS: CronJobStatus = {
  effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: at('00:00:00') },
  lastScheduleTime: at('01:00:00'),
};
const queued = (spec: Partial<CronJobSpec> = {}, status = STATUS) =>
  cronJob({ concurrencyPolicy: 'Queue', ...spec }, status);
const hours = (slots: readonly Date[]) => slots.map((slot) => slot.getUTCHours());

test.each<[name: string, spec: Partial<CronJobSpec>, status: CronJobStatus, want: readonly number[]]>([
  ['under Queue', {}, {}, [2, 3, 4, 5]],
  ['with catchUpPolicy All', { concurrencyPolicy: 'Forbid', catchUpPolicy: 'All' }, {}, [2, 3, 4, 5]],
  ['none, if only the newest starts', { concurrencyPolicy: 'Forbid' }, {}, []],
  ['up to queueLimit', { queueLimit: 2 }, {}, [4, 5]],
  ['within the deadline', { startingDeadlineSeconds: 7200 }, {}, [4, 5]],
  ['without a deadline that counts', { startingDeadlineSeconds: 1e15 }, {}, [2, 3, 4, 5]],
  ['after the slots that the status has handled', {}, { handledThrough: at('03:00:00') }, [4, 5]],
  ['after a suspension', { suspendUntil: at('04:00:00') }, {}, [4, 5]],
  ['during a suspension', { suspend: true }, {}, []],
  ['during a pause', {}, { paused: { reason: 'TooManyFailures', since: at('01:00:00') } }, []],
  ['that are not excluded', { exclude: [{ schedule: '* 3-4 * * *' }] }, {}, [2, 5]],
  ['with an invalid schedule', { schedule: 'never' }, {}, []],
  ['whose delay has ended', { jitterSeconds: 3600 }, {}, [2, 3, 4, 5]],
])('lists the waiting slots %s', (_, spec, status, want) => {
  expect(hours(listWaitingSlots(queued(spec, { ...STATUS, ...status }), NOW))).toEqual(want);
});

test('the deadline of a waiting slot counts from its delayed start', () => {
  const delayed = queued({ jitterSeconds: 1800, startingDeadlineSeconds: 1800 }); // a delay of 533 seconds
  expect(hours(listWaitingSlots(delayed, NOW))).toEqual([5]);
  expect(hours(listWaitingSlots(delayed, new Date(at('05:38:53'))))).toEqual([]);
});

test('a slot that waits out its delay is not in the queue', () => {
  const delayed = queued({ jitterSeconds: 3600 });
  expect(hours(listWaitingSlots(delayed, new Date(at('05:00:00'))))).toEqual([2, 3, 4]);
});

test.each<[name: string, edit: Partial<CronJobSpec>, want: readonly string[]]>([
  ['a smaller queue', { queueLimit: 1 }, [`drops 3 waiting runs, the first of ${at('02:00:00')}`]],
  ['a larger queue', { queueLimit: 300 }, []],
  ['Forbid', { concurrencyPolicy: 'Forbid' }, [`drops 3 waiting runs, the first of ${at('02:00:00')}`]],
  ['Skip', { concurrencyPolicy: 'Skip' }, [`drops 4 waiting runs, the first of ${at('02:00:00')}`]],
  ['Forbid with All', { concurrencyPolicy: 'Forbid', catchUpPolicy: 'All' }, []],
  ['an exclusion', { exclude: [{ schedule: '* 3 * * *' }] }, [`drops the waiting run of ${at('03:00:00')}`]],
  ['a deadline', { startingDeadlineSeconds: 5400 }, [`drops 3 waiting runs, the first of ${at('02:00:00')}`]],
  ['more runs at once', { maxConcurrentRuns: 3 }, []],
  ['suspend, after which the runs start', { suspend: true }, []],
  ['suspend and a smaller queue', { suspend: true, queueLimit: 3 }, [`drops the waiting run of ${at('02:00:00')}`]],
  ['suspendUntil', { suspendUntil: at('06:00:00') }, [`drops 4 waiting runs, the first of ${at('02:00:00')}`]],
])('the warning about an edit to %s', (_, edit, want) => {
  const old = queued();
  const warnings = warnAboutStarts(
    { ...old, spec: { ...old.spec, ...edit } },
    { now: NOW, failoverSeconds: 15, oldCronJob: old },
  );
  expect(warnings.filter((text) => text.includes('waiting'))).toEqual(want.map((text) => `this edit ${text}`));
});

test('an edit of the schedule drops every waiting run and the later runs', () => {
  const old = queued({ schedule: '0 1-6 * * *' });
  const edited = { ...old, spec: { ...old.spec, endTime: at('05:45:00') } };
  expect(warnAboutStarts(edited, { now: NOW, failoverSeconds: 15, oldCronJob: old })).toEqual([
    `this edit drops 4 waiting runs, the first of ${at('02:00:00')}`,
    expect.stringContaining(`drops the run of ${at('06:00:00')}`),
  ]);
});

test('an admission request searches no long period with excluded times', () => {
  const old = queued({ schedule: '* * * * *', exclude: [{ schedule: '* 3 * * *' }] });
  const period = { now: NOW, until: new Date(at('05:31:00')) };
  const waiting = (limit: number) =>
    compareStarts(old, { ...old.spec, queueLimit: 1 }, { ...period, limit }).dropped.filter(({ time }) => time <= NOW);
  expect([waiting(100), waiting(300).length]).toEqual([[], 99]);
});

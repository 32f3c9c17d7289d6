import { expect, test } from 'vitest';
import type { CronJobSpec, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { buildAgenda, getMaxListedSlots } from './agenda.ts';

const span = { from: new Date(at('00:30:00')), until: new Date(at('03:00:00')) };
const named = (name: string, spec: Partial<CronJobSpec>, status?: CronJobStatus) => cronJob(spec, status, { name });
const formatSlots = (...cronJobs: Parameters<typeof buildAgenda>[0]) =>
  buildAgenda(cronJobs, span).slots.map(
    (slot) => `${slot.time.toISOString().slice(11, 16)} ${slot.cronJob.metadata.name}`,
  );

test('lists the slots of all CronJobs, earliest first, each in its zone', () => {
  const hourly = named('hourly', { schedule: '0 * * * *' });
  const berlin = named('berlin', { schedule: '0 2 * * *', timeZone: 'Europe/Berlin' });
  expect(formatSlots(hourly, berlin)).toEqual(['01:00 berlin', '01:00 hourly', '02:00 hourly']);
});

test('omits CronJobs that start no runs', () => {
  const paused = { paused: { reason: 'TooManyFailures', since: at('00:00:00') } };
  expect(
    formatSlots(
      named('suspended', { suspend: true }),
      named('paused', {}, paused),
      named('unreadable', { schedule: 'now' }),
      named('until', { suspendUntil: at('02:00:00') }),
    ),
  ).toEqual(['02:00 until']);
});

test('counts an interval from the time when its schedule took effect', () => {
  const since = { effectiveSchedule: { schedule: '@every 1h', timeZone: 'UTC', since: at('00:10:00') } };
  expect(formatSlots(named('every', { schedule: '@every 1h' }, since))).toEqual(['01:10 every', '02:10 every']);
});

test('lists a frequent CronJob once, and counts it in the busiest minutes', () => {
  const often = named('often', { schedule: '*/5 * * * *' });
  const nightly = named('nightly', { schedule: '0 2 * * *' });
  const { slots, frequentCronJobs, busiestMinutes } = buildAgenda([often, nightly], span);
  expect(getMaxListedSlots(span)).toBe(4);
  expect(slots.map(({ cronJob: { metadata } }) => metadata.name)).toEqual(['nightly']);
  expect(frequentCronJobs).toEqual([{ cronJob: often, startCount: 30 }]);
  expect(busiestMinutes).toEqual([{ time: new Date(at('02:00:00')), startCount: 2, cronJobs: [often, nightly] }]);
});

test('lists and counts starts with their jitter', () => {
  const nightly = named('nightly', { schedule: '0 2 * * *' });
  const spread = named('spread', { schedule: '0 2 * * *', jitterSeconds: 1800 });
  expect(formatSlots(nightly, spread)).toEqual(['02:00 nightly', '02:08 spread']);
  expect(buildAgenda([nightly, spread], span).busiestMinutes).toEqual([]);
});

test('omits a start that its jitter moves beyond the span', () => {
  expect(formatSlots(named('late', { schedule: '55 2 * * *', jitterSeconds: 1800 }))).toEqual([]);
});

test('reports the end of the suspension of a frequent CronJob', () => {
  const often = named('often', { schedule: '*/5 * * * *', suspendUntil: at('02:00:00') });
  expect(buildAgenda([often], span).frequentCronJobs).toEqual([
    { cronJob: often, startCount: 12, suspendedUntil: new Date(at('02:00:00')) },
  ]);
});

test('includes the first instant of a span, excludes the last, and lists at most one slot an hour', () => {
  expect(formatSlots(named('half', { schedule: '30 0 * * *' }), named('three', { schedule: '0 3 * * *' }))).toEqual([
    '00:30 half',
  ]);
  const hours = (count: number) =>
    getMaxListedSlots({ from: span.from, until: new Date(span.from.getTime() + count * 3_600_000) });
  expect([1, 4, 5, 24, 168].map(hours)).toEqual([4, 4, 5, 24, 24]);
});

import { MetricsRegistry } from 'controller-runtime';
import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJobMetrics } from './cronjob-metrics.ts';

function measured() {
  const registry = new MetricsRegistry();
  const clock = new FakeClock('2026-01-01T12:00:00.040Z');
  const seriesOf = async (prefix: string) => {
    const { body } = await registry.render();
    return body.split('\n').filter((line) => line.startsWith(prefix));
  };
  return { registry, clock, metrics: new CronJobMetrics({ registry, clock }), seriesOf };
}

const SKEW = 'cronjob_controller_job_creation_skew_duration_seconds';

test('measures from a slot to the creation of its Job, to the millisecond', async () => {
  const { metrics, clock, seriesOf } = measured();
  metrics.jobCreated(new Date('2026-01-01T12:00:00Z'));
  await clock.advance(1005);
  metrics.jobCreated(new Date('2026-01-01T12:00:01Z'));
  metrics.jobCreated(new Date('2026-01-01T12:00:00Z'));
  expect(await seriesOf(`${SKEW}_sum`)).toEqual([`${SKEW}_sum 1.13`]);
  expect(await seriesOf(`${SKEW}_count`)).toEqual([`${SKEW}_count 3`]);
  expect(await seriesOf(`${SKEW}_bucket{le="0.025"}`)).toEqual([`${SKEW}_bucket{le="0.025"} 0`]);
  expect(await seriesOf(`${SKEW}_bucket{le="0.05"}`)).toEqual([`${SKEW}_bucket{le="0.05"} 2`]);
});

test('takes a creation before its slot, after the clock was set back, for one on time', async () => {
  const { metrics, seriesOf } = measured();
  metrics.jobCreated(new Date('2026-01-01T12:00:30Z'));
  expect(await seriesOf(`${SKEW}_sum`)).toEqual([`${SKEW}_sum 0`]);
  expect(await seriesOf(`${SKEW}_bucket{le="0.01"}`)).toEqual([`${SKEW}_bucket{le="0.01"} 1`]);
});

test('has buckets from ten milliseconds up, the ten of upstream among them', async () => {
  const { seriesOf } = measured();
  const bounds = (await seriesOf(`${SKEW}_bucket`)).map((line) => /le="([^"]+)"/.exec(line)?.[1]);
  expect(bounds[0]).toBe('0.01');
  expect(bounds).toEqual(expect.arrayContaining(['1', '2', '4', '8', '16', '32', '64', '128', '256', '512']));
});

test('starts every reason at zero', async () => {
  const { seriesOf } = measured();
  expect(await seriesOf('cronjob_controller_missed_slots_total')).toEqual([
    'cronjob_controller_missed_slots_total{reason="DeadlineExceeded"} 0',
    'cronjob_controller_missed_slots_total{reason="Superseded"} 0',
    'cronjob_controller_missed_slots_total{reason="TooManyMissedTimes"} 0',
  ]);
  expect(await seriesOf('cronjob_controller_skipped_slots_total')).toEqual([
    'cronjob_controller_skipped_slots_total{reason="ConcurrencyPolicyForbid"} 0',
    'cronjob_controller_skipped_slots_total{reason="FailedCreate"} 0',
    'cronjob_controller_skipped_slots_total{reason="JobNameTaken"} 0',
    'cronjob_controller_skipped_slots_total{reason="Suspended"} 0',
    'cronjob_controller_skipped_slots_total{reason="Paused"} 0',
  ]);
});

test('counts Jobs that did not start in time, from zero', async () => {
  const { metrics, seriesOf } = measured();
  expect(await seriesOf('cronjob_controller_start_timeouts_total')).toEqual([
    'cronjob_controller_start_timeouts_total 0',
  ]);
  metrics.startTimedOut();
  expect(await seriesOf('cronjob_controller_start_timeouts_total')).toEqual([
    'cronjob_controller_start_timeouts_total 1',
  ]);
});

test('counts slots by kind and reason, each as often as it says', async () => {
  const { metrics, seriesOf } = measured();
  metrics.slotsPassedOver([
    { kind: 'missed', reason: 'Superseded', count: 3 },
    { kind: 'skipped', reason: 'Suspended', count: 40 },
    { kind: 'missed', reason: 'DeadlineExceeded', count: 1 },
  ]);
  metrics.slotsPassedOver([{ kind: 'missed', reason: 'Superseded', count: 2 }]);
  metrics.slotsPassedOver([]);
  const counted = await seriesOf('cronjob_controller_');
  expect(counted.filter((line) => line.includes('reason=') && !line.endsWith(' 0'))).toEqual([
    'cronjob_controller_missed_slots_total{reason="DeadlineExceeded"} 1',
    'cronjob_controller_missed_slots_total{reason="Superseded"} 5',
    'cronjob_controller_skipped_slots_total{reason="Suspended"} 40',
  ]);
});

test('describes the reasons that there can be', () => {
  const { registry } = measured();
  const reasons = registry.descriptions.map(({ name, labelValues }) => [name, labelValues?.['reason']]);
  expect(reasons).toContainEqual([
    'cronjob_controller_missed_slots_total',
    ['DeadlineExceeded', 'Superseded', 'TooManyMissedTimes'],
  ]);
  expect(reasons).toContainEqual([
    'cronjob_controller_skipped_slots_total',
    ['ConcurrencyPolicyForbid', 'FailedCreate', 'JobNameTaken', 'Suspended', 'Paused'],
  ]);
});

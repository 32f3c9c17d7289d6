import { MetricsRegistry } from 'controller-runtime';
import { FakeClock } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
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

test('measures the time from a slot to the creation of its Job in milliseconds', async () => {
  const { metrics, clock, seriesOf } = measured();
  metrics.recordCreatedJob(new Date('2026-01-01T12:00:00Z'));
  await clock.advance(1005);
  metrics.recordCreatedJob(new Date('2026-01-01T12:00:01Z'));
  metrics.recordCreatedJob(new Date('2026-01-01T12:00:00Z'));
  expect(await seriesOf(`${SKEW}_sum`)).toEqual([`${SKEW}_sum 1.13`]);
  expect(await seriesOf(`${SKEW}_count`)).toEqual([`${SKEW}_count 3`]);
  expect(await seriesOf(`${SKEW}_bucket{le="0.025"}`)).toEqual([`${SKEW}_bucket{le="0.025"} 0`]);
  expect(await seriesOf(`${SKEW}_bucket{le="0.05"}`)).toEqual([`${SKEW}_bucket{le="0.05"} 2`]);
});

test('takes a creation before its slot, after the clock was set back, for one on time', async () => {
  const { metrics, seriesOf } = measured();
  metrics.recordCreatedJob(new Date('2026-01-01T12:00:30Z'));
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
    'cronjob_controller_skipped_slots_total{reason="ConcurrencyPolicySkip"} 0',
    'cronjob_controller_skipped_slots_total{reason="MaxConcurrentRuns"} 0',
    'cronjob_controller_skipped_slots_total{reason="QueueFull"} 0',
    'cronjob_controller_skipped_slots_total{reason="FailedCreate"} 0',
    'cronjob_controller_skipped_slots_total{reason="JobNameTaken"} 0',
    'cronjob_controller_skipped_slots_total{reason="Suspended"} 0',
    'cronjob_controller_skipped_slots_total{reason="Paused"} 0',
    'cronjob_controller_skipped_slots_total{reason="Excluded"} 0',
  ]);
});

test('counts missed and skipped slots by reason', async () => {
  const { metrics, seriesOf } = measured();
  metrics.recordSkippedSlots([
    { reason: 'Superseded', count: 3 },
    { reason: 'Suspended', count: 40 },
    { reason: 'DeadlineExceeded', count: 1 },
  ]);
  metrics.recordSkippedSlots([{ reason: 'Superseded', count: 2 }]);
  metrics.recordSkippedSlots([]);
  const counted = await seriesOf('cronjob_controller_');
  expect(counted.filter((line) => line.includes('reason=') && !line.endsWith(' 0'))).toEqual([
    'cronjob_controller_missed_slots_total{reason="DeadlineExceeded"} 1',
    'cronjob_controller_missed_slots_total{reason="Superseded"} 5',
    'cronjob_controller_skipped_slots_total{reason="Suspended"} 40',
  ]);
});

describe('the duration of a run', () => {
  const DURATION = 'cronjob_controller_run_duration_seconds';

  test('the duration of a run is measured by result', async () => {
    const { metrics, seriesOf } = measured();
    metrics.recordFinishedRun('Succeeded', 90);
    metrics.recordFinishedRun('Succeeded', 0);
    metrics.recordFinishedRun('Failed', 86_401);
    expect(await seriesOf(`${DURATION}_sum`)).toEqual([
      `${DURATION}_sum{result="Succeeded"} 90`,
      `${DURATION}_sum{result="Failed"} 86401`,
    ]);
    expect(await seriesOf(`${DURATION}_bucket{le="120",result="Succeeded"}`)).toEqual([
      `${DURATION}_bucket{le="120",result="Succeeded"} 2`,
    ]);
    expect(await seriesOf(`${DURATION}_bucket{le="86400",result="Failed"}`)).toEqual([
      `${DURATION}_bucket{le="86400",result="Failed"} 0`,
    ]);
  });

  test('that would be negative, after the clock was set back, is none', async () => {
    const { metrics, seriesOf } = measured();
    metrics.recordFinishedRun('Failed', -30);
    expect(await seriesOf(`${DURATION}_sum{result="Failed"}`)).toEqual([`${DURATION}_sum{result="Failed"} 0`]);
  });

  test('has buckets from a second to a day, and both results from the start', async () => {
    const { seriesOf } = measured();
    const bounds = (await seriesOf(`${DURATION}_bucket`)).map((line) => /le="([^"]+)"/.exec(line)?.[1]);
    expect([bounds[0], bounds.at(-2), bounds.at(-1)]).toEqual(['1', '86400', '+Inf']);
    expect(await seriesOf(`${DURATION}_count`)).toEqual([
      `${DURATION}_count{result="Succeeded"} 0`,
      `${DURATION}_count{result="Failed"} 0`,
    ]);
  });
});

test('counts starts that timed out, from 0', async () => {
  const { metrics, seriesOf } = measured();
  const total = () => seriesOf('cronjob_controller_start_timeouts_total');
  expect(await total()).toEqual(['cronjob_controller_start_timeouts_total 0']);
  metrics.recordStartTimeout();
  expect(await total()).toEqual(['cronjob_controller_start_timeouts_total 1']);
});

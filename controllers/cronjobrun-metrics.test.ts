import { MetricsRegistry } from 'controller-runtime';
import { expect, test } from 'vitest';
import { CronJobRunMetrics } from './cronjobrun-metrics.ts';

test('counts each run once when its result is in the status, and none before', async () => {
  const registry = new MetricsRegistry();
  const metrics = new CronJobRunMetrics(registry);
  const counts = async () => {
    const { body } = await registry.render();
    return [...body.matchAll(/^cronjobrun_controller_runs_total\{result="(\w+)"\} (\d+)$/gm)].map(
      ([, ...each]) => each,
    );
  };
  const expectCounts = async (succeeded: string, failed: string, skipped: string) =>
    expect(await counts()).toEqual([
      ['Succeeded', succeeded],
      ['Failed', failed],
      ['Skipped', skipped],
    ]);
  await expectCounts('0', '0', '0');
  metrics.recordResults(undefined, { total: 5, active: 2 });
  metrics.recordResults({ active: 2 }, { active: 1, succeeded: 1, failed: 0, skipped: 1 });
  metrics.recordResults({ active: 1, succeeded: 1, failed: 0, skipped: 1 }, { succeeded: 2, failed: 1, skipped: 1 });
  await expectCounts('2', '1', '1');
});

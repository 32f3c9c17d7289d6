import { type MetricDescription, SystemClock } from 'controller-runtime';
import { PrometheusMetrics } from 'controller-runtime/internal';
import { CronJobGauges } from '../../controllers/cronjob-gauges.ts';
import { CronJobMetrics } from '../../controllers/cronjob-metrics.ts';
import { CronJobRunMetrics } from '../../controllers/cronjobrun-metrics.ts';

/** Lists the metrics of the manager except the process metrics. test/envtest/manager-process.test.ts checks that the list is complete. */
export function listManagerMetrics(): readonly MetricDescription[] {
  const { registry } = new PrometheusMetrics();
  const clock = new SystemClock();
  new CronJobMetrics({ registry, clock });
  new CronJobGauges({ registry, clock, cronJobs: Object.assign(new Map(), { list: () => [] }), jobs: new Map() });
  new CronJobRunMetrics(registry);
  return registry.descriptions;
}

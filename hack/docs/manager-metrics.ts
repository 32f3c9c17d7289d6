import { type MetricDescription, PrometheusMetrics, SystemClock } from 'controller-runtime';
import { CronJobGauges } from '../../controllers/cronjob-gauges.ts';
import { CronJobMetrics } from '../../controllers/cronjob-metrics.ts';

/** All metrics of the manager but those of the process. test/envtest/metrics.test.ts sees that none is forgotten here. */
export function managerMetrics(): readonly MetricDescription[] {
  const { registry } = new PrometheusMetrics();
  new CronJobMetrics({ registry, clock: new SystemClock() });
  new CronJobGauges({ registry, cronJobs: new Map() });
  return registry.descriptions;
}

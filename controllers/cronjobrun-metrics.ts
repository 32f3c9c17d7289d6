import type { Counter, MetricsRegistry } from 'controller-runtime';
import type { CronJobRunStatus } from '../api/v1/cronjobrun-types.ts';

const RESULTS = ['Succeeded', 'Failed', 'Skipped'] as const;

/** Counts the runs of CronJobRuns. */
export class CronJobRunMetrics {
  readonly #results: Counter;

  constructor(registry: Pick<MetricsRegistry, 'counter'>) {
    this.#results = registry.counter({
      name: 'cronjobrun_controller_runs_total',
      help: 'Ended runs of CronJobRuns, by result. Skipped runs could not be started.',
      labelNames: ['result'],
      labelValues: { result: RESULTS },
    });
    for (const result of RESULTS) this.#results.add({ result }, 0);
  }

  /** Counts the results that `newStatus` has in addition to `oldStatus`. */
  recordResults(oldStatus: CronJobRunStatus = {}, newStatus: CronJobRunStatus): void {
    for (const result of RESULTS) {
      const name = result === 'Succeeded' ? 'succeeded' : result === 'Failed' ? 'failed' : 'skipped';
      this.#results.add({ result }, Math.max(0, (newStatus[name] ?? 0) - (oldStatus[name] ?? 0)));
    }
  }
}

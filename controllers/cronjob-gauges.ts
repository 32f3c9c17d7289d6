/** Gauges of each CronJob, read from the cache at each scrape: they cost a pass nothing. */
import { aborted, type MetricsRegistry, type Runnable, type SnapshotGauge } from 'controller-runtime';
import { parseTime } from '../api/time.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';

/** Maximum number of CronJobs with their own gauges. With six series each, these are no load for Prometheus. */
export const DEFAULT_METRICS_MAX_CRON_JOBS = 1000;

const GAUGES: readonly SnapshotGauge<CronJob>[] = [
  {
    name: 'cronjob_next_schedule_timestamp_seconds',
    help: 'Scheduled time of the next run. No series while suspended, or when there is none.',
    read: ({ status }) => unixSeconds(status?.nextScheduleTime),
  },
  {
    name: 'cronjob_last_schedule_timestamp_seconds',
    help: 'Scheduled time of the last run that was started. No series before the first.',
    read: ({ status }) => unixSeconds(status?.lastScheduleTime),
  },
  {
    name: 'cronjob_last_success_timestamp_seconds',
    help: 'When the last successful run finished. No series before the first.',
    read: ({ status }) => unixSeconds(status?.lastSuccessfulTime),
  },
  {
    name: 'cronjob_last_failure_timestamp_seconds',
    help: 'When the last failed run failed. No series before the first.',
    read: ({ status }) => unixSeconds(status?.lastFailureTime),
  },
  {
    name: 'cronjob_active_jobs',
    help: 'Jobs that are running.',
    read: ({ status }) => status?.active?.length ?? 0,
  },
  {
    name: 'cronjob_suspended',
    help: 'Whether spec.suspend is true: 1 if it is, else 0.',
    read: ({ spec }) => (spec.suspend ? 1 : 0),
  },
];

export interface CronJobGaugesOptions {
  readonly registry: Pick<MetricsRegistry, 'snapshotGauges'>;
  /** All CronJobs, by `namespace/name`, such as the store of an informer. Read at each scrape. */
  readonly cronJobs: { keys(): Iterable<string>; get(key: string): CronJob | undefined; readonly size: number };
  /**
   * How many CronJobs get series, the first ones by namespace and name; 0 for none.
   * Default {@link DEFAULT_METRICS_MAX_CRON_JOBS}.
   */
  readonly max?: number | undefined;
}

/** Shows the gauges while it runs, which is while this process leads: if standbys showed them too, sums would be too high. */
export class CronJobGauges implements Runnable {
  readonly #cronJobs: CronJobGaugesOptions['cronJobs'];
  readonly #max: number;
  #isRunning = false;

  constructor({ registry, cronJobs, max = DEFAULT_METRICS_MAX_CRON_JOBS }: CronJobGaugesOptions) {
    this.#cronJobs = cronJobs;
    this.#max = max;
    registry.snapshotGauges({
      labelNames: ['namespace', 'name'],
      gauges: GAUGES,
      items: () => (this.#isRunning ? this.#shown() : []),
      labelsOf: ({ metadata }) => ({ namespace: metadata.namespace, name: metadata.name }),
    });
    registry.snapshotGauges({
      labelNames: [],
      gauges: [
        {
          name: 'cronjob_metrics_omitted',
          help: 'CronJobs without their own series, because there are more than --metrics-max-cronjobs.',
          read: (count: number) => Math.max(0, count - max),
        },
      ],
      items: () => (this.#isRunning ? [cronJobs.size] : []),
      labelsOf: () => ({}),
    });
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    await aborted(signal);
    this.#isRunning = false;
  }

  /** Sorted, so that each scrape shows the same CronJobs. */
  #shown(): readonly CronJob[] {
    const keys = [...this.#cronJobs.keys()].sort().slice(0, this.#max);
    return keys.map((key) => this.#cronJobs.get(key)).filter((cronJob) => cronJob !== undefined);
  }
}

function unixSeconds(time: string | undefined): number | undefined {
  const instant = parseTime(time);
  return instant && instant.getTime() / 1000;
}

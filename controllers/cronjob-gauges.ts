/** Defines the gauges of CronJobs. Each scrape computes the gauges from the cache. */
import {
  type Clock,
  formatKey,
  getCondition,
  type MetricsRegistry,
  type Runnable,
  type SnapshotGauge,
} from 'controller-runtime';
import { aborted } from 'controller-runtime/internal';
import type { Job } from '../api/kubernetes.ts';
import { parseTime } from '../api/time.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { START_TIMEOUT_ANNOTATION } from '../api/v1/groupversion.ts';
import { isSuspendedAt } from '../api/v1/suspension.ts';

/** The first 1,000 CronJobs, sorted by name, have six series each. */
export const DEFAULT_METRICS_MAX_CRON_JOBS = 1000;

/**
 * A Job that has waited for less than a minute is not reported, because most Jobs wait a few seconds for a container.
 */
const MIN_WAITING_MS = 60_000;

/** `--metrics-max-cronjobs` limits the number of CronJobs that have series of these gauges. */
const createLimitedGauges = (clock: CronJobGaugesOptions['clock']): readonly SnapshotGauge<CronJob>[] => [
  {
    name: 'cronjob_next_schedule_timestamp_seconds',
    help: 'Scheduled time of the next run. Absent while the CronJob is suspended or has no next run.',
    read: ({ status }) => toUnixSeconds(status?.nextScheduleTime),
  },
  {
    name: 'cronjob_last_schedule_timestamp_seconds',
    help: 'Scheduled time of the last started run. Absent before the first run.',
    read: ({ status }) => toUnixSeconds(status?.lastScheduleTime),
  },
  {
    name: 'cronjob_last_success_timestamp_seconds',
    help: 'Time at which the last successful run finished. Absent before the first success.',
    read: ({ status }) => toUnixSeconds(status?.lastSuccessfulTime),
  },
  {
    name: 'cronjob_last_failure_timestamp_seconds',
    help: 'Time at which the last failed run failed. Absent before the first failure.',
    read: ({ status }) => toUnixSeconds(status?.lastFailureTime),
  },
  {
    name: 'cronjob_active_jobs',
    help: 'Number of active Jobs.',
    read: ({ status }) => status?.active?.length ?? 0,
  },
  {
    name: 'cronjob_suspended',
    help: 'Whether spec.suspend is true or spec.suspendUntil is in the future: 1 if so, else 0.',
    read: ({ spec }) => (isSuspendedAt(spec, clock.now()) ? 1 : 0),
  },
];

/**
 * `--metrics-max-cronjobs` does not limit these gauges, because alerts must cover every CronJob. Most CronJobs have no
 * such series.
 */
const createUnlimitedGauges = (options: CronJobGaugesOptions): readonly SnapshotGauge<CronJob>[] => [
  {
    name: 'cronjob_overdue',
    help: 'Whether no run has succeeded within spec.expectSuccessWithinSeconds: 1 if so, else 0. Absent if the field is not set.',
    read: getOverdueValue,
  },
  {
    name: 'cronjob_paused',
    help: 'Whether the CronJob is paused after spec.pauseAfterFailures failures: 1 if so, else 0. Absent if the field is not set.',
    read: ({ spec, status }) => (status?.paused ? 1 : spec.pauseAfterFailures ? 0 : undefined),
  },
  {
    name: 'cronjob_waiting_job_start_timestamp_seconds',
    help:
      'Start time of the Job that has waited longest for a ready Pod. Absent before a Job has waited for a minute. Ignores ' +
      'suspended Jobs.',
    read: (cronJob) => findWaitingSince(cronJob, options),
  },
];

export interface CronJobGaugesOptions {
  readonly registry: Pick<MetricsRegistry, 'snapshotGauges'>;
  /** The CronJobs by `namespace/name`, for example the store of an informer. */
  readonly cronJobs: {
    keys(): Iterable<string>;
    get(key: string): CronJob | undefined;
    list(): readonly CronJob[];
    readonly size: number;
  };
  /** The Jobs by `namespace/name`. */
  readonly jobs: { get(key: string): Job | undefined };
  readonly clock: Pick<Clock, 'now'>;
  /** Maximum number of CronJobs with series; 0 turns the series off. Default: {@link DEFAULT_METRICS_MAX_CRON_JOBS}. */
  readonly max?: number | undefined;
}

/**
 * Reports the gauges while the process is the leader. If every replica reported the gauges, sums over the replicas
 * would be too high.
 */
export class CronJobGauges implements Runnable {
  readonly #cronJobs: CronJobGaugesOptions['cronJobs'];
  readonly #max: number;
  #isRunning = false;

  constructor(options: CronJobGaugesOptions) {
    const { registry, cronJobs, clock, max = DEFAULT_METRICS_MAX_CRON_JOBS } = options;
    this.#cronJobs = cronJobs;
    this.#max = max;
    const allGauges = createUnlimitedGauges(options);
    const labels = {
      labelNames: ['namespace', 'name'],
      getLabels: ({ metadata }: CronJob) => ({ namespace: metadata.namespace, name: metadata.name }),
    };
    registry.snapshotGauges({
      ...labels,
      gauges: createLimitedGauges(clock),
      items: () => (this.#isRunning ? this.#limitedCronJobs() : []),
    });
    registry.snapshotGauges({
      ...labels,
      gauges: allGauges,
      items: () =>
        this.#isRunning
          ? cronJobs.list().filter((cronJob) => allGauges.some(({ read }) => read(cronJob) !== undefined))
          : [],
    });
    registry.snapshotGauges({
      labelNames: [],
      gauges: [
        {
          name: 'cronjob_earliest_next_schedule_timestamp_seconds',
          help:
            'The earliest scheduled time of the next runs of all CronJobs. The time is in the past while the controller is late. ' +
            'Absent without a next run.',
          read: () => toUnixSeconds(findEarliestNextSchedule(cronJobs.list())),
        },
        {
          name: 'cronjob_metrics_omitted',
          help: 'Number of CronJobs that lack most of their series because of --metrics-max-cronjobs.',
          read: () => Math.max(0, cronJobs.size - max),
        },
      ],
      items: () => (this.#isRunning ? ['all'] : []),
      getLabels: () => ({}),
    });
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    await aborted(signal);
    this.#isRunning = false;
  }

  /** Sorts the keys, so that each scrape reports the same CronJobs. */
  #limitedCronJobs(): readonly CronJob[] {
    const keys = [...this.#cronJobs.keys()].sort().slice(0, this.#max);
    return keys.map((key) => this.#cronJobs.get(key)).filter((cronJob) => cronJob !== undefined);
  }
}

function getOverdueValue({ status }: CronJob): number | undefined {
  const condition = getCondition(status?.conditions, 'Overdue')?.status;
  if (condition === 'True') return 1;
  return condition === 'False' ? 0 : undefined;
}

function findWaitingSince({ metadata, status }: CronJob, { jobs, clock }: CronJobGaugesOptions): number | undefined {
  const active = status?.active ?? [];
  if (active.length === 0) return undefined;
  let earliestMs = Number.POSITIVE_INFINITY;
  for (const { name = '' } of active) {
    const job = jobs.get(formatKey({ namespace: metadata.namespace, name }));
    const startTime = job && isWaitingForPod(job) ? parseTime(job.status?.startTime) : undefined;
    if (startTime !== undefined) earliestMs = Math.min(earliestMs, startTime.getTime());
  }
  return clock.now().getTime() - earliestMs < MIN_WAITING_MS ? undefined : earliestMs / 1000;
}

/**
 * A Job that has exceeded its start timeout still waits, and blocks the next run with Forbid, until its Pods are
 * deleted.
 */
function isWaitingForPod({ metadata, status }: Job): boolean {
  const { ready = 0, succeeded = 0, failed = 0, conditions = [] } = status ?? {};
  const hasTimedOut = metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined;
  const isEnding = conditions.some(({ type }) => !(hasTimedOut && type === 'FailureTarget'));
  return metadata.deletionTimestamp === undefined && !isEnding && ready + succeeded + failed === 0;
}

/** Compares times as text, because the controller writes all times in one format. */
function findEarliestNextSchedule(cronJobs: readonly CronJob[]): string | undefined {
  let earliest: string | undefined;
  for (const { metadata, status } of cronJobs) {
    const nextTime = status?.nextStartTime ?? status?.nextScheduleTime;
    if (!nextTime || metadata.deletionTimestamp !== undefined) continue;
    if (earliest === undefined || nextTime < earliest) earliest = nextTime;
  }
  return earliest;
}

function toUnixSeconds(time: string | undefined): number | undefined {
  const instant = parseTime(time);
  return instant && instant.getTime() / 1000;
}

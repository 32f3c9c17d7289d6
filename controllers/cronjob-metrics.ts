/**
 * Defines counters and histograms of runs. If Kubernetes' CronJob controller has the same metric, the name is the same
 * too.
 */
import type { Clock, Counter, Histogram, MetricsRegistry } from 'controller-runtime';
import { isMissedReason, MISSED_REASONS, SKIPPED_REASONS } from '../api/v1/reasons.ts';
import type { Notifications } from './cronjob/events.ts';

/**
 * From 1 s, the buckets are the powers of two, as in Kubernetes. The smaller buckets are for Jobs that are created
 * within milliseconds.
 */
const SKEW_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

const RUN_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 28_800, 86_400];

const FINISHED_RESULTS = ['Succeeded', 'Failed'] as const;

type Registry = Pick<MetricsRegistry, 'counter' | 'histogram'>;

export class CronJobMetrics {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #skew: Histogram;
  readonly #runDuration: Histogram;
  readonly #startTimeouts: Counter;
  readonly #missed: Counter;
  readonly #skipped: Counter;

  constructor({ registry, clock }: { readonly registry: Registry; readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = clock;
    this.#skew = registry.histogram({
      name: 'cronjob_controller_job_creation_skew_duration_seconds',
      help:
        'Time from the scheduled time of a run, or from the end of its delay by spec.jitterSeconds, to the creation of its Job. ' +
        'The manager measures milliseconds with its own clock. Kubernetes measures whole seconds with the clock of the API server.',
      buckets: SKEW_SECONDS,
    });
    this.#runDuration = registry.histogram({
      name: 'cronjob_controller_run_duration_seconds',
      help: 'Time from the start of a Job to its end.',
      labelNames: ['result'],
      labelValues: { result: FINISHED_RESULTS },
      buckets: RUN_SECONDS,
    });
    for (const result of FINISHED_RESULTS) this.#runDuration.declare({ result });
    this.#startTimeouts = registry.counter({
      name: 'cronjob_controller_start_timeouts_total',
      help: 'Jobs that the controller ended because no container started within spec.startTimeoutSeconds.',
    });
    this.#startTimeouts.add({}, 0);
    this.#missed = createReasonCounter(registry, MISSED_REASONS, {
      name: 'cronjob_controller_missed_slots_total',
      help: 'Scheduled times whose run should have started but did not.',
    });
    this.#skipped = createReasonCounter(registry, SKIPPED_REASONS, {
      name: 'cronjob_controller_skipped_slots_total',
      help: 'Scheduled times whose run could not start.',
    });
  }

  recordStartTimeout(): void {
    this.#startTimeouts.add({}, 1);
  }

  /** @param startTime Time at which the Job should have been created: the slot plus its delay. */
  recordCreatedJob(startTime: Date): void {
    const skewMs = this.#clock.now().getTime() - startTime.getTime();
    // An administrator may have set the clock back, and a negative value would decrease the sum of the histogram.
    this.#skew.observe({}, Math.max(0, skewMs) / 1000);
  }

  /** @param seconds Time from the start of the Job until it finished. */
  recordFinishedRun(result: (typeof FINISHED_RESULTS)[number], seconds: number): void {
    this.#runDuration.observe({ result }, Math.max(0, seconds));
  }

  recordSkippedSlots(skips: Notifications['skips']): void {
    for (const { reason, count } of skips)
      (isMissedReason(reason) ? this.#missed : this.#skipped).add({ reason }, count);
  }
}

/** Initializes each series to 0, because Prometheus sees no increase when a series begins. */
function createReasonCounter(
  registry: Registry,
  reasons: readonly string[],
  definition: { readonly name: string; readonly help: string },
): Counter {
  const counter = registry.counter({ ...definition, labelNames: ['reason'], labelValues: { reason: reasons } });
  for (const reason of reasons) counter.add({ reason }, 0);
  return counter;
}

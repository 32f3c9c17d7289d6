/** Counters and histograms of runs. Their names match Kubernetes' own controller where it has the same metric. */
import type { Clock, Counter, Histogram, MetricsRegistry } from 'controller-runtime';
import { isMissed, MISSED_REASONS, SKIPPED_REASONS } from '../api/v1/reasons.ts';
import type { Notifications } from './cronjob/events.ts';

/**
 * Kubernetes' buckets are the powers of two from 1 s up. This controller creates Jobs within milliseconds, so smaller buckets
 * precede them.
 */
const SKEW_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** A second to a day: from Jobs that move files to Jobs that make backups. */
const RUN_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 28_800, 86_400];

const FINISHED_RESULTS = ['Succeeded', 'Failed'] as const;

type Registry = Pick<MetricsRegistry, 'counter' | 'histogram'>;

/** Metrics to which the reconciler reports the results of slots and runs. */
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
        'From the scheduled time of a run until its Job was created, by the clock of the manager, with milliseconds. ' +
        'Upstream has whole seconds, by the clock of the API server.',
      buckets: SKEW_SECONDS,
    });
    this.#runDuration = registry.histogram({
      name: 'cronjob_controller_run_duration_seconds',
      help: 'From the start of a Job until it finished.',
      labelNames: ['result'],
      labelValues: { result: FINISHED_RESULTS },
      buckets: RUN_SECONDS,
    });
    for (const result of FINISHED_RESULTS) this.#runDuration.declare({ result });
    this.#startTimeouts = registry.counter({
      name: 'cronjob_controller_start_timeouts_total',
      help: 'Jobs that were ended because no container of them had started within spec.startTimeoutSeconds.',
    });
    this.#startTimeouts.add({}, 0);
    this.#missed = createReasonCounter(registry, MISSED_REASONS, {
      name: 'cronjob_controller_missed_slots_total',
      help: 'Scheduled times whose run should have started and did not.',
    });
    this.#skipped = createReasonCounter(registry, SKIPPED_REASONS, {
      name: 'cronjob_controller_skipped_slots_total',
      help: 'Scheduled times whose run was prevented from starting.',
    });
  }

  /** Counts a Job that was ended because it had not started in time. */
  startTimedOut(): void {
    this.#startTimeouts.add({}, 1);
  }

  /** Records that the Job of `slot` was created just now. */
  jobCreated(slot: Date): void {
    const skewMs = this.#clock.now().getTime() - slot.getTime();
    // The wall clock may have been set back during the create; a histogram's sum must not decrease.
    this.#skew.observe({}, Math.max(0, skewMs) / 1000);
  }

  /** @param seconds From the start of its Job until it finished. */
  runFinished(result: (typeof FINISHED_RESULTS)[number], seconds: number): void {
    // Both times come from the Job controller, whose clock may have been set back; a histogram's sum must not decrease.
    this.#runDuration.observe({ result }, Math.max(0, seconds));
  }

  /** Counts slots that were not run. */
  slotsSkipped(skips: Notifications['skips']): void {
    for (const { reason, count } of skips) (isMissed(reason) ? this.#missed : this.#skipped).add({ reason }, count);
  }
}

/** Starts each reason at 0, so that the first increase is visible: Prometheus sees no increase where a series begins. */
function createReasonCounter(
  registry: Registry,
  reasons: readonly string[],
  definition: { readonly name: string; readonly help: string },
): Counter {
  const counter = registry.counter({ ...definition, labelNames: ['reason'], labelValues: { reason: reasons } });
  for (const reason of reasons) counter.add({ reason }, 0);
  return counter;
}

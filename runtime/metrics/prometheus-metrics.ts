/** The metrics of the library, with the same names, labels and buckets as in Go's controller-runtime. */
import type { RequestMetrics } from '../client/request-metrics.ts';
import { RECONCILE_OUTCOMES, type ReconcileMetrics } from '../controller/reconcile-metrics.ts';
import type { LeaderElectionMetrics } from '../leader-election/leader-elector.ts';
import type { WebhookMetrics } from '../webhook/webhook-metrics.ts';
import type { QueueMetrics } from '../workqueue/queue-metrics.ts';
import { MetricsRegistry, type RenderedMetrics } from './metrics-registry.ts';

// biome-ignore format: a table reads better in rows
const RECONCILE_BUCKETS_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Buckets from 10 ns to 1000 s, in powers of ten. */
const QUEUE_BUCKETS_SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** The default buckets of Prometheus clients. */
const WEBHOOK_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Records and renders the metrics of the library. Create additional metrics in {@link registry}. */
export class PrometheusMetrics {
  /** The registry of all metrics. Add your own metrics to this registry. */
  readonly registry = new MetricsRegistry();
  readonly #queue = createQueueSeries(this.registry);
  readonly #reconcile = createReconcileSeries(this.registry);
  readonly #webhook = createWebhookSeries(this.registry);
  readonly #requests = this.registry.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labelNames: ['code', 'method', 'host'],
  });
  readonly #leaderStatus = this.registry.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the lease: 1 if it leads, 0 if it does not.',
    labelNames: ['name'],
  });

  /** @param name Name of the controller of the queue. */
  queue(name: string): QueueMetrics {
    const series = this.#queue;
    const labels = { name, controller: name };
    series.adds.add(labels, 0);
    series.retries.add(labels, 0);
    series.wait.declare(labels);
    series.work.declare(labels);
    return {
      recordAdd: () => series.adds.add(labels),
      recordStart: (waitedMs) => series.wait.observe(labels, waitedMs / 1000),
      recordEnd: (workedMs) => series.work.observe(labels, workedMs / 1000),
      recordRetry: () => series.retries.add(labels),
      observe: (queue) => {
        series.depth.observe(labels, () => queue.depth());
        series.unfinished.observe(labels, () => queue.unfinishedMs() / 1000);
        series.longestRunning.observe(labels, () => queue.longestRunningMs() / 1000);
      },
    };
  }

  /** Returns the metrics of a controller's reconciles. */
  reconcile(controller: string): ReconcileMetrics {
    const series = this.#reconcile;
    const labels = { controller };
    for (const result of RECONCILE_OUTCOMES) series.reconciles.add({ controller, result }, 0);
    series.errors.add(labels, 0);
    series.terminalErrors.add(labels, 0);
    series.active.set(labels, 0);
    series.duration.declare(labels);
    return {
      setMaxConcurrentReconciles: (count) => series.maxConcurrent.set(labels, count),
      recordStart: () => series.active.add(labels, 1),
      recordEnd: (result, durationMs) => {
        series.active.add(labels, -1);
        series.reconciles.add({ controller, result });
        if (result === 'error') series.errors.add(labels);
        series.duration.observe(labels, durationMs / 1000);
      },
      recordTerminalError: () => series.terminalErrors.add(labels),
      recordUnhandledRejection: () => series.errors.add(labels),
    };
  }

  /** @param path Path of the webhook. */
  webhook(path: string): WebhookMetrics {
    const series = this.#webhook;
    const labels = { webhook: path };
    for (const code of ['200', '500']) series.requests.add({ webhook: path, code }, 0);
    series.inFlight.set(labels, 0);
    series.latency.declare(labels);
    return {
      started: () => series.inFlight.add(labels, 1),
      responded: (code, durationMs) => {
        series.inFlight.add(labels, -1);
        series.requests.add({ webhook: path, code: String(code) });
        series.latency.observe(labels, durationMs / 1000);
      },
    };
  }

  /** Returns the metrics of the requests to the API server. */
  requests(): RequestMetrics {
    return { countResponse: (method, host, code) => this.#requests.add({ code, method, host }) };
  }

  /** @param name Name of the lease. */
  leaderElection(name: string): LeaderElectionMetrics {
    this.#leaderStatus.set({ name }, 0);
    return { setLeading: (isLeading) => this.#leaderStatus.set({ name }, isLeading ? 1 : 0) };
  }

  /** Resolves to the response for a scrape. */
  render(): Promise<RenderedMetrics> {
    return this.registry.render();
  }
}

function createQueueSeries(registry: MetricsRegistry) {
  // In Go's controller-runtime, workqueue_depth also has the label `priority`, which is empty for a queue without
  // priorities. Prometheus ignores empty labels, so the label is omitted here.
  const labelNames = ['name', 'controller'];
  return {
    depth: registry.observedGauge({
      name: 'workqueue_depth',
      help: 'Objects that wait for a worker.',
      labelNames,
    }),
    adds: registry.counter({
      name: 'workqueue_adds_total',
      help: 'Objects added to the queue. An object that already waits is not counted again.',
      labelNames,
    }),
    wait: registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long an object waited in the queue before a worker took it.',
      labelNames,
      buckets: QUEUE_BUCKETS_SECONDS,
    }),
    work: registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long a worker processed an object.',
      labelNames,
      buckets: QUEUE_BUCKETS_SECONDS,
    }),
    unfinished: registry.observedGauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Time spent so far on all objects in progress. A steady increase indicates stuck workers.',
      labelNames,
    }),
    longestRunning: registry.observedGauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Longest time that a worker has been processing its current object.',
      labelNames,
    }),
    retries: registry.counter({
      name: 'workqueue_retries_total',
      help: 'Objects requeued with back-off.',
      labelNames,
    }),
  };
}

function createReconcileSeries(registry: MetricsRegistry) {
  const labelNames = ['controller'];
  return {
    reconciles: registry.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles by result.',
      labelNames: ['controller', 'result'],
      labelValues: { result: RECONCILE_OUTCOMES },
    }),
    errors: registry.counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciles that failed.',
      labelNames,
    }),
    terminalErrors: registry.counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Reconciles that failed and are not retried.',
      labelNames,
    }),
    duration: registry.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'How long a reconcile took.',
      labelNames,
      buckets: RECONCILE_BUCKETS_SECONDS,
    }),
    maxConcurrent: registry.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles.',
      labelNames,
    }),
    active: registry.gauge({
      name: 'controller_runtime_active_workers',
      help: 'Number of running reconciles.',
      labelNames,
    }),
  };
}

function createWebhookSeries(registry: MetricsRegistry) {
  return {
    requests: registry.counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Admission requests by HTTP status of the response.',
      labelNames: ['webhook', 'code'],
    }),
    latency: registry.histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'How long an admission request took.',
      labelNames: ['webhook'],
      buckets: WEBHOOK_BUCKETS_SECONDS,
    }),
    inFlight: registry.gauge({
      name: 'controller_runtime_webhook_requests_in_flight',
      help: 'Admission requests in progress.',
      labelNames: ['webhook'],
    }),
  };
}

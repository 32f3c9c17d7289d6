import { describe, expect, test } from 'vitest';
import { PrometheusMetrics } from './prometheus-metrics.ts';

/** The series whose names start with `prefix`, without comments. */
async function renderSeries(metrics: PrometheusMetrics, prefix: string): Promise<string[]> {
  const { body } = await metrics.render();
  return body.split('\n').filter((line) => line.startsWith(prefix));
}

/** Metrics of every part of the library. */
function machinery() {
  const metrics = new PrometheusMetrics();
  const queue = metrics.queue('q');
  const gauges = { depth: 0, unfinishedMs: 0, longestRunningMs: 0 };
  queue.observe({
    depth: () => gauges.depth,
    unfinishedMs: () => gauges.unfinishedMs,
    longestRunningMs: () => gauges.longestRunningMs,
  });
  const parts = {
    queue,
    reconcile: metrics.reconcile('c'),
    webhook: metrics.webhook('/validate-v1-pod'),
    requests: metrics.requests(),
    election: metrics.leaderElection('l'),
  };
  /** Non-zero series, without buckets. */
  const changed = async () =>
    (await renderSeries(metrics, '')).filter((line) => /^[a-z][^ ]* (?!0$)/.test(line) && !line.includes('_bucket{'));
  return { metrics, gauges, changed, ...parts };
}

test("all series exist from the start, with controller-runtime's names, labels and buckets", async () => {
  const { metrics, changed } = machinery();
  expect(await changed()).toEqual([]);
  const names = (await renderSeries(metrics, ''))
    .filter((line) => /^[a-z]/.test(line))
    .map((line) => line.split(' ')[0]);
  const buckets = Object.groupBy(names, (name = '') => name.replace(/\{(le="[^"]*",)?/, '{'));
  expect(Object.entries(buckets).map(([name, series]) => `${name} ${series?.length}`)).toEqual([
    'workqueue_depth{name="q",controller="q"} 1',
    'workqueue_adds_total{name="q",controller="q"} 1',
    'workqueue_queue_duration_seconds_bucket{name="q",controller="q"} 13',
    'workqueue_queue_duration_seconds_sum{name="q",controller="q"} 1',
    'workqueue_queue_duration_seconds_count{name="q",controller="q"} 1',
    'workqueue_work_duration_seconds_bucket{name="q",controller="q"} 13',
    'workqueue_work_duration_seconds_sum{name="q",controller="q"} 1',
    'workqueue_work_duration_seconds_count{name="q",controller="q"} 1',
    'workqueue_unfinished_work_seconds{name="q",controller="q"} 1',
    'workqueue_longest_running_processor_seconds{name="q",controller="q"} 1',
    'workqueue_retries_total{name="q",controller="q"} 1',
    'controller_runtime_reconcile_total{controller="c",result="success"} 1',
    'controller_runtime_reconcile_total{controller="c",result="error"} 1',
    'controller_runtime_reconcile_total{controller="c",result="requeue"} 1',
    'controller_runtime_reconcile_total{controller="c",result="requeue_after"} 1',
    'controller_runtime_reconcile_errors_total{controller="c"} 1',
    'controller_runtime_terminal_reconcile_errors_total{controller="c"} 1',
    'controller_runtime_reconcile_time_seconds_bucket{controller="c"} 41',
    'controller_runtime_reconcile_time_seconds_sum{controller="c"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="c"} 1',
    'controller_runtime_active_workers{controller="c"} 1',
    'controller_runtime_webhook_requests_total{webhook="/validate-v1-pod",code="200"} 1',
    'controller_runtime_webhook_requests_total{webhook="/validate-v1-pod",code="500"} 1',
    'controller_runtime_webhook_latency_seconds_bucket{webhook="/validate-v1-pod"} 12',
    'controller_runtime_webhook_latency_seconds_sum{webhook="/validate-v1-pod"} 1',
    'controller_runtime_webhook_latency_seconds_count{webhook="/validate-v1-pod"} 1',
    'controller_runtime_webhook_requests_in_flight{webhook="/validate-v1-pod"} 1',
    'leader_election_master_status{name="l"} 1',
  ]);
});

test('counts every call, with durations in seconds', async () => {
  const { metrics, gauges, changed, queue, reconcile, webhook, requests, election } = machinery();
  queue.recordAdd();
  queue.recordAdd();
  queue.recordRetry();
  queue.recordStart(50);
  queue.recordEnd(2000);
  Object.assign(gauges, { depth: 3, unfinishedMs: 2500, longestRunningMs: 1500 });
  reconcile.setMaxConcurrentReconciles(512);
  for (let count = 0; count < 3; count++) reconcile.recordStart();
  reconcile.recordEnd('requeue_after', 10);
  reconcile.recordTerminalError();
  reconcile.recordEnd('error', 20);
  webhook.started();
  webhook.started();
  webhook.responded(413, 250);
  requests.countResponse('GET', '10.0.0.1:443', '200');
  requests.countResponse('POST', '10.0.0.1:443', '<error>');
  election.setLeading(true);
  expect(await changed()).toEqual([
    'workqueue_depth{name="q",controller="q"} 3',
    'workqueue_adds_total{name="q",controller="q"} 2',
    'workqueue_queue_duration_seconds_sum{name="q",controller="q"} 0.05',
    'workqueue_queue_duration_seconds_count{name="q",controller="q"} 1',
    'workqueue_work_duration_seconds_sum{name="q",controller="q"} 2',
    'workqueue_work_duration_seconds_count{name="q",controller="q"} 1',
    'workqueue_unfinished_work_seconds{name="q",controller="q"} 2.5',
    'workqueue_longest_running_processor_seconds{name="q",controller="q"} 1.5',
    'workqueue_retries_total{name="q",controller="q"} 1',
    'controller_runtime_reconcile_total{controller="c",result="error"} 1',
    'controller_runtime_reconcile_total{controller="c",result="requeue_after"} 1',
    'controller_runtime_reconcile_errors_total{controller="c"} 1',
    'controller_runtime_terminal_reconcile_errors_total{controller="c"} 1',
    'controller_runtime_reconcile_time_seconds_sum{controller="c"} 0.03',
    'controller_runtime_reconcile_time_seconds_count{controller="c"} 2',
    'controller_runtime_max_concurrent_reconciles{controller="c"} 512',
    'controller_runtime_active_workers{controller="c"} 1',
    'controller_runtime_webhook_requests_total{webhook="/validate-v1-pod",code="413"} 1',
    'controller_runtime_webhook_latency_seconds_sum{webhook="/validate-v1-pod"} 0.25',
    'controller_runtime_webhook_latency_seconds_count{webhook="/validate-v1-pod"} 1',
    'controller_runtime_webhook_requests_in_flight{webhook="/validate-v1-pod"} 1',
    'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:443"} 1',
    'rest_client_requests_total{code="<error>",method="POST",host="10.0.0.1:443"} 1',
    'leader_election_master_status{name="l"} 1',
  ]);
  const [shortest] = await renderSeries(metrics, 'workqueue_queue_duration_seconds_bucket');
  expect(shortest).toBe('workqueue_queue_duration_seconds_bucket{le="1e-8",name="q",controller="q"} 0');
  gauges.depth = 4;
  expect(await changed()).toContain('workqueue_depth{name="q",controller="q"} 4');
});

describe('registry', () => {
  test('keeps instances apart', async () => {
    const one = new PrometheusMetrics();
    const other = new PrometheusMetrics();
    one.queue('q').recordAdd();
    expect(await renderSeries(other, 'workqueue_adds_total')).toEqual([]);
  });

  test('rejects a duplicate name', () => {
    const metrics = new PrometheusMetrics();
    expect(() => metrics.registry.gauge({ name: 'workqueue_depth', help: '' })).toThrow(
      'workqueue_depth exists already',
    );
    const gauges = [{ name: 'workqueue_depth', help: '', read: () => 1 }];
    const things = { labelNames: [], items: () => [], getLabels: () => ({}) };
    expect(() => metrics.registry.snapshotGauges({ ...things, gauges })).toThrow('workqueue_depth exists already');
  });

  test('renders snapshot gauges of the current items, after the rest', async () => {
    const metrics = new PrometheusMetrics();
    const items = [{ name: 'a' }];
    const gauges = [{ name: 'thing_size', help: 'Size.', read: () => items.length }];
    metrics.registry.snapshotGauges({
      labelNames: ['name'],
      gauges,
      items: () => items,
      getLabels: ({ name }) => ({ name }),
    });
    expect(await renderSeries(metrics, 'thing_size')).toEqual(['thing_size{name="a"} 1']);
    items[0] = { name: 'b' };
    const { body } = await metrics.render();
    expect(body.endsWith('\n\n# HELP thing_size Size.\n# TYPE thing_size gauge\nthing_size{name="b"} 1\n')).toBe(true);
  });

  test('describes every metric and the values of its labels', () => {
    const { registry } = new PrometheusMetrics();
    const machinery = registry.descriptions.length;
    registry.counter({ name: 'c', help: 'C.', labelNames: ['x', 'y'], labelValues: { x: ['1', '2'] } });
    registry.gauge({ name: 'g', help: 'G.' });
    registry.observedGauge({ name: 'o', help: 'O.' });
    registry.histogram({ name: 'h', help: 'H.', buckets: [1] });
    const things = { labelNames: ['name'], items: () => [], getLabels: () => ({}) };
    registry.snapshotGauges({ ...things, gauges: [{ name: 's', help: 'S.', read: () => 1 }] });
    expect(registry.descriptions.slice(machinery)).toMatchObject([
      { name: 'c', type: 'counter', help: 'C.', labelNames: ['x', 'y'], labelValues: { x: ['1', '2'] } },
      { name: 'g', type: 'gauge', help: 'G.' },
      { name: 'o', type: 'gauge', help: 'O.' },
      { name: 'h', type: 'histogram', help: 'H.' },
      { name: 's', type: 'gauge', help: 'S.', labelNames: ['name'] },
    ]);
    expect(registry.descriptions).toContainEqual({
      name: 'controller_runtime_reconcile_total',
      type: 'counter',
      help: expect.any(String),
      labelNames: ['controller', 'result'],
      labelValues: { result: ['success', 'error', 'requeue', 'requeue_after'] },
    });
  });

  test('adds process metrics on request, and renders the text format', async () => {
    const metrics = new PrometheusMetrics();
    expect(await renderSeries(metrics, 'process_')).toEqual([]);
    metrics.registry.addProcessMetrics();
    const { contentType, body } = await metrics.render();
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toMatch(/^process_cpu_seconds_total /m);
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });
});

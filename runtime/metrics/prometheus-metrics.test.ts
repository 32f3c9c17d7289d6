import { describe, expect, test } from 'vitest';
import { PrometheusMetrics } from './prometheus-metrics.ts';

/** The series whose names start with `prefix`, without comments. */
async function seriesOf(metrics: PrometheusMetrics, prefix: string): Promise<string[]> {
  const { body } = await metrics.render();
  return body.split('\n').filter((line) => line.startsWith(prefix));
}

describe('queue', () => {
  test('has all series from the start', async () => {
    const metrics = new PrometheusMetrics();
    metrics.queue('cronjob').observe({ depth: () => 0, unfinishedMs: () => 0, longestRunningMs: () => 0 });
    const { body } = await metrics.render();
    const names = new Set(body.match(/^workqueue_[a-z_]+?(?=_bucket|_sum|_count|\{)/gm));
    expect([...names].sort()).toEqual([
      'workqueue_adds_total',
      'workqueue_depth',
      'workqueue_longest_running_processor_seconds',
      'workqueue_queue_duration_seconds',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_work_duration_seconds',
    ]);
  });

  test('labels each series with the name twice, as controller-runtime does', async () => {
    const metrics = new PrometheusMetrics();
    const queue = metrics.queue('cronjob');
    queue.added();
    queue.added();
    queue.retried();
    expect(await seriesOf(metrics, 'workqueue_adds_total')).toEqual([
      'workqueue_adds_total{name="cronjob",controller="cronjob"} 2',
    ]);
    expect(await seriesOf(metrics, 'workqueue_retries_total')).toEqual([
      'workqueue_retries_total{name="cronjob",controller="cronjob"} 1',
    ]);
  });

  test('reads gauges at each scrape, in seconds', async () => {
    const metrics = new PrometheusMetrics();
    let depth = 3;
    metrics.queue('a').observe({ depth: () => depth, unfinishedMs: () => 2500, longestRunningMs: () => 1500 });
    metrics.queue('b').observe({ depth: () => 7, unfinishedMs: () => 0, longestRunningMs: () => 0 });
    await metrics.render();
    depth = 4;
    expect(await seriesOf(metrics, 'workqueue_depth')).toEqual([
      'workqueue_depth{name="a",controller="a"} 4',
      'workqueue_depth{name="b",controller="b"} 7',
    ]);
    expect(await seriesOf(metrics, 'workqueue_unfinished_work_seconds{name="a"')).toEqual([
      'workqueue_unfinished_work_seconds{name="a",controller="a"} 2.5',
    ]);
    expect(await seriesOf(metrics, 'workqueue_longest_running_processor_seconds{name="a"')).toEqual([
      'workqueue_longest_running_processor_seconds{name="a",controller="a"} 1.5',
    ]);
  });

  test('observes durations in seconds, in twelve buckets from ten nanoseconds', async () => {
    const metrics = new PrometheusMetrics();
    const queue = metrics.queue('q');
    queue.started(50);
    queue.finished(2000);
    const buckets = await seriesOf(metrics, 'workqueue_queue_duration_seconds_bucket');
    expect(buckets).toHaveLength(13);
    expect(buckets[0]).toBe('workqueue_queue_duration_seconds_bucket{le="1e-8",name="q",controller="q"} 0');
    expect(await seriesOf(metrics, 'workqueue_queue_duration_seconds_sum')).toEqual([
      'workqueue_queue_duration_seconds_sum{name="q",controller="q"} 0.05',
    ]);
    expect(await seriesOf(metrics, 'workqueue_work_duration_seconds_sum')).toEqual([
      'workqueue_work_duration_seconds_sum{name="q",controller="q"} 2',
    ]);
  });
});

describe('reconcile', () => {
  test('starts every outcome at zero', async () => {
    const metrics = new PrometheusMetrics();
    metrics.reconcile('cronjob');
    expect(await seriesOf(metrics, 'controller_runtime_reconcile_total')).toEqual([
      'controller_runtime_reconcile_total{controller="cronjob",result="success"} 0',
      'controller_runtime_reconcile_total{controller="cronjob",result="error"} 0',
      'controller_runtime_reconcile_total{controller="cronjob",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="cronjob",result="requeue_after"} 0',
    ]);
  });

  test('counts a failed pass as an error as well, and a terminal one on top', async () => {
    const metrics = new PrometheusMetrics();
    const reconcile = metrics.reconcile('c');
    reconcile.setMaxConcurrent(512);
    reconcile.started();
    reconcile.started();
    reconcile.started();
    reconcile.finished('requeue_after', 10);
    reconcile.terminalError();
    reconcile.finished('error', 20);
    const { body } = await metrics.render();
    expect(body).toContain('controller_runtime_max_concurrent_reconciles{controller="c"} 512\n');
    expect(body).toContain('controller_runtime_active_workers{controller="c"} 1\n');
    expect(body).toContain('controller_runtime_reconcile_total{controller="c",result="error"} 1\n');
    expect(body).toContain('controller_runtime_reconcile_errors_total{controller="c"} 1\n');
    expect(body).toContain('controller_runtime_terminal_reconcile_errors_total{controller="c"} 1\n');
    expect(body).toContain('controller_runtime_reconcile_time_seconds_sum{controller="c"} 0.03\n');
  });

  test('has the forty buckets of controller-runtime', async () => {
    const metrics = new PrometheusMetrics();
    metrics.reconcile('c');
    const buckets = await seriesOf(metrics, 'controller_runtime_reconcile_time_seconds_bucket');
    expect(buckets).toHaveLength(41);
  });
});

test('measures a webhook by its path, and has its series from the start', async () => {
  const metrics = new PrometheusMetrics();
  const webhook = metrics.webhook('/validate-v1-pod');
  const requests = 'controller_runtime_webhook_requests_total{webhook="/validate-v1-pod",code=';
  expect(await seriesOf(metrics, requests)).toEqual([`${requests}"200"} 0`, `${requests}"500"} 0`]);
  webhook.started();
  webhook.started();
  webhook.answered(413, 250);
  expect(await seriesOf(metrics, `${requests}"413"`)).toEqual([`${requests}"413"} 1`]);
  const { body } = await metrics.render();
  expect(body).toContain('controller_runtime_webhook_requests_in_flight{webhook="/validate-v1-pod"} 1\n');
  expect(body).toContain('controller_runtime_webhook_latency_seconds_sum{webhook="/validate-v1-pod"} 0.25\n');
  expect(await seriesOf(metrics, 'controller_runtime_webhook_latency_seconds_bucket')).toHaveLength(12);
});

test('counts requests by code, method and host', async () => {
  const metrics = new PrometheusMetrics();
  metrics.requests().responded('GET', '10.0.0.1:443', '200');
  metrics.requests().responded('POST', '10.0.0.1:443', '<error>');
  expect(await seriesOf(metrics, 'rest_client_requests_total')).toEqual([
    'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:443"} 1',
    'rest_client_requests_total{code="<error>",method="POST",host="10.0.0.1:443"} 1',
  ]);
});

test('says whether the lease is held', async () => {
  const metrics = new PrometheusMetrics();
  const election = metrics.leaderElection('cronjob');
  expect(await seriesOf(metrics, 'leader_election_master_status')).toEqual([
    'leader_election_master_status{name="cronjob"} 0',
  ]);
  election.setLeading(true);
  expect(await seriesOf(metrics, 'leader_election_master_status')).toEqual([
    'leader_election_master_status{name="cronjob"} 1',
  ]);
});

describe('registry', () => {
  test('keeps instances apart', async () => {
    const one = new PrometheusMetrics();
    const other = new PrometheusMetrics();
    one.queue('q').added();
    expect(await seriesOf(other, 'workqueue_adds_total')).toEqual([]);
  });

  test('takes metrics of others', async () => {
    const metrics = new PrometheusMetrics();
    metrics.registry.counter({ name: 'jobs_started_total', help: 'Jobs started.' }).add({});
    expect(await seriesOf(metrics, 'jobs_started_total')).toEqual(['jobs_started_total 1']);
  });

  test('refuses a name that is taken', () => {
    const metrics = new PrometheusMetrics();
    expect(() => metrics.registry.gauge({ name: 'workqueue_depth', help: '' })).toThrow(
      'workqueue_depth exists already',
    );
    const gauges = [{ name: 'workqueue_depth', help: '', read: () => 1 }];
    const things = { labelNames: [], items: () => [], labelsOf: () => ({}) };
    expect(() => metrics.registry.snapshotGauges({ ...things, gauges })).toThrow('workqueue_depth exists already');
  });

  test('shows gauges of the things that there are at each scrape, after the rest', async () => {
    const metrics = new PrometheusMetrics();
    const things = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    metrics.registry.snapshotGauges({
      labelNames: ['name'],
      gauges: [{ name: 'thing_size', help: 'Size.', read: ([, size]) => size }],
      items: () => [...things],
      labelsOf: ([name]) => ({ name }),
    });
    metrics.requests().responded('GET', 'host', '200');
    expect(await seriesOf(metrics, 'thing_size')).toEqual(['thing_size{name="a"} 1', 'thing_size{name="b"} 2']);
    things.delete('a');
    things.set('b', 3);
    const { body } = await metrics.render();
    const end = '\n\n# HELP thing_size Size.\n# TYPE thing_size gauge\nthing_size{name="b"} 3\n';
    expect(body.endsWith(end)).toBe(true);
    expect(body).toContain('rest_client_requests_total{code="200",method="GET",host="host"} 1\n');
  });

  test('describes every metric that was made, and what its labels can be', () => {
    const { registry } = new PrometheusMetrics();
    const machinery = registry.descriptions.length;
    registry.counter({ name: 'c', help: 'C.', labelNames: ['x', 'y'], labelValues: { x: ['1', '2'] } });
    registry.gauge({ name: 'g', help: 'G.' });
    registry.observedGauge({ name: 'o', help: 'O.' });
    registry.histogram({ name: 'h', help: 'H.', buckets: [1] });
    const things = { labelNames: ['name'], items: () => [], labelsOf: () => ({}) };
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

  test('adds process metrics when asked, and is rendered in the text format', async () => {
    const metrics = new PrometheusMetrics();
    expect(await seriesOf(metrics, 'process_')).toEqual([]);
    metrics.registry.addProcessMetrics();
    const { contentType, body } = await metrics.render();
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toMatch(/^process_cpu_seconds_total /m);
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });
});

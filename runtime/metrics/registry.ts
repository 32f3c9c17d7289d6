/**
 * Counters, gauges and histograms, and the text that Prometheus scrapes. Only this file imports prom-client.
 *
 * A registry is a value: several can coexist in one process.
 */
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';
import { renderSnapshot, type SnapshotDefinition } from './snapshot-gauges.ts';

export type MetricLabels = Readonly<Record<string, string>>;

export interface MetricDefinition {
  /** Full name with the unit as a suffix: `workqueue_work_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** All possible values of each label. For the documentation; absent when they are not known in advance. */
  readonly labelValues?: Readonly<Record<string, readonly string[]>>;
}

/** A metric as the documentation shows it. */
export interface MetricDescription extends MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds, ascending; `+Inf` is added. */
  readonly buckets: readonly number[];
}

export interface Counter {
  /** Adds `by`, default 1. 0 creates the series before anything is counted. */
  add(labels: MetricLabels, by?: number): void;
}

export interface Gauge {
  set(labels: MetricLabels, value: number): void;
  add(labels: MetricLabels, by: number): void;
}

/** A gauge that is read at each scrape instead of being set. */
export interface ObservedGauge {
  /** Reads the series `labels` from `read` at each scrape. A second call for the same labels replaces the first. */
  observe(labels: MetricLabels, read: () => number): void;
}

export interface Histogram {
  observe(labels: MetricLabels, value: number): void;
  /** Creates the series before anything is observed. */
  declare(labels: MetricLabels): void;
}

/** The answer to a scrape. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

export class MetricsRegistry {
  readonly #registry = new Registry();
  readonly #descriptions = new Map<string, MetricDescription>();
  readonly #snapshots: (() => Promise<string>)[] = [];

  /** The metrics that were created here, in that order. Without process metrics, which vary with the platform. */
  get descriptions(): readonly MetricDescription[] {
    return [...this.#descriptions.values()];
  }

  /** Throws when the name is taken; so do the other four methods. */
  counter(definition: MetricDefinition): Counter {
    const counter = new PromCounter(this.#configuration('counter', definition));
    return { add: (labels, by = 1) => counter.inc(labels, by) };
  }

  gauge(definition: MetricDefinition): Gauge {
    const gauge = new PromGauge(this.#configuration('gauge', definition));
    return {
      set: (labels, value) => gauge.set(labels, value),
      add: (labels, by) => gauge.inc(labels, by),
    };
  }

  observedGauge(definition: MetricDefinition): ObservedGauge {
    const readers = new Map<string, { readonly labels: MetricLabels; readonly read: () => number }>();
    new PromGauge({
      ...this.#configuration('gauge', definition),
      collect() {
        for (const { labels, read } of readers.values()) this.set(labels, read());
      },
    });
    return { observe: (labels, read) => void readers.set(JSON.stringify(labels), { labels, read }) };
  }

  /** Gauges with a series for each item that exists at the scrape. */
  snapshotGauges<T>(definition: SnapshotDefinition<T>): void {
    const { labelNames, gauges } = definition;
    for (const { name, help } of gauges) this.#describe('gauge', { name, help, labelNames });
    this.#snapshots.push(() => renderSnapshot(definition));
  }

  histogram(definition: HistogramDefinition): Histogram {
    const histogram = new PromHistogram({
      ...this.#configuration('histogram', definition),
      buckets: [...definition.buckets],
    });
    return {
      observe: (labels, value) => histogram.observe(labels, value),
      declare: (labels) => histogram.zero(labels),
    };
  }

  /**
   * Adds `process_*` and `nodejs_*`. Optional, because they cost time even without scrapes: a timer that measures the
   * event loop's delay, and an observer of garbage collections.
   */
  addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  async render(): Promise<RenderedMetrics> {
    const parts = [await this.#registry.metrics()];
    for (const render of this.#snapshots) parts.push(await render());
    return { contentType: this.#registry.contentType, body: parts.join('\n') };
  }

  #configuration(type: MetricDescription['type'], definition: MetricDefinition) {
    this.#describe(type, definition);
    const { name, help, labelNames = [] } = definition;
    return { name, help, labelNames: [...labelNames], registers: [this.#registry] };
  }

  #describe(type: MetricDescription['type'], definition: MetricDefinition): void {
    const { name } = definition;
    if (this.#descriptions.has(name)) throw new Error(`the metric ${name} exists already`);
    this.#descriptions.set(name, { ...definition, type });
  }
}

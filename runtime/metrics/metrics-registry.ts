/** Counters, gauges and histograms for Prometheus. Only this file imports prom-client. */
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';
import { renderSnapshot, type SnapshotDefinition } from './snapshot-gauges.ts';

/** Label values by label name. Every label of the metric needs a value. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Name and description of a metric. */
export interface MetricDefinition {
  /** Full name of the metric with its unit, such as `workqueue_work_duration_seconds`. */
  readonly name: string;
  /** Description of the metric. */
  readonly help: string;
  /** Names of the labels. Default: no labels. */
  readonly labelNames?: readonly string[];
  /** Possible values of labels, for the generated documentation. Labels with arbitrary values are omitted. */
  readonly labelValues?: Readonly<Record<string, readonly string[]>>;
}

/** The description of a metric for the generated documentation. */
export interface MetricDescription extends MetricDefinition {
  /** Type of the metric in Prometheus. */
  readonly type: 'counter' | 'gauge' | 'histogram';
}

/** Name, description and buckets of a histogram. */
export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds of the buckets in ascending order. The library adds the bucket `+Inf`. */
  readonly buckets: readonly number[];
}

/** A metric that only increases, with one series for each combination of label values. */
export interface Counter {
  /** Adds `amount` to a series. Default 1. To create a series with the value 0, add 0. */
  add(labels: MetricLabels, amount?: number): void;
}

/** A metric that can increase and decrease, with one series for each combination of label values. */
export interface Gauge {
  /** Sets the value of a series. */
  set(labels: MetricLabels, value: number): void;
  /** Adds `amount`, which may be negative, to a series. A new series starts at 0. */
  add(labels: MetricLabels, amount: number): void;
}

/** A gauge that computes its values at each scrape. */
export interface ObservedGauge {
  /**
   * Adds a series. `readValue` returns the value of the series at each scrape. Replaces an existing series with the
   * same labels.
   */
  observe(labels: MetricLabels, readValue: () => number): void;
}

/** A metric that counts values in buckets, with one series for each combination of label values. */
export interface Histogram {
  /** Counts a value. The name of the metric contains the unit of the value, usually seconds. */
  observe(labels: MetricLabels, value: number): void;
  /** Creates a series in which all buckets have the count 0. */
  declare(labels: MetricLabels): void;
}

/** The content of a response to a scrape. */
export interface RenderedMetrics {
  /** Value of the header `Content-Type`. */
  readonly contentType: string;
  /** The metrics in the text format of Prometheus. */
  readonly body: string;
}

/** Creates metrics and renders them for Prometheus. `manager.metrics.registry` is the registry of a manager. */
export class MetricsRegistry {
  readonly #registry = new Registry();
  readonly #descriptions = new Map<string, MetricDescription>();
  readonly #snapshotRenderers: (() => Promise<string>)[] = [];

  /**
   * Descriptions of the metrics in the order of creation. Excludes the process metrics, which depend on the platform.
   */
  get descriptions(): readonly MetricDescription[] {
    return [...this.#descriptions.values()];
  }

  /** Creates a counter. Throws an error if a metric with this name exists. */
  counter(definition: MetricDefinition): Counter {
    const counter = new PromCounter(this.#createConfiguration('counter', definition));
    return { add: (labels, amount = 1) => counter.inc(labels, amount) };
  }

  /** Creates a gauge. Throws an error if a metric with this name exists. */
  gauge(definition: MetricDefinition): Gauge {
    const gauge = new PromGauge(this.#createConfiguration('gauge', definition));
    return {
      set: (labels, value) => gauge.set(labels, value),
      add: (labels, amount) => gauge.inc(labels, amount),
    };
  }

  /** Creates a gauge that reads its values at each scrape. Throws an error if a metric with this name exists. */
  observedGauge(definition: MetricDefinition): ObservedGauge {
    const readers = new Map<string, { readonly labels: MetricLabels; readonly read: () => number }>();
    new PromGauge({
      ...this.#createConfiguration('gauge', definition),
      collect() {
        for (const { labels, read } of readers.values()) this.set(labels, read());
      },
    });
    return { observe: (labels, read) => void readers.set(JSON.stringify(labels), { labels, read }) };
  }

  /** Creates gauges with one series for each item of a collection. The collection is read at each scrape. */
  snapshotGauges<T>(definition: SnapshotDefinition<T>): void {
    const { labelNames, gauges } = definition;
    for (const { name, help } of gauges) this.#addDescription('gauge', { name, help, labelNames });
    this.#snapshotRenderers.push(() => renderSnapshot(definition));
  }

  /** Creates a histogram. Throws an error if a metric with this name exists. */
  histogram(definition: HistogramDefinition): Histogram {
    const histogram = new PromHistogram({
      ...this.#createConfiguration('histogram', definition),
      buckets: [...definition.buckets],
    });
    return {
      observe: (labels, value) => histogram.observe(labels, value),
      declare: (labels) => histogram.zero(labels),
    };
  }

  /** Adds the metrics `process_*` and `nodejs_*`, which use CPU time even without scrapes. */
  addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Resolves to the response for a scrape. */
  async render(): Promise<RenderedMetrics> {
    const metricTexts = [await this.#registry.metrics()];
    for (const render of this.#snapshotRenderers) metricTexts.push(await render());
    return { contentType: this.#registry.contentType, body: metricTexts.join('\n') };
  }

  #createConfiguration(type: MetricDescription['type'], definition: MetricDefinition) {
    this.#addDescription(type, definition);
    const { name, help, labelNames = [] } = definition;
    return { name, help, labelNames: [...labelNames], registers: [this.#registry] };
  }

  #addDescription(type: MetricDescription['type'], definition: MetricDefinition): void {
    const { name } = definition;
    if (this.#descriptions.has(name)) throw new Error(`the metric ${name} exists already`);
    this.#descriptions.set(name, { ...definition, type });
  }
}

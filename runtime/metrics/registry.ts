/**
 * Counters, gauges and histograms, and the text that Prometheus scrapes. The only importer of prom-client.
 *
 * A registry is a value: several can live in one process without seeing each other.
 */
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

export interface MetricDefinition {
  /** Full name, with the unit as its last part: `workqueue_work_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds, ascending; `+Inf` is added. */
  readonly buckets: readonly number[];
}

export interface Counter {
  /** Adds `by`, 1 unless told. 0 makes the series appear before anything was counted. */
  add(labels: Labels, by?: number): void;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
  add(labels: Labels, by: number): void;
}

/** A gauge that is read when it is scraped, not set when it changes. */
export interface ObservedGauge {
  /** Reads the series `labels` from `read` at each scrape. A second call for the same labels takes the first one's place. */
  observe(labels: Labels, read: () => number): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
  /** Makes the series appear before anything was observed. */
  declare(labels: Labels): void;
}

/** What a scrape is answered with. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

export class MetricsRegistry {
  readonly #registry = new Registry();

  /** Throws when the name is taken; so do the other three. */
  counter(definition: MetricDefinition): Counter {
    const counter = new PromCounter(this.#configuration(definition));
    return { add: (labels, by = 1) => counter.inc(labels, by) };
  }

  gauge(definition: MetricDefinition): Gauge {
    const gauge = new PromGauge(this.#configuration(definition));
    return {
      set: (labels, value) => gauge.set(labels, value),
      add: (labels, by) => gauge.inc(labels, by),
    };
  }

  observedGauge(definition: MetricDefinition): ObservedGauge {
    const readers = new Map<string, { readonly labels: Labels; readonly read: () => number }>();
    new PromGauge({
      ...this.#configuration(definition),
      collect() {
        for (const { labels, read } of readers.values()) this.set(labels, read());
      },
    });
    return { observe: (labels, read) => void readers.set(JSON.stringify(labels), { labels, read }) };
  }

  histogram(definition: HistogramDefinition): Histogram {
    const histogram = new PromHistogram({
      ...this.#configuration(definition),
      buckets: [...definition.buckets],
    });
    return {
      observe: (labels, value) => histogram.observe(labels, value),
      declare: (labels) => histogram.zero(labels),
    };
  }

  /**
   * Adds `process_*` and `nodejs_*`. Not a matter of course, because these cost something even when nobody scrapes: a
   * timer that measures the event loop's delay, and an observer of garbage collections.
   */
  addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  async render(): Promise<RenderedMetrics> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #configuration({ name, help, labelNames = [] }: MetricDefinition) {
    return { name, help, labelNames: [...labelNames], registers: [this.#registry] };
  }
}

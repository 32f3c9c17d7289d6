/** A Prometheus as a process of its own, which scrapes one manager and evaluates the rules every second. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { inject } from 'vitest';
import { freePort } from '../../../hack/control-plane/free-port.ts';
import './provided.ts';
import type { RuleFile } from './rules.ts';

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface PrometheusOptions {
  readonly rules: RuleFile;
  /** `host:port` of the manager's metrics. */
  readonly target: string;
}

export class Prometheus implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #folder: string;
  readonly #address: string;

  /** Resolves once it answers. */
  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const prometheus = new Prometheus(options, await freePort());
    try {
      await eventually(() => prometheus.firing('none'), { timeoutMs: 60_000 });
    } catch (error) {
      const log = prometheus.#log();
      await prometheus[Symbol.asyncDispose]();
      throw new Error(`Prometheus does not answer; it said:\n${log}`, { cause: error });
    }
    return prometheus;
  }

  private constructor({ rules, target }: PrometheusOptions, port: number) {
    this.#folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    this.#address = `127.0.0.1:${port}`;
    const save = (name: string, content: unknown) => {
      writeFileSync(join(this.#folder, name), JSON.stringify(content));
      return join(this.#folder, name);
    };
    const configuration = save('prometheus.json', {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [save('rules.json', rules)],
      // Without honor_labels the namespace of a CronJob would be lost: docs/metrics.md.
      scrape_configs: [{ job_name: 'manager', honor_labels: true, static_configs: [{ targets: [target] }] }],
    });
    const flags = [`--config.file=${configuration}`, `--storage.tsdb.path=${join(this.#folder, 'data')}`];
    const log = openSync(join(this.#folder, 'log'), 'a');
    this.#child = spawn(inject('prometheus'), [...flags, `--web.listen-address=${this.#address}`], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#exited = once(this.#child, 'exit');
  }

  /** The alerts of this name that fire. */
  async firing(name: string): Promise<readonly FiringAlert[]> {
    const response = await fetch(`http://${this.#address}/api/v1/alerts`);
    if (!response.ok) throw new Error(`Prometheus answers ${response.status}`);
    const { data } = (await response.json()) as { readonly data: { readonly alerts: readonly PrometheusAlert[] } };
    return data.alerts.filter(({ labels, state }) => labels['alertname'] === name && state === 'firing');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }
}

interface PrometheusAlert extends FiringAlert {
  readonly state: 'pending' | 'firing';
}

/** A Prometheus process, which scrapes one manager and evaluates the rules every second. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from 'controller-runtime/testing';
import { inject } from 'vitest';
import { RULES } from '../../../hack/alerts/alerts.ts';
import { ManagedProcess } from '../../cluster/managed-process.ts';
import { Reaper } from '../../cluster/reaper.ts';
import './provided.ts';

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The same expressions, without a minimum duration before they fire. */
const IMMEDIATE_RULES = {
  groups: RULES.groups.map(({ name, rules }) => ({ name, rules: rules.map((rule) => ({ ...rule, for: '0s' })) })),
};

export class Prometheus implements AsyncDisposable {
  readonly #process: ManagedProcess;
  /** Ends Prometheus even when a hanging test is terminated before its clean-up. */
  readonly #reaper = new Reaper();
  readonly #address: string;

  /** Resolves when Prometheus answers. @param target `host:port` of the manager's metrics. */
  static async start(target: string): Promise<Prometheus> {
    const prometheus = new Prometheus(target, await findFreePort());
    try {
      await prometheus.#process.waitUntil('answers', async () => (await prometheus.firing('none')).length === 0);
    } catch (error) {
      await prometheus[Symbol.asyncDispose]();
      throw error;
    }
    return prometheus;
  }

  private constructor(target: string, port: number) {
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    this.#reaper.removeFolder(folder);
    this.#address = `127.0.0.1:${port}`;
    const save = (name: string, content: unknown) => {
      writeFileSync(join(folder, name), JSON.stringify(content));
      return join(folder, name);
    };
    const configuration = save('prometheus.json', {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [save('rules.json', IMMEDIATE_RULES)],
      // Without honor_labels, the series would lose the namespace of a CronJob: docs/metrics.md.
      scrape_configs: [{ job_name: 'manager', honor_labels: true, static_configs: [{ targets: [target] }] }],
    });
    const flags = [`--config.file=${configuration}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    this.#process = new ManagedProcess({
      name: 'prometheus',
      command: inject('prometheus'),
      args: [...flags, `--web.listen-address=${this.#address}`],
      logFile: join(folder, 'log'),
      reaper: this.#reaper,
    });
  }

  /** The firing alerts of this name. */
  async firing(name: string): Promise<readonly FiringAlert[]> {
    const { alerts } = await this.get<{ readonly alerts: readonly PrometheusAlert[] }>('alerts');
    return alerts.filter(({ labels, state }) => labels['alertname'] === name && state === 'firing');
  }

  /** The response of its HTTP API. Rejects with the message of an error. */
  async get<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
    const response = await fetch(`http://${this.#address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const { status, error, data } = (await response.json()) as PrometheusResponse<T>;
    if (status !== 'success') throw new Error(`Prometheus answers ${response.status} ${error}`);
    return data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop();
    await this.#reaper.close();
  }
}

interface PrometheusAlert extends FiringAlert {
  readonly state: 'pending' | 'firing';
}

interface PrometheusResponse<T> {
  readonly status: 'success' | 'error';
  readonly error?: string;
  readonly data: T;
}

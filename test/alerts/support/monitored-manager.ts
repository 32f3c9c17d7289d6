/** A manager that a real Prometheus scrapes. */
import type { MergePatch } from 'controller-runtime';
import { eventually, findFreePort } from 'controller-runtime/testing';
import { expect, inject } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../../controllers/resources.ts';
import { ManagerProcess } from '../../support/manager-process.ts';
import { Scene } from '../../support/scene.ts';
import { type FiringAlert, Prometheus } from './prometheus.ts';

/** Time for a scrape and an evaluation, on a machine that is busy with other work. */
export const TIMEOUT = { timeoutMs: 240_000 };
/** A schedule without a slot during a test. */
export const NEVER_DUE: Partial<CronJobSpec> = { schedule: '@every 10000h' };

/** A namespace with a manager for it, and a Prometheus that scrapes this manager. */
export class MonitoredManager implements AsyncDisposable {
  readonly scene: Scene;
  readonly prometheus: Prometheus;
  readonly #port: number;
  readonly #flags: readonly string[];
  #manager: ManagerProcess;

  /** @param flags Additional flags of the manager. */
  static async open(flags: readonly string[] = []): Promise<MonitoredManager> {
    const [scene, port] = [await Scene.open(), await findFreePort()];
    const prometheus = await Prometheus.start(`127.0.0.1:${port}`);
    const monitored = new MonitoredManager({ scene, prometheus, port, flags });
    try {
      await monitored.#manager.waitForLog('controller started');
    } catch (error) {
      await monitored[Symbol.asyncDispose]();
      throw error;
    }
    return monitored;
  }

  private constructor({ scene, prometheus, port, flags }: MonitoredManagerParts) {
    this.scene = scene;
    this.prometheus = prometheus;
    this.#port = port;
    this.#flags = flags;
    this.#manager = this.#startManager();
  }

  #startManager(): ManagerProcess {
    const { namespace } = this.scene;
    return new ManagerProcess(inject('kubeconfig'), [
      '--leader-elect',
      `--leader-election-namespace=${namespace}`,
      `--namespaces=${namespace}`,
      `--metrics-bind-address=127.0.0.1:${this.#port}`,
      '--metrics-secure=false',
      ...this.#flags,
    ]);
  }

  async killManager(): Promise<void> {
    this.#manager.signal('SIGKILL');
    await this.#manager.exited;
  }

  restartManager(): void {
    this.#manager = this.#startManager();
  }

  /** Resolves when the alert fires, for one object only. */
  async waitUntilFiring(name: string): Promise<FiringAlert> {
    return await eventually(async () => {
      const [alert, ...others] = await this.prometheus.firing(name);
      expect(others).toEqual([]);
      if (alert === undefined) throw new Error(`${name} does not fire`);
      return alert;
    }, TIMEOUT);
  }

  async waitUntilResolved(name: string): Promise<void> {
    await eventually(async () => expect(await this.prometheus.firing(name)).toEqual([]), TIMEOUT);
  }

  /** Waits for a scrape that begins after the call, because Prometheus sees an increase only in a series that it has scraped before. */
  async waitForScrape(): Promise<void> {
    const query = `timestamp(up{job="manager"} == 1) > ${Date.now() / 1000}`;
    await eventually(async () => {
      const { result } = await this.prometheus.get<{ result: readonly unknown[] }>('query', { query });
      expect(result).toHaveLength(1);
    }, TIMEOUT);
  }

  /** A CronJob with a status that the manager has written. */
  async createObservedCronJob(): Promise<void> {
    await this.scene.createCronJob(NEVER_DUE);
    await this.scene.waitUntilObserved();
  }

  /** Writes a field of the controller, which does not react to the write. */
  async patchStatus(status: MergePatch<CronJob>['status']): Promise<void> {
    const { client, namespace } = this.scene;
    const patch = { kind: 'merge', body: { status } } as const;
    await client.patch(cronJobs, { namespace, name: 'hello' }, patch, { subresource: 'status' });
  }

  /** Ends a Job now, by the machine's clock, because Prometheus compares times of the manager. */
  async finish(job: Job, type: 'Complete' | 'Failed'): Promise<void> {
    const { clock } = this.scene;
    await clock.advance(Math.max(0, Date.now() + 1000 - clock.now().getTime()));
    await this.scene.finish(job, type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.prometheus[Symbol.asyncDispose]();
    await this.scene[Symbol.asyncDispose]();
  }
}

interface MonitoredManagerParts {
  readonly scene: Scene;
  readonly prometheus: Prometheus;
  readonly port: number;
  readonly flags: readonly string[];
}

/** One run: a fresh control plane with an observer, CronJobs in it, and the process of one driver. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from 'controller-runtime';
import { findFreePort } from 'controller-runtime/testing';
import type { Progress, ProgressStep } from '../../../hack/control-plane/progress.ts';
import { type BenchControlPlane, startControlPlane } from './control-plane.ts';
import { ControllerProcess } from './controller-process.ts';
import { DRIVERS, type Driver, type RawWork } from './drivers.ts';
import { Observer } from './observer.ts';
import type { Usage } from './process-usage.ts';
import type { Trial } from './run.ts';

/** Settings that all runs of the benchmark share. */
export interface Bench {
  /** Path of kube-controller-manager. */
  readonly controllerManager: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export const NAMESPACE = 'default';

const POLL_MS = 250;
/** More connections than this do not speed up the creation. */
const CREATORS = 16;

export class BenchSession implements AsyncDisposable {
  readonly driver: Driver;
  readonly controlPlane: BenchControlPlane;
  readonly observer: Observer;
  /** UIDs of the CronJobs. */
  readonly uids: string[] = [];
  readonly #bench: Bench;
  readonly #folder: string;
  readonly #controllers: ControllerProcess[] = [];
  readonly #killedUsages: Usage[] = [];

  private constructor(bench: Bench, driver: Driver, controlPlane: BenchControlPlane, folder: string) {
    this.driver = driver;
    this.controlPlane = controlPlane;
    this.observer = new Observer(controlPlane.transport, driver.cronJobs);
    this.#bench = bench;
    this.#folder = folder;
  }

  static async open(bench: Bench, { scenario, count, driver }: Trial): Promise<BenchSession> {
    const { title } = DRIVERS[driver];
    const step = bench.progress.step(`${scenario}, ${count} CronJobs, ${title}: starting a control plane`);
    const controlPlane = await startControlPlane();
    const folder = await mkdtemp(join(tmpdir(), 'cronjob-bench-'));
    const session = new BenchSession(bench, DRIVERS[driver], controlPlane, folder);
    try {
      await session.observer.waitUntilReady();
      step.done();
      return session;
    } catch (error) {
      step.failed('its watches do not open');
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const controller of this.#controllers) await controller[Symbol.asyncDispose]();
    await this.observer[Symbol.asyncDispose]();
    await this.controlPlane[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  step(name: string): ProgressStep {
    return this.#bench.progress.step(name);
  }

  get signal(): AbortSignal {
    return this.#bench.signal;
  }

  async createCronJobs(count: number, schedule: string, historyLimit = 3): Promise<void> {
    const step = this.step(`creating ${count} CronJobs with the schedule ${schedule}`);
    const numbers = Array.from({ length: count }, (_, index) => index).values();
    const create = async () => {
      for (const number of numbers) {
        this.signal.throwIfAborted();
        const cronJob = newCronJob(`bench-${String(number).padStart(5, '0')}`, schedule, historyLimit);
        const { metadata } = await this.controlPlane.client.create(this.driver.cronJobs, cronJob);
        this.uids.push(metadata.uid ?? '');
        step.update(`${this.uids.length} are there`);
      }
    };
    await Promise.all(Array.from({ length: CREATORS }, create));
    step.done();
  }

  async startController({
    due,
    rawWork = 'watch',
  }: {
    due?: Date;
    rawWork?: RawWork;
  } = {}): Promise<ControllerProcess> {
    const controller = new ControllerProcess({
      driver: this.driver,
      controllerManager: this.#bench.controllerManager,
      kubeconfig: this.controlPlane.kubeconfig,
      probePort: await findFreePort(),
      rawWork,
      due,
      logFile: join(this.#folder, `controller-${this.#controllers.length}.log`),
    });
    this.#controllers.push(controller);
    return controller;
  }

  /** Kills the driver, and keeps its usage. */
  async kill(controller: ControllerProcess): Promise<void> {
    this.#killedUsages.push(controller.usage());
    await controller.kill();
  }

  /** Usage of the controllers of this run: CPU of all, memory of the last one, and the highest peak. */
  usage(): Usage {
    const all = [
      ...this.#killedUsages,
      ...this.#controllers.filter(({ hasEnded }) => !hasEnded).map((each) => each.usage()),
    ];
    return {
      cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      residentMiB: all.at(-1)?.residentMiB ?? 0,
      peakMiB: Math.max(0, ...all.map(({ peakMiB }) => peakMiB)),
    };
  }

  /** Waits until a time. */
  async until(time: Date, description: string): Promise<void> {
    const leftSeconds = Math.round((time.getTime() - Date.now()) / 1000);
    const step = this.step(`waiting for ${description}, ${leftSeconds} s`);
    await sleep(Math.max(0, time.getTime() - Date.now()), undefined, { signal: this.signal });
    step.done();
  }

  /** Waits until `condition`; resolves to whether it became true within `timeoutMs`. */
  async waitFor(description: string, condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
    const step = this.step(`waiting for ${description}, at most ${Math.round(timeoutMs / 1000)} s`);
    const startedMs = performance.now();
    while (!(await condition())) {
      if (performance.now() - startedMs > timeoutMs) {
        step.inconclusive('not yet, going on');
        return false;
      }
      const { jobCount, statusCount } = this.observer.runTimes;
      step.update(`${jobCount} Jobs and ${statusCount} statuses so far`);
      await sleep(POLL_MS, undefined, { signal: this.signal });
    }
    step.done();
    return true;
  }
}

function newCronJob(name: string, schedule: string, historyLimit: number): KubernetesObject {
  const container = { name: 'main', image: 'busybox:1.36', command: ['true'] };
  const spec = {
    schedule,
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: historyLimit,
    failedJobsHistoryLimit: historyLimit,
    jobTemplate: { spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [container] } } } },
  };
  const cronJob = { metadata: { name, namespace: NAMESPACE }, spec };
  return cronJob as unknown as KubernetesObject; // either kind: the client adds the kind
}

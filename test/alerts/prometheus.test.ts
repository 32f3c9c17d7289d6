/** A real Prometheus scrapes the real manager, and its alerts fire and resolve. They need not hold for some time first. */
import type { MergePatch } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { Scene } from '../support/scene.ts';
import { type FiringAlert, Prometheus } from './support/prometheus.ts';
import { installedRules, withoutWaits } from './support/rules.ts';

/** A scrape, an evaluation, on a machine that does something else as well. */
const PATIENCE = { timeoutMs: 60_000 };
/** No slot of it comes while a test runs. */
const NOT_SOON: Partial<CronJobSpec> = { schedule: '@every 10000h' };

/** A namespace with a manager for it, and a Prometheus that scrapes this manager. */
class Watched implements AsyncDisposable {
  readonly scene: Scene;
  readonly #prometheus: Prometheus;
  readonly #port: number;
  #manager: ManagerProcess;

  static async open(): Promise<Watched> {
    const [scene, port] = [await Scene.open(), await freePort()];
    const prometheus = await Prometheus.start({ rules: withoutWaits(installedRules()), target: `127.0.0.1:${port}` });
    const watched = new Watched(scene, prometheus, port);
    try {
      await watched.#manager.logged('controller started');
    } catch (error) {
      await watched[Symbol.asyncDispose]();
      throw error;
    }
    return watched;
  }

  private constructor(scene: Scene, prometheus: Prometheus, port: number) {
    this.scene = scene;
    this.#prometheus = prometheus;
    this.#port = port;
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
    ]);
  }

  async killManager(): Promise<void> {
    this.#manager.signal('SIGKILL');
    await this.#manager.exited;
  }

  restartManager(): void {
    this.#manager = this.#startManager();
  }

  /** Resolves when the alert fires, for one thing alone. */
  async fires(name: string): Promise<FiringAlert> {
    return await eventually(async () => {
      const [alert, ...others] = await this.#prometheus.firing(name);
      expect(others).toEqual([]);
      if (alert === undefined) throw new Error(`${name} does not fire`);
      return alert;
    }, PATIENCE);
  }

  async resolves(name: string): Promise<void> {
    await eventually(async () => expect(await this.#prometheus.firing(name)).toEqual([]), PATIENCE);
  }

  /** A CronJob that the manager has written its status of. */
  async observedCronJob(spec: Partial<CronJobSpec> = {}): Promise<void> {
    await this.scene.createCronJob({ ...NOT_SOON, ...spec });
    await this.scene.observed();
  }

  /** Writes what the controller would write, which takes no notice of it. */
  async patchStatus(status: MergePatch<CronJob>['status']): Promise<void> {
    const { client, namespace } = this.scene;
    const patch = { kind: 'merge', body: { status } } as const;
    await client.patch(cronJobs, { namespace, name: 'hello' }, patch, { subresource: 'status' });
  }

  /** Starts a run by hand; `count` Jobs are there then. Returns the new one. */
  async run(count: number): Promise<Job> {
    await this.scene.annotate({ [RUN_NOW_ANNOTATION]: `run ${count}` });
    const found = await this.scene.hasJobs(count, PATIENCE);
    const isOld = ({ status }: Job) => status?.conditions?.length;
    const [job] = found.filter((each) => !isOld(each));
    if (job === undefined) throw new Error('no new Job');
    return job;
  }

  /** Ends a Job now, by the machine's clock: Prometheus compares times of the manager. */
  async finish(job: Job, type: 'Complete' | 'Failed'): Promise<void> {
    const { clock } = this.scene;
    await clock.advance(Math.max(0, Date.now() + 1000 - clock.now().getTime()));
    await this.scene.finish(job, type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.#prometheus[Symbol.asyncDispose]();
    await this.scene[Symbol.asyncDispose]();
  }
}

describe('a real Prometheus sees', () => {
  test('CronJobFailing fire when a run fails, and resolve when one succeeds', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    await watched.finish(await watched.run(1), 'Failed');
    const { labels, annotations } = await watched.fires('CronJobFailing');
    const { namespace } = watched.scene;
    expect(labels).toEqual({ alertname: 'CronJobFailing', severity: 'warning', namespace, name: 'hello' });
    expect(annotations['summary']).toBe(`CronJob ${namespace}/hello is failing.`);
    await watched.finish(await watched.run(2), 'Complete');
    await watched.resolves('CronJobFailing');
  });

  test('CronJobStuckStarting fire when no Pod of a Job is ready, and resolve when one is', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    const job = await watched.run(1);
    const { client } = watched.scene;
    const startTime = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
    const patchJob = (status: Job['status']) =>
      client.patch(jobs, job.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
    await patchJob({ startTime, active: 1 });
    const { labels, annotations } = await watched.fires('CronJobStuckStarting');
    expect(labels).toMatchObject({ namespace: watched.scene.namespace, name: 'hello' });
    expect(annotations['description']).toMatch(/^It has waited for 1h /);
    await patchJob({ ready: 1 });
    await watched.resolves('CronJobStuckStarting');
  });

  test('CronJobPaused fire when runs fail, and resolve when somebody resumes', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob({ schedule: '@every 1s', concurrencyPolicy: 'Forbid', pauseAfterFailures: 1 });
    const [job] = await watched.scene.hasJobs(1, PATIENCE);
    if (job === undefined) throw new Error('no Job');
    await watched.finish(job, 'Failed');
    expect(await watched.fires('CronJobPaused')).toMatchObject({ labels: { name: 'hello', severity: 'warning' } });
    await watched.scene.annotate({ [RESUME_ANNOTATION]: 'now' });
    await watched.resolves('CronJobPaused');
  });

  test('CronJobOverdue fire when no run succeeds in time, and resolve when one has', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob({ expectSuccessWithinSeconds: 1 });
    expect(await watched.fires('CronJobOverdue')).toMatchObject({ labels: { name: 'hello', severity: 'warning' } });
    await watched.finish(await watched.run(1), 'Complete');
    await watched.scene.edit({ expectSuccessWithinSeconds: 1_000_000 });
    await watched.resolves('CronJobOverdue');
  });

  test('CronJobControllerLate fire while a run is due and nobody has looked at it', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    await watched.patchStatus({ nextScheduleTime: new Date(Date.now() - 600_000).toISOString().replace(/\.\d+/, '') });
    await watched.fires('CronJobControllerLate');
    await watched.scene.edit({ schedule: '@every 20000h' }); // a pass, which finds that nothing is due
    await watched.resolves('CronJobControllerLate');
  });

  test('CronJobControllerDown fire when the manager was killed, and resolve when the next one leads', async () => {
    await using watched = await Watched.open();
    await watched.resolves('CronJobControllerDown'); // it may have fired before the manager led
    await watched.killManager();
    const { labels } = await watched.fires('CronJobControllerDown');
    expect(labels).toEqual({ alertname: 'CronJobControllerDown', severity: 'critical' });
    watched.restartManager();
    await watched.resolves('CronJobControllerDown');
  });
});

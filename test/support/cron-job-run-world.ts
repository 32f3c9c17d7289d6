/** CronJobRuns with both controllers of the manager, on an API server in memory. */
import { getCondition } from 'controller-runtime/kubernetes';
import { FakeApiServer, FakeClock, startTestManager } from 'controller-runtime/testing';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunSpec } from '../../api/v1/cronjobrun-types.ts';
import { setupWithManager } from '../../controllers/cronjob-controller.ts';
import { setupCronJobRunsWithManager } from '../../controllers/cronjobrun-controller.ts';
import { cronJobRuns, cronJobs, jobs } from '../../controllers/resources.ts';
import { at, cronJob } from './cron-jobs.ts';
import { OUR_CRDS } from './custom-resource-definitions.ts';

export const NAMESPACE = 'default';
/** The CronJobRun of most tests. */
export const RUN = { namespace: NAMESPACE, name: 'again' };
export const CRON_JOB = { namespace: NAMESPACE, name: 'hello' };

/** A cluster with the CronJob `hello`, and managers that a test starts and stops. */
export class CronJobRunWorld implements AsyncDisposable {
  readonly server: FakeApiServer;
  readonly clock = new FakeClock(at('00:10:00'));

  private constructor(server: FakeApiServer) {
    this.server = server;
  }

  static async start(spec: Partial<CronJobSpec> = {}): Promise<CronJobRunWorld> {
    const world = new CronJobRunWorld(await FakeApiServer.start({ crds: OUR_CRDS }));
    const { metadata, ...object } = cronJob(spec, {
      lastScheduleTime: at('00:10:00'),
      handledThrough: at('00:10:00'),
      observedGeneration: 1,
    });
    world.server.put(cronJobs, { ...object, metadata: { namespace: NAMESPACE, name: metadata.name } });
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }

  async startManager() {
    const setUp = (manager: Parameters<typeof setupWithManager>[0]) =>
      setupCronJobRunsWithManager(manager, setupWithManager(manager));
    return await startTestManager({ cluster: this.server, setUp, clock: this.clock });
  }

  /** Creates or replaces a CronJobRun. */
  request(spec: Partial<CronJobRunSpec>, name = RUN.name): void {
    const complete = { cronJobName: 'hello', concurrencyPolicy: 'Obey', ...spec } as const;
    this.server.put(cronJobRuns, { metadata: { namespace: NAMESPACE, name }, spec: complete });
  }

  get run(): CronJobRun | undefined {
    return this.server.get(cronJobRuns, RUN);
  }

  get jobNames(): readonly string[] {
    return this.server.list(jobs).map(({ metadata }) => metadata.name);
  }

  isActive({ status }: Job): boolean {
    return status?.conditions === undefined;
  }

  get activeJobs(): readonly Job[] {
    return this.server.list(jobs).filter(this.isActive);
  }

  /** Ends every active Job, as the Job controller does. */
  finishJobs(type: 'Complete' | 'Failed' = 'Complete'): void {
    const time = this.clock.now().toISOString();
    for (const job of this.activeJobs) {
      const conditions = [{ type, status: 'True', lastTransitionTime: time }] as const;
      const status = { startTime: job.metadata.creationTimestamp, completionTime: time, conditions };
      this.server.put(jobs, { ...job, status });
    }
  }

  /** Resolves when the state of the CronJobRun is `reason`, as its condition Complete reports it. */
  async untilState(reason: string, name = RUN.name): Promise<void> {
    const read = () => this.server.get(cronJobRuns, { namespace: NAMESPACE, name });
    await this.server.until(() => getCondition(read()?.status?.conditions, 'Complete')?.reason === reason);
  }

  /** Ends each Job as soon as it is created, until the CronJobRun has ended. @returns The names of the Jobs in the order of creation. */
  async runToEnd(state: 'Succeeded' | 'RunsFailed' = 'Succeeded'): Promise<readonly string[]> {
    const seen = new Set<string>();
    await this.server.until(() => {
      for (const { metadata } of this.activeJobs) seen.add(metadata.name);
      if (this.activeJobs.length > 0) queueMicrotask(() => this.finishJobs());
      return getCondition(this.run?.status?.conditions, 'Complete')?.reason === state;
    });
    return [...seen];
  }
}

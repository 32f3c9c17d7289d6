/** What the tests share: a CronJob with Jobs in its own namespace, and the operator with a fake clock. */
import { batch, type Job, type SpecInputOf, setControllerReference } from 'controller-runtime';
import {
  eventually,
  FakeClock,
  RecordingLogger,
  startTestManager,
  type TestEnvironment,
} from 'controller-runtime/testing';
import { CronJob } from '../../api/v1/cron-job-types.ts';
import { manifests } from '../../cmd/manifests.ts';
import { addCronJobController } from '../../controllers/cron-job-controller.ts';
import { SCHEDULED_AT } from '../../controllers/cron-job-jobs.ts';

export const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The first scheduled time, less than an hour after the API server has set the creation time of the CronJob. */
export const DUE = new Date((Math.floor(Date.now() / MINUTE_MS) + 50) * MINUTE_MS);

const pod = { restartPolicy: 'OnFailure', containers: [{ name: 'hello', image: 'busybox:1.37' }] };
/** A CronJob that runs hourly, first at {@link DUE}. */
export const SPEC: SpecInputOf<typeof CronJob> = {
  schedule: `${DUE.getUTCMinutes()} * * * *`,
  jobTemplate: { metadata: { labels: { app: 'hello' } }, spec: { template: { spec: pod } } },
};

interface JobOptions {
  readonly scheduledTime?: Date;
  readonly finalizers?: readonly string[];
}

export class Fixture {
  readonly log = new RecordingLogger();
  readonly environment: TestEnvironment;
  readonly namespace: string;
  readonly clock: FakeClock;

  constructor(environment: TestEnvironment, namespace: string, now: Date) {
    this.environment = environment;
    this.namespace = namespace;
    this.clock = new FakeClock(now);
  }

  createCronJob(spec: Partial<SpecInputOf<typeof CronJob>> = {}, name = 'hello'): Promise<CronJob> {
    const { client } = this.environment;
    return client.create(CronJob, { metadata: { namespace: this.namespace, name }, spec: { ...SPEC, ...spec } });
  }

  /** In a complete cluster, `managedBy` makes the Job controller of Kubernetes leave the Job to the test. */
  createJob(owner: CronJob, name: string, { scheduledTime, finalizers }: JobOptions = {}): Promise<Job> {
    const annotations = scheduledTime && { [SCHEDULED_AT]: scheduledTime.toISOString() };
    const spec = { managedBy: 'batch.example.com/test', template: { spec: pod } };
    const job = { metadata: { namespace: this.namespace, name, annotations, finalizers }, spec };
    return this.environment.client.create(batch.v1.jobs, setControllerReference(owner, job));
  }

  /** Reports the end of the Job, as the Job controller of Kubernetes does. */
  async finish({ metadata }: Job, type: 'Complete' | 'Failed', time = new Date()): Promise<void> {
    const startTime = `${time.toISOString().slice(0, 19)}Z`;
    const conditions = [type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', type].map((each) => ({
      type: each,
      status: 'True',
    }));
    const completionTime = type === 'Complete' ? startTime : undefined;
    await this.environment.client.updateStatus(batch.v1.jobs, {
      metadata,
      status: { startTime, completionTime, conditions },
    });
  }

  startOperator() {
    const { environment: cluster, namespace, clock, log } = this;
    const options = { cluster, setUp: addCronJobController, namespaces: [namespace], rbac: manifests };
    return startTestManager({ ...options, clock, log });
  }

  async status(): Promise<CronJob['status']> {
    const key = { namespace: this.namespace, name: 'hello' };
    return (await this.environment.client.get(CronJob, key))?.status;
  }

  jobs(): Promise<readonly Job[]> {
    return this.environment.client.list(batch.v1.jobs, { namespace: this.namespace });
  }

  async jobNames(): Promise<readonly string[]> {
    return (await this.jobs()).map(({ metadata }) => metadata.name).toSorted();
  }

  hasLogged(message: string): boolean {
    return this.log.records.some((record) => record.message === message);
  }

  /** Waits until `check` passes, while the clock advances. */
  advanceUntil(check: () => Promise<void>): Promise<void> {
    return eventually(async () => {
      await this.clock.advance(1_000);
      await check();
    });
  }
}

export const jobName = (scheduledTime: Date) => `hello-${scheduledTime.getTime() / 1000}`;

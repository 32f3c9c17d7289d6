/** Jobs whose Pods do not start, and Pods with a status of the test's: envtest has no Job controller and no kubelet. */
import type { Pod } from 'controller-runtime/kubernetes';
import { expect } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { jobs, pods } from '../../../controllers/resources.ts';
import type { Scene } from '../../support/scene.ts';

export const START_TIMEOUT_SECONDS = 20;

/** Starts the Job of the next minute, as the Job controller does, without a Pod; and lets its timeout pass. */
export async function startStuckJob(scene: Scene, spec: Partial<CronJobSpec> = {}): Promise<Job> {
  const job = await startJob(scene, spec);
  await scene.clock.advance(START_TIMEOUT_SECONDS * 1000);
  return job;
}

/** Starts the Job of the next minute, as the Job controller does. */
export async function startJob(scene: Scene, spec: Partial<CronJobSpec> = {}): Promise<Job> {
  await scene.createCronJob({ startTimeoutSeconds: START_TIMEOUT_SECONDS, ...spec });
  await scene.observed();
  await scene.passNextMinute();
  const [job] = await scene.hasJobs(1);
  if (job === undefined) throw new Error('no Job');
  const startTime = scene.clock.now().toISOString().replace(/\.\d+/, '');
  await scene.client.patch(
    jobs,
    job.metadata,
    { kind: 'merge', body: { status: { startTime, active: 1 } } },
    { subresource: 'status' },
  );
  await scene.eventually(async () => {
    // The manager knows of the start when it has armed a wake-up for it; what it does then, the tests see.
    expect((await scene.jobs())[0]?.status?.startTime).toBe(startTime);
  });
  return job;
}

/** Creates a Pod of the Job, with a status of its own. */
export async function createPod(scene: Scene, job: Job, status: NonNullable<Pod['status']>): Promise<void> {
  const { namespace, name, uid } = job.metadata;
  const metadata = { namespace, name: `${name}-x`, labels: { 'batch.kubernetes.io/controller-uid': uid } };
  const spec = { containers: [{ name: 'hello', image: 'busybox' }] };
  const pod = await scene.client.create(pods, { metadata, spec });
  await scene.client.patch(pods, pod.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
}

/** Jobs that do not start, on a real API server: what the manager asks of it, and what becomes of the Job. */
import { describe, expect, test } from 'vitest';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { jobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';
import { createPod, START_TIMEOUT_SECONDS, startJob } from './support/stuck-job.ts';

const PODS = /\/pods$/;
const UNSCHEDULABLE = {
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node fits' }],
} as const;
describe('a Job whose Pod cannot be scheduled', () => {
  test('is ended when its timeout has passed, by one list and one patch, and stays to be looked at', async () => {
    await using scene = await Scene.open();
    const manager = await scene.startManager();
    const job = await startJob(scene, { concurrencyPolicy: 'Forbid' });
    await createPod(scene, job, UNSCHEDULABLE);
    await scene.clock.advance((START_TIMEOUT_SECONDS - 3) * 1000);
    expect(manager.requests('GET', PODS)).toEqual([]);
    await scene.clock.advance(4000);
    const ended = await scene.eventually(async () => {
      const [found] = await scene.jobs();
      expect(found).toMatchObject({
        metadata: {
          uid: job.metadata.uid,
          annotations: { [START_TIMEOUT_ANNOTATION]: expect.stringContaining('Unschedulable: no node fits') },
        },
        spec: { activeDeadlineSeconds: START_TIMEOUT_SECONDS },
      });
      return found!;
    });
    expect(ended.metadata.annotations).toMatchObject(job.metadata.annotations ?? {});
    expect([manager.requests('GET', PODS).length, manager.requests('PATCH', /\/jobs\//).length]).toEqual([1, 1]);
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('StartTimeout'));

    // Forbid is not freed yet: the Pod may still be there.
    await scene.passNextMinute();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('JobAlreadyActive'));
    await scene.hasJobs(1);
    await fail(scene, ended.metadata.name);
    const [failed, next] = await scene.hasJobs(2);
    expect(failed?.metadata.uid).toBe(job.metadata.uid);
    expect(next?.metadata.annotations).not.toHaveProperty([START_TIMEOUT_ANNOTATION]);
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status).toMatchObject({ activeCount: 1, lastFailureTime: expect.any(String) });
    });
  });
});

/** Does what the Job controller does when the deadline of a Job has passed. */
async function fail(scene: Scene, name: string): Promise<void> {
  const now = scene.clock.now().toISOString().replace(/\.\d+/, '');
  const conditions = ['FailureTarget', 'Failed'].map((type) => ({
    type,
    status: 'True',
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
    lastTransitionTime: now,
  }));
  const body = { status: { active: 0, conditions } } as const;
  await scene.client.patch(
    jobs,
    { namespace: scene.namespace, name },
    { kind: 'merge', body },
    { subresource: 'status' },
  );
}

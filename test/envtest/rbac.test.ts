/** The role in config/rbac allows all that a manager does, and the policies in config/policy do not refuse any of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterRole, core } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Job } from '../../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { jobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';
import { createManagerKubeconfig } from './support/manager-policies.ts';

const ROLE_FILE = join(import.meta.dirname, '../../config/rbac/role.yaml');
const { rules: RULES }: { readonly rules: NonNullable<ClusterRole['rules']> } = parse(readFileSync(ROLE_FILE, 'utf8'));
const START_TIMEOUT_SECONDS = 20;
const UNSCHEDULABLE = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node fits' };

test('role and policies allow every action of a manager: start, record, prune, replace, report', async () => {
  await using scene = await Scene.open();
  await scene.startManager({ kubeconfig: await createManagerKubeconfig(scene, RULES) });
  await scene.createCronJob({ successfulJobsHistoryLimit: 0, concurrencyPolicy: 'Replace' });
  await scene.waitUntilObserved();
  await scene.passNextMinute();
  await scene.waitForJobs(1);
  const second = await scene.waitForJob(await scene.passNextMinute());
  await scene.waitForJobs(1);
  await scene.finish(second, 'Complete');
  await scene.waitForJobs(0);
  await scene.eventually(async () => {
    expect(await scene.listEventReasons()).toEqual(
      expect.arrayContaining(['SuccessfulCreate', 'SuccessfulDelete', 'SawCompletedJob']),
    );
  });
});

/** Starts the Job of the next minute, as the Job controller does: the API server runs without it and without a kubelet. */
async function startJob(scene: Scene): Promise<Job> {
  await scene.createCronJob({ startTimeoutSeconds: START_TIMEOUT_SECONDS });
  await scene.waitUntilObserved();
  const job = await scene.waitForJob(await scene.passNextMinute());
  const status = { startTime: scene.clock.now().toISOString().replace(/\.\d+/, ''), active: 1 };
  await scene.client.patch(jobs, job.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
  // The manager has seen the start when it has set a wake-up for it; the tests show what it does then.
  await scene.eventually(async () => expect((await scene.jobs())[0]?.status).toMatchObject(status));
  return job;
}

async function createPod({ client, namespace }: Scene, { metadata }: Job): Promise<void> {
  const labels = { 'batch.kubernetes.io/controller-uid': metadata.uid };
  const spec = { containers: [{ name: 'hello', image: 'busybox' }] };
  const pod = await client.create(core.v1.pods, { metadata: { namespace, name: 'unschedulable', labels }, spec });
  const body = { status: { conditions: [UNSCHEDULABLE] } };
  await client.patch(core.v1.pods, pod.metadata, { kind: 'merge', body }, { subresource: 'status' });
}

test('role and policies allow it to end a Job that does not start in time', async () => {
  await using scene = await Scene.open();
  const manager = await scene.startManager({ kubeconfig: await createManagerKubeconfig(scene, RULES) });
  const job = await startJob(scene);
  await createPod(scene, job);
  await scene.clock.advance((START_TIMEOUT_SECONDS - 3) * 1000);
  expect(manager.requests('GET', /\/pods$/)).toEqual([]);
  await scene.clock.advance(4000);
  await scene.eventually(async () => {
    const annotations = { ...job.metadata.annotations };
    annotations[START_TIMEOUT_ANNOTATION] = expect.stringContaining('Unschedulable: no node fits');
    expect(await scene.jobs()).toMatchObject([
      { metadata: { uid: job.metadata.uid, annotations }, spec: { activeDeadlineSeconds: START_TIMEOUT_SECONDS } },
    ]);
  });
  expect([manager.requests('GET', /\/pods$/).length, manager.requests('PATCH', /\/jobs\//).length]).toEqual([1, 1]);
  await scene.eventually(async () => expect(await scene.listEventReasons()).toContain('StartTimeout'));
});

describe('under the role of a version without startTimeoutSeconds', () => {
  const removePermission = (verb: string, resource: string) =>
    RULES.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((each) => each !== verb || !rule.resources?.includes(resource)),
    })).filter(({ verbs }) => verbs.length > 0);

  test.each([
    ['list', 'pods'],
    ['patch', 'jobs'],
  ])(
    'without the permission to %s %s, the field has no effect: the manager reports it once, and runs continue',
    async (verb, resource) => {
      await using scene = await Scene.open();
      const manager = await scene.startManager({
        kubeconfig: await createManagerKubeconfig(scene, removePermission(verb, resource)),
      });
      await startJob(scene);
      await scene.clock.advance(START_TIMEOUT_SECONDS * 1000);
      const listReasons = async () => (await scene.listEventReasons()).filter((reason) => reason === 'StartTimeout');
      await scene.eventually(async () => expect(await listReasons()).toHaveLength(1));
      await scene.passNextMinute();
      await scene.waitForJobs(2);
      await scene.passNextMinute();
      const [first] = await scene.waitForJobs(3);
      expect(first?.spec).not.toHaveProperty('activeDeadlineSeconds');
      expect(await listReasons()).toHaveLength(1);
      expect(manager.requests('GET', /\/pods$/)).toHaveLength(1);
    },
  );
});

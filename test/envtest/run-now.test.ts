/** The annotation run-now, with the time from the `managedFields` of a real API server. */
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';

const RUN_NOW = 'batch.tutorial.kubebuilder.io/run-now';
const MANIFEST_ANNOTATIONS = { [RUN_NOW]: 'restored' };

/** As if the client that created the object had annotated it later. */
async function createAndChange(scene: Scene): Promise<void> {
  const { metadata } = await scene.createCronJob({}, 'hello', MANIFEST_ANNOTATIONS);
  // Waits until the API server has recorded a later time for the client than the creation.
  await eventually(async () => {
    await scene.annotate({ other: String(Date.now()) });
    const [entry] = (await scene.cronJob()).metadata.managedFields ?? [];
    expect(entry?.time).not.toBe(metadata.creationTimestamp);
  });
}

/** Creates it with the managed fields of the object that was backed up: another client requested the run. */
async function createWithManagedFields(scene: Scene): Promise<void> {
  const { metadata, ...manifest } = await scene.createCronJob({ suspend: true }, 'template');
  const annotated = {
    ...{ manager: 'kubectl-annotate', operation: 'Update', apiVersion: manifest.apiVersion, fieldsType: 'FieldsV1' },
    time: '2999-01-01T00:00:00Z',
    fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${RUN_NOW}`]: {} } } },
  };
  const managedFields = [...(metadata.managedFields ?? []), annotated];
  const key = { name: 'hello', namespace: scene.namespace };
  const restored = { ...manifest, metadata: { ...key, annotations: MANIFEST_ANNOTATIONS, managedFields } };
  await scene.client.create(cronJobs, restored as unknown as CronJob); // the server fills in the rest
  // The API server makes the client that creates the object the owner of all fields.
  expect((await scene.cronJob()).metadata.managedFields).toHaveLength(1);
}

describe('run now, on a real API server', () => {
  test('starts one run for each new value, also while suspended', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ suspend: true });
    await scene.waitUntilObserved();
    await scene.annotate({ [RUN_NOW]: 'first' });
    const [job] = await scene.waitForJobs(1);
    expect(job?.metadata).toMatchObject({
      name: expect.stringMatching(/^hello-m[0-9a-f]{9}$/),
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
    });
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status).toMatchObject({ lastManualRun: 'first', activeCount: 1 });
    });
    await scene.annotate({ [RUN_NOW]: 'second' });
    await scene.waitForJobs(2);
    await scene.annotate({ other: 'change' });
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastManualRun).toBe('second'));
    expect((await scene.cronJob()).status).not.toHaveProperty('lastScheduleTime');
    expect(await scene.jobs()).toHaveLength(2);
  });

  test.each([
    {
      when: 'no other client changes the CronJob',
      create: (scene: Scene) => scene.createCronJob({}, 'hello', MANIFEST_ANNOTATIONS),
    },
    { when: 'the same client changes another field', create: createAndChange },
    { when: 'the manifest has managedFields', create: createWithManagedFields },
  ])('a value in the manifest starts no run when $when', async ({ create }) => {
    await using scene = await Scene.open();
    await create(scene);
    await scene.startManager();
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastManualRun).toBe('restored'));
    expect(await scene.jobs()).toEqual([]);
  });

  test('a value that a user sets while no manager runs starts a run', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob();
    // As another client: two writes of one client within a second cannot be distinguished.
    const args = ['--kubeconfig', inject('kubeconfig'), '--namespace', scene.namespace];
    await run(inject('kubectl'), [...args, 'annotate', 'tcj', 'hello', `${RUN_NOW}=first`]);
    await scene.startManager();
    await scene.waitForJobs(1);
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastManualRun).toBe('first'));
  });
});

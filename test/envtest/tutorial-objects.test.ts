/** CronJobs that the kubebuilder tutorial's CRD accepted, under ours: on a real API server. */
import type { MergePatch } from 'controller-runtime';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MAX_NAME_LENGTH, MAX_SCHEDULE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import { TutorialCrd } from './support/tutorial-crd.ts';
import './support/provided.ts';

let cluster: ClusterClient;
let crd: TutorialCrd;
/** Its name is invalid in our CRD. */
let misnamed: CronJob;
/** Its name is also invalid; a test deletes it. */
let leaving: CronJob;
/** Its schedule is longer than our CRD allows. */
let scheduled: CronJob;
/** Its template has one selector for all of its Jobs. */
let selecting: CronJob;

const { spec: jobSpec } = cronJob().spec.jobTemplate;
const withJob = (fields: object) => ({ jobTemplate: { spec: { ...jobSpec!, ...fields } } });
const SELECTOR = { selector: { matchLabels: { app: 'a' } }, manualSelector: true };
const LONG_SCHEDULE = `${'0,'.repeat(1000)}0 * * * *`;

beforeAll(async () => {
  cluster = connect(inject('kubeconfig'));
  crd = await TutorialCrd.install(cluster.client, await createNamespace(inject('apiServer'), 'tutorial'));
  misnamed = await crd.create({}, { name: 'n'.repeat(60) });
  leaving = await crd.create({}, { name: 'd'.repeat(60), finalizers: ['example.com/last'] });
  scheduled = await crd.create({ schedule: LONG_SCHEDULE }, { name: 'scheduled', finalizers: ['example.com/last'] });
  selecting = await crd.create(withJob(SELECTOR), { name: 'selecting' });
  await crd.replaceWithOurs();
});

afterAll(async () => {
  await crd[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const merge = ({ metadata: key }: CronJob, body: MergePatch<CronJob>) =>
  cluster.client.patch(crd.resource, key, { kind: 'merge', body });

/** Writes of users and managers, which work although the CRD refuses the rest of the object. */
async function expectWritable(object: CronJob): Promise<void> {
  const labels = { team: 'a' };
  await merge(object, { metadata: { labels } });
  const { metadata } = await merge(object, { spec: { suspend: true } });
  await cluster.client.updateStatus(crd.resource, { metadata, status: { activeCount: 1 } });
  expect(await cluster.client.get(crd.resource, object.metadata)).toMatchObject({
    metadata: { labels },
    spec: { ...object.spec, suspend: true },
    status: { activeCount: 1 },
  });
}

const expectRefusal = (message: string) => ({ code: 422, message: expect.stringContaining(message) });

describe('a stored object with a name of 60 characters', () => {
  test('accepts labels, a status and suspend', () => expectWritable(misnamed));

  test('is deleted in the foreground after its finalizers are removed', async () => {
    await cluster.client.delete(crd.resource, leaving.metadata, { propagationPolicy: 'Foreground' });
    const { metadata } = await merge(leaving, { metadata: { labels: { team: 'a' } } });
    expect(metadata.finalizers?.toSorted()).toEqual(['example.com/last', 'foregroundDeletion']);
    await merge(leaving, { metadata: { finalizers: null } });
    expect(await cluster.client.get(crd.resource, leaving.metadata)).toBeUndefined();
  });
});

test('a new object with a name of 53 characters is refused', async () => {
  await crd.create({}, { name: 'n'.repeat(MAX_NAME_LENGTH) });
  await expect(crd.create({}, { name: 'n'.repeat(MAX_NAME_LENGTH + 1) })).rejects.toMatchObject(
    expectRefusal(`must be no more than ${MAX_NAME_LENGTH} characters`),
  );
});

describe('an object with a selector for all of its Jobs', () => {
  test('accepts labels, a status and suspend', () => expectWritable(selecting));

  test('gets no other selector, but another template', async () => {
    const { spec } = await merge(selecting, { spec: withJob({ backoffLimit: 3 }) });
    expect(spec.jobTemplate.spec).toMatchObject({ backoffLimit: 3, ...SELECTOR });
    const other = { matchLabels: { app: 'b' } };
    await expect(merge(selecting, { spec: withJob({ selector: other }) })).rejects.toMatchObject(
      expectRefusal('spec.jobTemplate.spec.selector: Invalid value: `selector` will be auto-generated'),
    );
  });
});

describe('an object with a schedule of 2,009 characters', () => {
  test('accepts labels, a status and suspend', () => expectWritable(scheduled));

  test('gets no other schedule that is too long', async () => {
    const schedule = '0'.repeat(MAX_SCHEDULE_LENGTH + 1);
    await expect(merge(scheduled, { spec: { schedule } })).rejects.toMatchObject(
      expectRefusal('spec.schedule: Too long: may not be more than 1024'),
    );
  });

  test('loses its finalizers', async () => {
    expect((await merge(scheduled, { metadata: { finalizers: null } })).metadata.finalizers).toBeUndefined();
  });
});

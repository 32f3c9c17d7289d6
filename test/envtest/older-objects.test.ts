/** Objects that were stored before a rule of the CRD was there: on a real API server, with the CRD of today. */
import type { MergePatch } from 'controller-runtime';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MAX_NAME_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import { Scene } from '../support/scene.ts';
import { OlderCrd } from './support/older-crd.ts';
import './support/provided.ts';

let cluster: ClusterClient;
let crd: OlderCrd;
/** Its name is one that the rules of today refuse. */
let older: CronJob;
/** The same, and there to be deleted. */
let leaving: CronJob;
/** Its time zone is longer than the CRD of today allows. */
let distant: CronJob;
/** Its template has a selector for all of its Jobs. */
let selecting: CronJob;

const { spec: jobSpec } = cronJob().spec.jobTemplate;
const withJob = (fields: object) => ({ jobTemplate: { spec: { ...jobSpec!, ...fields } } });
const SELECTOR = { selector: { matchLabels: { app: 'a' } }, manualSelector: true };

beforeAll(async () => {
  cluster = connect(inject('kubeconfig'));
  crd = await OlderCrd.install(cluster.client, await createNamespace(inject('apiServer'), 'older'));
  older = await crd.create({}, { name: 'n'.repeat(60) });
  leaving = await crd.create({}, { name: 'd'.repeat(60), finalizers: ['example.com/last'] });
  distant = await crd.create({ timeZone: 'x'.repeat(1000) }, { name: 'distant', finalizers: ['example.com/last'] });
  selecting = await crd.create(withJob(SELECTOR), { name: 'selecting' });
  await crd.upgrade();
});

afterAll(async () => {
  await crd[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const merge = ({ metadata: key }: CronJob, body: MergePatch<CronJob>) =>
  cluster.client.patch(crd.resource, key, { kind: 'merge', body });

describe('an object with a name of 60 characters that is older than the rule', () => {
  test('gets labels', async () => {
    const labels = { team: 'a' };
    expect((await merge(older, { metadata: { labels } })).metadata.labels).toEqual(labels);
  });

  test('gets a status', async () => {
    const { metadata } = await merge(older, {});
    const status = { activeCount: 1 };
    expect((await cluster.client.updateStatus(crd.resource, { metadata, status })).status).toEqual(status);
  });

  test('is suspended', async () => {
    expect((await merge(older, { spec: { suspend: true } })).spec.suspend).toBe(true);
  });

  test('goes when it is deleted in the foreground and its finalizers are removed', async () => {
    await cluster.client.delete(crd.resource, leaving.metadata, { propagationPolicy: 'Foreground' });
    const { metadata } = await merge(leaving, { metadata: { labels: { team: 'a' } } });
    expect(metadata.finalizers?.toSorted()).toEqual(['example.com/last', 'foregroundDeletion']);
    await merge(leaving, { metadata: { finalizers: null } });
    expect(await cluster.client.get(crd.resource, leaving.metadata)).toBeUndefined();
  });
});

test('a new object is refused for a name of 53 characters', async () => {
  await crd.create({}, { name: 'n'.repeat(MAX_NAME_LENGTH) });
  await expect(crd.create({}, { name: 'n'.repeat(MAX_NAME_LENGTH + 1) })).rejects.toMatchObject({
    code: 422,
    message: expect.stringContaining(`must be no more than ${MAX_NAME_LENGTH} characters`),
  });
});

describe('an object with a selector for all of its Jobs that is older than the rule', () => {
  test('gets labels, a status, and is suspended', async () => {
    await merge(selecting, { metadata: { labels: { team: 'a' } } });
    const { metadata } = await merge(selecting, { spec: { suspend: true } });
    await cluster.client.updateStatus(crd.resource, { metadata, status: { activeCount: 1 } });
    expect(await cluster.client.get(crd.resource, selecting.metadata)).toMatchObject({
      metadata: { labels: { team: 'a' } },
      spec: { suspend: true, ...withJob(SELECTOR) },
      status: { activeCount: 1 },
    });
  });

  test('gets another template around it', async () => {
    const { spec } = await merge(selecting, { spec: withJob({ backoffLimit: 3 }) });
    expect(spec.jobTemplate.spec).toMatchObject({ backoffLimit: 3, ...SELECTOR });
  });

  test('gets no other selector', async () => {
    const other = { matchLabels: { app: 'b' } };
    await expect(merge(selecting, { spec: withJob({ selector: other }) })).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining(
        'spec.jobTemplate.spec.selector: Invalid value: `selector` will be auto-generated',
      ),
    });
  });
});

describe('an object with a time zone of 1,000 characters that is older than the bound', () => {
  test('gets labels, a status, and is suspended', async () => {
    await merge(distant, { metadata: { labels: { team: 'a' } } });
    const { metadata, spec } = await merge(distant, { spec: { suspend: true } });
    expect(spec.timeZone).toBe(distant.spec.timeZone);
    const status = { activeCount: 1 };
    expect((await cluster.client.updateStatus(crd.resource, { metadata, status })).status).toEqual(status);
  });

  test('gets no other time zone that is too long', async () => {
    await expect(merge(distant, { spec: { timeZone: 'y'.repeat(MAX_TIME_ZONE_LENGTH + 1) } })).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.timeZone: Too long: may not be more than 64'),
    });
  });

  test('loses its finalizers', async () => {
    expect((await merge(distant, { metadata: { finalizers: null } })).metadata.finalizers).toBeUndefined();
  });
});

test('what version 0.1.0 has told of is not told again', async () => {
  await using scene = await Scene.open();
  const { metadata } = await scene.createCronJob({ schedule: '61 * * * *' });
  const since = metadata.creationTimestamp;
  // As that version stored it, but for a message that may be worded otherwise by now.
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) =>
    ({ type, status, reason, message, lastTransitionTime: since, observedGeneration: 1 }) as const;
  const wrong = 'spec.schedule: "61 * * * *": in the words of that version';
  const status: CronJobStatus = {
    activeCount: 0,
    effectiveSchedule: { schedule: '61 * * * *', timeZone: 'UTC', since },
    conditions: [
      condition('Available', 'False', 'UnparseableSchedule', wrong),
      condition('Progressing', 'False', 'NoJobsActive', 'no run is active'),
      condition('Degraded', 'True', 'UnparseableSchedule', wrong),
    ],
  };
  await scene.client.updateStatus(cronJobs, { metadata, status });
  await scene.startManager();
  await scene.observed();
  expect((await scene.cronJob()).status?.reported).toHaveLength(1);
  await scene.edit({ schedule: '0 * * * *', timeZone: 'Mars/Olympus' });
  const reasons = await scene.eventually(async () => {
    const found = await scene.reasonsOfEvents();
    expect(found).toContain('UnknownTimeZone');
    return found;
  });
  // What was told before that would be there by now.
  expect(reasons).toEqual(['UnknownTimeZone']);
});

/** Objects that were stored before a rule of the CRD was there: on a real API server, with the CRD of today. */
import type { MergePatch } from 'controller-runtime';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MAX_NAME_LENGTH, MAX_TIME_ZONE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { validateCronJob } from '../../api/v1/cronjob-validation.ts';
import { cronJobWarnings } from '../../api/v1/cronjob-warnings.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { at, cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import { LATER_SPEC, LATER_STATUS_FIELDS, OlderCrd } from './support/older-crd.ts';
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
/** It has all that version 0.1.0 stored of one that has run. */
let first: CronJob;

const { spec: jobSpec } = cronJob().spec.jobTemplate;
const withJob = (fields: object) => ({ jobTemplate: { spec: { ...jobSpec!, ...fields } } });
/** The status of version 0.1.0, with every field. */
const STATUS_OF_FIRST_VERSION: CronJobStatus = {
  active: [{ apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'first-1767229200', uid: 'a' }],
  activeCount: 1,
  lastScheduleTime: at('01:00:00'),
  lastSuccessfulTime: at('00:01:00'),
  lastFailureTime: at('00:02:00'),
  nextScheduleTime: at('02:00:00'),
  lastRun: { jobName: 'first-1767229200', scheduledTime: at('01:00:00'), result: 'Running' },
  failedStart: { jobName: 'first-1767229200', reason: 'Refused', message: 'quota' },
  effectiveSchedule: { schedule: '0 * * * *', timeZone: 'Europe/Berlin', since: at('00:00:00') },
  handledThrough: at('01:00:00'),
  lastManualRun: 'now',
  reported: ['MissSchedule'],
  observedGeneration: 1,
  conditions: [
    {
      type: 'Available',
      status: 'True',
      reason: 'JobsActive',
      message: 'a run is active',
      lastTransitionTime: at('01:00:00'),
      observedGeneration: 1,
    },
  ],
};
const SELECTOR = { selector: { matchLabels: { app: 'a' } }, manualSelector: true };

beforeAll(async () => {
  cluster = connect(inject('kubeconfig'));
  crd = await OlderCrd.install(cluster.client, await createNamespace(inject('apiServer'), 'older'));
  older = await crd.create({}, { name: 'n'.repeat(60) });
  leaving = await crd.create({}, { name: 'd'.repeat(60), finalizers: ['example.com/last'] });
  distant = await crd.create({ timeZone: 'x'.repeat(1000) }, { name: 'distant', finalizers: ['example.com/last'] });
  selecting = await crd.create(withJob(SELECTOR), { name: 'selecting' });
  const { metadata } = await crd.create({ timeZone: 'Europe/Berlin', startingDeadlineSeconds: 60 }, { name: 'first' });
  first = await cluster.client.updateStatus(crd.resource, { metadata, status: STATUS_OF_FIRST_VERSION });
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

describe('an object of version 0.1.0', () => {
  test('is as it was stored: no later field has a value', async () => {
    const { spec, status } = first;
    expect(status).toEqual(STATUS_OF_FIRST_VERSION);
    expect(Object.keys(spec).filter((field) => field in LATER_SPEC)).toEqual([]);
    const found = await cluster.client.get(crd.resource, first.metadata);
    expect([found?.spec, found?.status]).toEqual([spec, status]);
  });

  test('has no fault, and causes no warning, when something else changes', () => {
    const changed = { ...first, spec: { ...first.spec, successfulJobsHistoryLimit: 9 } };
    expect(validateCronJob(changed, first)).toEqual([]);
    expect(cronJobWarnings(changed, { now: new Date(at('05:00:00')), old: first, failoverSeconds: 15 })).toEqual([]);
  });

  test('gets labels, every later field, and the status of today', async () => {
    await merge(first, { metadata: { labels: { team: 'a' } } });
    const { metadata, spec } = await merge(first, { spec: LATER_SPEC });
    expect(spec).toEqual({ ...first.spec, ...LATER_SPEC });
    const status: CronJobStatus = {
      ...STATUS_OF_FIRST_VERSION,
      recentRuns: ['2026-01-01T01:00:00Z Running first-1767229200 Schedule'],
      recentSkips: ['2026-01-01T00:30:00Z Suspended'],
      consecutiveFailures: 3,
      paused: { reason: 'TooManyFailures', since: at('01:00:00') },
      lastResume: 'b',
      successExpectedSince: at('00:00:00'),
      suspendedUntil: LATER_SPEC.suspendUntil,
    };
    expect(Object.keys(status)).toEqual(expect.arrayContaining([...LATER_STATUS_FIELDS]));
    expect((await cluster.client.updateStatus(crd.resource, { metadata, status })).status).toEqual(status);
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

/** Fields with one owner in server-side apply instead of one for each child: docs/adr/0028-cost-of-a-status-write.md. */
import type { ApplyConfiguration } from 'controller-runtime';
import { getCondition, type Resource } from 'controller-runtime/kubernetes';
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Condition, CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { cronJob } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';

const SINCE = '2026-01-01T00:00:00Z';
const condition = (type: string, reason = 'Tried'): Condition => ({
  type,
  status: 'True',
  reason,
  message: '',
  lastTransitionTime: SINCE,
});
const STATUS: CronJobStatus = {
  activeCount: 1,
  lastRun: { jobName: 'hello-1', result: 'Running' },
  effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: SINCE },
  failedStart: { jobName: 'hello-2', reason: 'Refused' },
  conditions: [condition('Available')],
};
/** The fields that the writer of {@link STATUS} owns. */
const OWNED = {
  '.': {},
  'f:activeCount': {},
  'f:lastRun': {},
  'f:effectiveSchedule': {},
  'f:failedStart': {},
  'f:conditions': { '.': {}, 'k:{"type":"Available"}': {} },
};

let cluster: ClusterClient;
let namespace: string;

beforeEach(async () => {
  cluster = connect(inject('kubeconfig'));
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  namespace = await createNamespace(inject('apiServer'), 'owners');
});

const createNew = () => ({ metadata: { namespace, name: 'hello' }, spec: cronJob().spec });

/** The part of `managedFields` with the owners of the status. */
function listOwners({ metadata }: CronJob): Readonly<Record<string, unknown>> {
  const statusEntries = metadata.managedFields?.filter(({ subresource }) => subresource === 'status') ?? [];
  return Object.fromEntries(
    statusEntries.map(({ manager = '', fieldsV1 }) => [manager, (fieldsV1 as { 'f:status'?: object })['f:status']]),
  );
}

/** Another client than the manager applies one condition of the status, server-side. */
function applyCondition({ metadata: { name } }: CronJob, condition: Condition): Promise<CronJob> {
  const options = { fieldManager: 'other', subresource: 'status' } as const;
  return cluster.client.apply(
    cronJobs,
    { metadata: { namespace, name }, status: { conditions: [condition] } },
    options,
  );
}

test('a written status has one owner for each condition and object', async () => {
  const { metadata } = await cluster.client.create(cronJobs, createNew());
  const written = await cluster.client.updateStatus(cronJobs, { metadata, status: STATUS });
  expect(listOwners(written)).toEqual({ tester: OWNED });
});

test('a condition that another client applies keeps its owner when the manager writes', async () => {
  const created = await cluster.client.create(cronJobs, createNew());
  await cluster.client.updateStatus(cronJobs, { metadata: created.metadata, status: STATUS });
  const { metadata, status } = await applyCondition(created, condition('Audited'));
  const conditions = [condition('Available', 'TriedAgain'), getCondition(status?.conditions, 'Audited')!];
  const written = await cluster.client.updateStatus(cronJobs, { metadata, status: { ...STATUS, conditions } });
  expect(written.status?.conditions).toEqual(conditions);
  expect(listOwners(written)).toEqual({ tester: OWNED, other: { 'f:conditions': { 'k:{"type":"Audited"}': {} } } });
});

describe('a variable of a container', () => {
  const builtIn: Resource<CronJob> = { ...cronJobs, group: 'batch' };
  const fromSecret = { valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };

  /** Applies a CronJob whose container has these variables. */
  function apply(resource: Resource<CronJob>, fieldManager: string, env: readonly object[]): Promise<CronJob> {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', env }] } };
    const body = {
      apiVersion: resource === builtIn ? 'batch/v1' : API_VERSION,
      kind: KIND,
      metadata: { namespace, name: 'hello' },
      spec: { schedule: '@daily', jobTemplate: { spec: { template } } },
    };
    // `as`: only the group distinguishes the built-in kind from ours.
    return cluster.client.apply(resource, body as ApplyConfiguration<CronJob>, { fieldManager, force: true });
  }

  const getEnv = ({ spec }: CronJob) => spec.jobTemplate.spec?.template.spec?.containers[0]?.env;

  test('is replaced as a whole, where batch/v1 would keep a value and a source', async () => {
    const [value, other] = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    const source = { name: 'A', ...fromSecret };
    await apply(builtIn, 'first', [value, other]);
    await expect(apply(builtIn, 'second', [source])).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('may not be specified when `value` is not empty'),
    });
    await apply(cronJobs, 'first', [value, other]);
    expect(getEnv(await apply(cronJobs, 'second', [source]))).toEqual([source, other]);
  });
});

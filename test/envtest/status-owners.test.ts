/**
 * Who owns what of a status, as `managedFields` has it: a condition and an object of ours have one owner, not one for each field
 * (docs/adr/0028-cost-of-a-status-write.md).
 */
import type { ApplyConfiguration } from 'controller-runtime';
import { getCondition } from 'controller-runtime/kubernetes';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import type { Condition, CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import { OlderCrd } from './support/older-crd.ts';
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
/** What the writer of {@link STATUS} owns. */
const OWNED = {
  '.': {},
  'f:activeCount': {},
  'f:lastRun': {},
  'f:effectiveSchedule': {},
  'f:failedStart': {},
  'f:conditions': { '.': {}, 'k:{"type":"Available"}': {} },
};

let cluster: ClusterClient;
let crd: OlderCrd;

beforeEach(async () => {
  cluster = connect(inject('kubeconfig'));
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  crd = await OlderCrd.install(cluster.client, await createNamespace(inject('apiServer'), 'owners'));
  onTestFinished(() => crd[Symbol.asyncDispose]());
});

/** Part of `managedFields` that says who owns the status. */
function ownersOf({ metadata }: CronJob): Readonly<Record<string, unknown>> {
  const ofStatus = metadata.managedFields?.filter(({ subresource }) => subresource === 'status') ?? [];
  return Object.fromEntries(
    ofStatus.map(({ manager = '', fieldsV1 }) => [manager, (fieldsV1 as { 'f:status'?: object })['f:status']]),
  );
}

/** Somebody who is not the manager applies one condition of the status, server-side. */
function applyCondition({ apiVersion, kind, metadata }: CronJob, applied: Condition): Promise<CronJob> {
  const { namespace, name } = metadata;
  const body = { apiVersion, kind, metadata: { namespace, name }, status: { conditions: [applied] } };
  const options = { fieldManager: 'other', subresource: 'status' } as const;
  return cluster.client.apply(crd.resource, body as ApplyConfiguration<CronJob>, options);
}

test('a status that is written has one owner for a condition, and for each of our objects', async () => {
  await crd.upgrade();
  const { metadata } = await crd.create({}, {});
  const written = await cluster.client.updateStatus(crd.resource, { metadata, status: STATUS });
  expect(ownersOf(written)).toEqual({ tester: OWNED });
});

test('a condition that somebody else applies is theirs, and stays so when we write ours', async () => {
  await crd.upgrade();
  const created = await crd.create({}, {});
  await cluster.client.updateStatus(crd.resource, { metadata: created.metadata, status: STATUS });
  const { metadata, status } = await applyCondition(created, condition('Audited'));
  const conditions = [condition('Available', 'TriedAgain'), getCondition(status?.conditions, 'Audited')!];
  const written = await cluster.client.updateStatus(crd.resource, { metadata, status: { ...STATUS, conditions } });
  expect(written.status?.conditions).toEqual(conditions);
  expect(ownersOf(written)).toEqual({ tester: OWNED, other: { 'f:conditions': { 'k:{"type":"Audited"}': {} } } });
});

test('a status that was stored before each object had one owner is written on', async () => {
  const { metadata } = await crd.create({}, {});
  const older = await cluster.client.updateStatus(crd.resource, { metadata, status: STATUS });
  expect(ownersOf(older)).toMatchObject({ tester: { 'f:lastRun': { 'f:jobName': {}, 'f:result': {} } } });
  await crd.upgrade();
  const status: CronJobStatus = { ...STATUS, lastRun: { jobName: 'hello-1', result: 'Succeeded' } };
  const written = await cluster.client.updateStatus(crd.resource, { metadata: older.metadata, status });
  expect(written.status).toEqual(status);
  expect(ownersOf(written)).toEqual({ tester: OWNED });
});

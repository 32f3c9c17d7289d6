/** The CRD of version 0.1.0 over objects of this version: what a rollback does to the fields that came later. On a real API server. */
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { at } from '../support/cron-jobs.ts';
import { createNamespace } from '../support/namespace.ts';
import { LATER_SPEC, LATER_STATUS_FIELDS, OlderCrd } from './support/older-crd.ts';
import './support/provided.ts';

let cluster: ClusterClient;
let crd: OlderCrd;
beforeAll(async () => {
  cluster = connect(inject('kubeconfig'));
  crd = await OlderCrd.install(cluster.client, await createNamespace(inject('apiServer'), 'rollback'));
  await crd.upgrade();
});
afterAll(async () => {
  await crd[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const LATER: readonly string[] = [...Object.keys(LATER_SPEC), ...LATER_STATUS_FIELDS];
const STATUS: CronJobStatus = {
  lastScheduleTime: at('01:00:00'),
  consecutiveFailures: 3,
  paused: { reason: 'TooManyFailures', since: at('01:00:09') },
  recentRuns: [`${at('01:00:00')} Failed hello-1767229200 Schedule took=9s`],
};

async function stored(name: string): Promise<CronJob> {
  const { metadata } = await crd.create({ ...LATER_SPEC, suspend: true }, { name });
  return await cluster.client.updateStatus(crd.resource, { metadata, status: STATUS });
}

const read = async ({ metadata }: CronJob) => (await cluster.client.get(crd.resource, metadata))!;
const without = (fields: object | undefined) =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([field]) => !LATER.includes(field)));

test('later fields are hidden at once, come back with the CRD, and are lost to what was written meanwhile; suspend stays', async () => {
  const kept = await stored('kept');
  const written = await stored('written');
  await crd.rollBack();
  for (const before of [kept, written]) {
    const { spec, status } = await eventually(async () => {
      const found = await read(before);
      expect(found.status).not.toHaveProperty('paused');
      return found;
    });
    expect([spec, status]).toEqual([without(before.spec), without(before.status)]);
    expect(spec.suspend).toBe(true);
  }
  const { metadata } = await read(written);
  await cluster.client.updateStatus(crd.resource, { metadata, status: { lastScheduleTime: at('02:00:00') } });
  await crd.upgrade();
  await eventually(async () => {
    const { spec, status } = await read(kept);
    expect([spec, status]).toEqual([kept.spec, kept.status]);
  });
  const after = await read(written);
  expect([after.spec, after.status]).toEqual([without(written.spec), { lastScheduleTime: at('02:00:00') }]);
});

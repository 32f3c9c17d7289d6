/** Malformed CronJobRuns, which a different CRD of the kind accepts, on a separate API server. */
import type { NewObject } from 'controller-runtime';
import { RecordingLogger } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import { type RunningApiServer, startApiServer } from '../cluster/api-server.ts';
import { connect } from '../support/cluster-client.ts';
import { installCrd, installPermissiveRunCrd } from '../support/custom-resource-definitions.ts';
import { Scene } from '../support/scene.ts';
import { backfillDays, buildRun, createRun, DAILY, finishJobsUntil, waitForState } from './support/requested-runs.ts';

let server: RunningApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await using cluster = connect(server.kubeconfig);
  await installCrd(cluster.client);
  await installPermissiveRunCrd(cluster.client);
});
afterAll(() => server.stop());

const { backfill } = backfillDays(2);
const SPECS: Readonly<Record<string, unknown>> = {
  'no-spec': undefined,
  text: 'a',
  list: [],
  empty: {},
  'no-name': { manual: {} },
  'number-as-name': { cronJobName: 5, manual: {} },
  'no-request': { cronJobName: 'hello' },
  'text-as-backfill': { cronJobName: 'hello', backfill: 'a' },
  'no-times': { cronJobName: 'hello', backfill: {} },
  'numbers-as-times': { cronJobName: 'hello', backfill: { ...backfill, startTime: 1, endTime: 2 } },
  'text-as-limit': { cronJobName: 'hello', backfill: { ...backfill, limit: 'a', maxConcurrentRuns: 'b', order: 'c' } },
  'number-as-slot': { cronJobName: 'hello', scheduledTime: 5 },
  'text-as-overrides': { cronJobName: 'hello', manual: {}, overrides: 'a' },
  'text-as-containers': { cronJobName: 'hello', manual: {}, overrides: { containers: 'a' } },
  'numbers-as-containers': {
    cronJobName: 'hello',
    manual: {},
    overrides: { containers: [5, { name: 'hello', args: 5 }] },
  },
  'text-as-suspend': { cronJobName: 'hello', manual: {}, suspend: 'yes', ttlSecondsAfterFinished: 'a' },
};
const ALL_TIME = { startTime: '0001-01-01T00:00:00Z', endTime: '9999-01-01T00:00:00Z' };
const STATUSES: Readonly<Record<string, unknown>> = {
  'text-as-conditions': { conditions: 'a' },
  'numbers-as-conditions': { conditions: [5] },
  'text-as-jobs': { startTime: 5, jobs: 'a', total: 'b', active: 'c' },
  'numbers-as-jobs': { jobs: [5, {}], total: 1 },
  'text-as-status': 'a',
};

test('the manager runs other CronJobRuns and the schedule beside malformed ones', async () => {
  await using scene = await Scene.open({ server });
  const create = async (name: string, spec: unknown) => {
    const { spec: _, ...manifest } = buildRun(scene, {}, { name });
    const object: unknown = { ...manifest, ...(spec !== undefined && { spec }) };
    return await scene.client.create(cronJobRuns, object as NewObject<CronJobRun>);
  };
  for (const [name, spec] of Object.entries(SPECS)) await create(name, spec);
  for (const [name, status] of Object.entries(STATUSES)) {
    const { metadata } = await create(name, { cronJobName: 'hello', manual: {} });
    const body = { status } as object;
    await scene.client.patch(cronJobRuns, metadata, { kind: 'merge', body }, { subresource: 'status' });
  }
  await create('no-limit', { cronJobName: 'hello', backfill: ALL_TIME });
  await scene.createCronJob({ schedule: DAILY, concurrencyPolicy: 'Allow' });
  await scene.createCronJob({}, 'minutely');
  const log = new RecordingLogger();
  await scene.startManager({ log });
  await scene.waitUntilObserved('minutely');
  await createRun(scene, { manual: {} });
  await finishJobsUntil(scene, 'Succeeded');
  await create('late', 'a');
  await scene.waitForJob(await scene.passNextMinute());
  await createRun(scene, { manual: {} }, 'last');
  await finishJobsUntil(scene, 'Succeeded', 'last');
  for (const name of Object.keys(SPECS)) await waitForState(scene, 'InvalidSpec', name);
  await waitForState(scene, 'TooManySlots', 'no-limit');
  for (const name of Object.keys(STATUSES)) await finishJobsUntil(scene, 'Succeeded', name);
  expect(log.errors).toEqual([]);
});

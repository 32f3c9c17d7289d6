/** A CRD of our group and kind that prunes most of our status, as the kubebuilder tutorial's does. */
import type { Resource } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GROUP } from '../../api/v1/groupversion.ts';
import { type RunningApiServer, startApiServer } from '../../hack/control-plane/api-server.ts';
import { connect } from '../support/cluster-client.ts';
import { Scene } from '../support/scene.ts';

const SLOTS = 5;
/** A pass at the slot, one for the Job's event, and some to spare. */
const WRITES_PER_SLOT = 6;
const READS = 200;

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const count = { type: 'integer', minimum: 0 };
const spec = {
  type: 'object',
  required: ['schedule', 'jobTemplate'],
  properties: {
    schedule: { type: 'string' },
    startingDeadlineSeconds: count,
    concurrencyPolicy: { type: 'string', default: 'Allow' },
    suspend: { type: 'boolean' },
    jobTemplate: anything,
    successfulJobsHistoryLimit: count,
    failedJobsHistoryLimit: count,
  },
};
const status = {
  type: 'object',
  properties: {
    active: { type: 'array', items: anything },
    lastScheduleTime: { type: 'string', format: 'date-time' },
  },
};

let server: RunningApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await using cluster = connect(server.kubeconfig);
  await cluster.client.create(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: definitions.kind,
    metadata: { name: `cronjobs.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: 'CronJob', listKind: 'CronJobList', plural: 'cronjobs', singular: 'cronjob' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  } as object as Parameters<typeof cluster.client.create>[1]);
  const path = `/apis/${GROUP}/v1/cronjobs`;
  await eventually(() => cluster.transport.request({ method: 'GET', path }));
});
afterAll(() => server.stop());

test('a CRD that prunes status fields makes no hot loop: few status writes for each slot, and each has its Job', async () => {
  await using scene = await Scene.open({ server });
  const manager = await scene.startManager();
  // A result that is not stored keeps a Job from being pruned.
  await scene.createCronJob({ successfulJobsHistoryLimit: 0 });
  for (let slot = 1; slot <= SLOTS; slot++) {
    const scheduled = await scene.passNextMinute();
    const job = await scene.eventually(async () => {
      const found = (await scene.jobs()).find(({ metadata }) =>
        metadata.name.endsWith(`${Date.parse(scheduled) / 1000}`),
      );
      if (found === undefined) throw new Error(`the slot ${scheduled} has no Job`);
      return found;
    });
    await statusIs(scene, { lastScheduleTime: scheduled, active: [{ name: job.metadata.name }] });
    await scene.finish(job, 'Complete');
    await statusIs(scene, { lastScheduleTime: scheduled });
  }
  // The clock stands still: a hot loop writes about as often as the test reads.
  for (let read = 0; read < READS; read++) await scene.cronJob();
  const writes = manager.requests('PUT', /\/status$/);
  expect(writes.length).toBeGreaterThanOrEqual(SLOTS);
  expect(writes.length).toBeLessThanOrEqual(SLOTS * WRITES_PER_SLOT);
});

async function statusIs(scene: Scene, expected: object): Promise<void> {
  await scene.eventually(async () => {
    const { active = [], ...others } = (await scene.cronJob()).status ?? {};
    expect({ ...others, ...(active.length > 0 && { active: active.map(({ name }) => ({ name })) }) }).toEqual(expected);
  });
}

/**
 * The manager under another CRD of its group and kind: on an API server of its own. First the kubebuilder tutorial's, which prunes most of our
 * status; then one of a later version, which has fields that this version does not know.
 */
import { eventually, RecordingLogger } from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { type RunningApiServer, startApiServer } from '../cluster/api-server.ts';
import { connect } from '../support/cluster-client.ts';
import { type CrdVersions, crds, installCrd, OUR_CRD } from '../support/custom-resource-definitions.ts';
import { Scene } from '../support/scene.ts';
import { TUTORIAL_VERSIONS } from './support/tutorial-crd.ts';

const SLOTS = 5;
/** A pass at the slot, one for the Job's event, and some to spare. */
const WRITES_PER_SLOT = 6;
const READS = 200;
const DROPPED = 'the API server dropped fields of the status; install the CustomResourceDefinition of this version';
const LATER: object = { laterField: 'a' };
const TEXT = { type: 'string' } as const;

let server: RunningApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await using cluster = connect(server.kubeconfig);
  await installCrd(cluster.client, TUTORIAL_VERSIONS);
});
afterAll(() => server.stop());

test('a CRD that prunes status fields makes no hot loop: few status writes for each slot, and each has its Job', async () => {
  await using scene = await Scene.open({ server });
  const log = new RecordingLogger();
  const manager = await scene.startManager({ log });
  // A result that is not stored keeps a Job from being pruned; of fields that are not stored, nothing comes.
  const { spec } = await scene.createCronJob({ successfulJobsHistoryLimit: 0, pauseAfterFailures: 1 });
  expect(spec).not.toHaveProperty('pauseAfterFailures');
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
    await scene.finish(job, slot === 2 ? 'Failed' : 'Complete');
    await statusIs(scene, { lastScheduleTime: scheduled });
  }
  // The clock stands still: a hot loop writes about as often as the test reads.
  for (let read = 0; read < READS; read++) await scene.cronJob();
  const writes = manager.requests('PUT', /\/status$/);
  expect(writes.length).toBeGreaterThanOrEqual(SLOTS);
  expect(writes.length).toBeLessThanOrEqual(SLOTS * WRITES_PER_SLOT);
  expect(log.records.filter(({ message }) => message === DROPPED)).toHaveLength(1);
  expect(log.errors).toEqual([]);
});

test('fields of a later version stay in the spec and in the status', async () => {
  await using scene = await Scene.open({ server });
  await scene.client.patch(crds, OUR_CRD.metadata, { kind: 'merge', body: { spec: { versions: laterVersions() } } });
  const created = await scene.createCronJob(LATER);
  const stored = await eventually(async () => {
    await scene.client.patch(cronJobs, created.metadata, { kind: 'merge', body: { spec: LATER } });
    const body = { status: LATER };
    const patched = await scene.client.patch(
      cronJobs,
      created.metadata,
      { kind: 'merge', body },
      { subresource: 'status' },
    );
    expect(patched).toMatchObject({ spec: LATER, status: LATER });
    return patched;
  });
  await scene.startManager();
  const scheduled = await scene.passNextMinute();
  await scene.hasJobs(1);
  await scene.eventually(async () => expect((await scene.cronJob()).status?.lastScheduleTime).toBe(scheduled));
  const { spec, status } = await scene.cronJob();
  expect(spec).toEqual(stored.spec);
  expect(status).toMatchObject(LATER);
});

/** Our CRD with a field more in the spec, and one in the status. */
function laterVersions(): CrdVersions {
  const [version] = OUR_CRD.spec.versions;
  const { openAPIV3Schema: schema } = version.schema;
  const { spec, status } = schema.properties!;
  const withLater = (part: typeof schema) => ({ ...part, properties: { ...part.properties, laterField: TEXT } });
  const properties = { ...schema.properties, spec: withLater(spec!), status: withLater(status!) };
  return [{ ...version, schema: { openAPIV3Schema: { ...schema, properties } } }];
}

async function statusIs(scene: Scene, expected: object): Promise<void> {
  await scene.eventually(async () => {
    const { active = [], ...others } = (await scene.cronJob()).status ?? {};
    expect({ ...others, ...(active.length > 0 && { active: active.map(({ name }) => ({ name })) }) }).toEqual(expected);
  });
}

/** The manager with the CRD of a later version, which has fields that this version does not know, on a separate API server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { type RunningApiServer, startApiServer } from '../cluster/api-server.ts';
import { connect } from '../support/cluster-client.ts';
import { type CrdVersions, installCrd, OUR_CRD } from '../support/custom-resource-definitions.ts';
import { Scene } from '../support/scene.ts';

const LATER: object = { laterField: 'a' };
const TEXT = { type: 'string' } as const;

let server: RunningApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await using cluster = connect(server.kubeconfig);
  await installCrd(cluster.client, createLaterVersions());
});
afterAll(() => server.stop());

test('keeps fields of a later version in the spec and in the status', async () => {
  await using scene = await Scene.open({ server });
  const created = await scene.createCronJob(LATER);
  const patch = { kind: 'merge', body: { status: LATER } } as const;
  const stored = await scene.client.patch(cronJobs, created.metadata, patch, { subresource: 'status' });
  expect(stored).toMatchObject({ spec: LATER, status: LATER });
  await scene.startManager();
  const scheduled = await scene.passNextMinute();
  await scene.waitForJobs(1);
  await scene.eventually(async () => expect((await scene.cronJob()).status?.lastScheduleTime).toBe(scheduled));
  const { spec, status } = await scene.cronJob();
  expect(spec).toEqual(stored.spec);
  expect(status).toMatchObject(LATER);
});

/** Our CRD with an additional field in the spec, and one in the status. */
function createLaterVersions(): CrdVersions {
  const [version] = OUR_CRD.spec.versions;
  const { openAPIV3Schema: schema } = version.schema;
  const { spec, status } = schema.properties!;
  const withLater = (part: typeof schema) => ({ ...part, properties: { ...part.properties, laterField: TEXT } });
  const properties = { ...schema.properties, spec: withLater(spec!), status: withLater(status!) };
  return [{ ...version, schema: { openAPIV3Schema: { ...schema, properties } } }];
}

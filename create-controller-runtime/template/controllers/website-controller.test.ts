import assert from 'node:assert/strict';
import { test } from 'node:test';
import { core, isConditionTrue } from 'controller-runtime';
import { eventually, FakeApiServer, RecordingLogger, startTestManager, storedObject } from 'controller-runtime/testing';
import { Website } from '../api/v1alpha1/website-types.ts';
import { manifests } from '../cmd/manifests.ts';
import { addWebsiteController, buildConfigMap } from './website-controller.ts';

const key = { namespace: 'default', name: 'sample' };
const configMap = { namespace: 'default', name: 'sample-website' };

test('the ConfigMap contains the name of an object without a message', () => {
  const object = storedObject(Website, { metadata: key, spec: {} });
  assert.deepEqual(buildConfigMap(object).data, { message: 'sample' });
});

test('an object owns a ConfigMap, which follows its message', async () => {
  await using server = await FakeApiServer.start({ kinds: [Website] });
  const log = new RecordingLogger();
  // With `rbac`, the manager has only the permissions in config/rbac.
  await using _manager = await startTestManager({
    cluster: server,
    setUp: addWebsiteController,
    rbac: manifests,
    log,
  });
  const object = await server.client.create(Website, { metadata: key, spec: { message: 'Hello' } });
  await eventually(() => assert.ok(isConditionTrue(server.get(Website, key)?.status?.conditions, 'Ready')));
  const owned = server.get(core.v1.configMaps, configMap);
  assert.deepEqual(owned?.data, { message: 'Hello' });
  assert.equal(owned?.metadata.ownerReferences?.[0]?.uid, object.metadata.uid);

  await server.client.patch(Website, key, { kind: 'merge', body: { spec: { message: 'Goodbye' } } });
  await eventually(() => assert.equal(server.get(core.v1.configMaps, configMap)?.data?.['message'], 'Goodbye'));
  assert.deepEqual(log.errors, []);
});

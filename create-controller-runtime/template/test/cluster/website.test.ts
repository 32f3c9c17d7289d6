/** Runs against a real API server. `make test-cluster` uses the cluster of your kubeconfig. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { core, isConditionTrue } from 'controller-runtime';
import { eventually, RecordingLogger, startTestEnvironment, startTestManager } from 'controller-runtime/testing';
import { Website } from '../../api/v1alpha1/website-types.ts';
import { manifests } from '../../cmd/manifests.ts';
import { addWebsiteController } from '../../controllers/website-controller.ts';

const key = { namespace: 'default', name: 'test' };

const environment = await startTestEnvironment({ kinds: [Website] });
after(() => environment.stop());

test('an object owns a ConfigMap with its message', async () => {
  const { client } = environment;
  const log = new RecordingLogger();
  await using _manager = await startTestManager({
    cluster: environment,
    setUp: addWebsiteController,
    namespaces: ['default'],
    rbac: manifests,
    log,
  });
  await client.create(Website, { metadata: key, spec: { message: 'Hello' } });
  try {
    await eventually(async () =>
      assert.ok(isConditionTrue((await client.get(Website, key))?.status?.conditions, 'Ready')),
    );
    const owned = await client.get(core.v1.configMaps, { namespace: 'default', name: 'test-website' });
    assert.deepEqual(owned?.data, { message: 'Hello' });
    assert.deepEqual(log.errors, []);
  } finally {
    await client.delete(Website, key);
  }
});

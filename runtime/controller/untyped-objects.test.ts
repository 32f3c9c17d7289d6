import { expect, test } from 'vitest';
import { type NamespacedObject, namespacedResource, type Unstructured } from '../kubernetes/index.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { startTestManager } from '../testing/test-manager.ts';

test('a controller reconciles a kind without types', async () => {
  const gadgets = namespacedResource<Unstructured<NamespacedObject>>('example.com/v1', 'Gadget');
  await using server = await FakeApiServer.start();
  const specs: unknown[] = [];
  await using _ = await startTestManager({
    cluster: server,
    setUp: (manager) => {
      manager
        .controller('gadget')
        .for(gadgets)
        .reconcile(async ({ spec }) => void specs.push(spec));
    },
  });
  server.put(gadgets, { metadata: { namespace: 'default', name: 'a' }, spec: { color: 'red' } });
  await eventually(() => expect(specs).toEqual([{ color: 'red' }]));
});

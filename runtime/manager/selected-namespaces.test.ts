/** Controllers whose namespaces follow a label selector. */
import { expect, test } from 'vitest';
import type { Request } from '../controller/reconcile.ts';
import { core } from '../kubernetes/core.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { startTestManager } from '../testing/test-manager.ts';
import { managerRules } from './manager-rules.ts';

const { namespaces } = core.v1;
const SELECTED = { labels: { team: 'a' } };

test('a controller reconciles in the selected namespaces, and forgets an object without a reconcile', async () => {
  await using server = await FakeApiServer.start();
  for (const name of ['x', 'y', 'z']) {
    server.put(namespaces, { metadata: { name, ...(name !== 'z' && SELECTED) } });
    server.put(widgets, { metadata: { namespace: name, name }, spec: { color: 'red' } });
  }
  const clock = new FakeClock();
  const reconciles: string[] = [];
  const reconcile = async ({ namespace }: Request<Widget>) => {
    reconciles.push(namespace ?? '');
    return { requeueAfterMs: 60_000 };
  };
  await using _ = await startTestManager({
    cluster: server,
    clock,
    namespaces: { labelSelector: 'team=a' },
    setUp: (manager) => manager.controller('widget').for(widgets).complete({ reconcile }),
  });
  await eventually(() => expect(reconciles.toSorted()).toEqual(['x', 'y']));
  server.put(namespaces, { metadata: { name: 'z', ...SELECTED } });
  await eventually(() => expect(reconciles).toContain('z'));
  server.put(namespaces, { metadata: { name: 'x' } });
  await server.until(({ openWatches }) => openWatches === 3); // namespaces, and the Widgets of two namespaces
  reconciles.length = 0;
  await clock.advance(60_000);
  await eventually(() => expect(reconciles.toSorted()).toEqual(['y', 'z']));
});

test('the manager may list and watch namespaces', () => {
  const rule = { group: '', resources: ['namespaces'], verbs: ['list', 'watch'] };
  expect(managerRules({ name: 'a', namespaces: { labelSelector: 'team=a' } }).clusterRules).toContainEqual(rule);
  expect(managerRules({ name: 'a', namespaces: ['x'] }).clusterRules).not.toContainEqual(rule);
});

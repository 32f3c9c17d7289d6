/** A manager whose namespaces follow a label selector, on a real API server. */
import { core } from 'controller-runtime';
import { eventually, startTestEnvironment, startTestManager } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import './support/provided.ts';

const { configMaps, namespaces } = core.v1;

test('a controller follows the labels of namespaces, and does not take forgotten objects for deleted', async () => {
  await using environment = await startTestEnvironment({ kubeconfig: inject('kubeconfig') });
  const { client } = environment;
  const [first, second] = [await environment.createNamespace('labels'), await environment.createNamespace('labels')];
  const label = (name: string, value: string | null) =>
    client.patch(namespaces, { name }, { kind: 'merge', body: { metadata: { labels: { [first]: value } } } });
  const create = (namespace: string, name: string) => client.create(configMaps, { metadata: { namespace, name } });
  await label(first, 'yes');
  for (const namespace of [first, second]) await create(namespace, 'a');
  const calls: string[] = [];
  await using running = await startTestManager({
    cluster: environment,
    namespaces: { labelSelector: `${first}=yes` },
    setUp: (manager) => {
      const reconcile = async ({ namespace, name }: { readonly namespace: string; readonly name: string }) => {
        const object = await manager.client.get(configMaps, { namespace, name });
        calls.push(`${namespace}/${name} ${object === undefined ? 'is gone' : 'exists'}`);
        return {};
      };
      manager.controller('config').for(configMaps).complete({ reconcile });
    },
  });
  const list = async () => (await running.manager.client.list(configMaps)).map(({ metadata }) => metadata.namespace);
  await eventually(() => expect(calls).toEqual([`${first}/a exists`]));
  await label(second, 'yes');
  await eventually(() => expect(calls).toEqual([`${first}/a exists`, `${second}/a exists`]));
  await label(first, null);
  await eventually(async () => expect(await list()).toEqual([second]));
  await create(first, 'b');
  await client.delete(configMaps, { namespace: second, name: 'a' });
  await eventually(() => expect(calls.at(-1)).toBe(`${second}/a is gone`));
  expect(calls).toHaveLength(3);
});

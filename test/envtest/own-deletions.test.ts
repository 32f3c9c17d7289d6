/** An object that a manager has deleted is gone for it at once, however late its watches are: docs/adr/0005-own-writes.md. */
import { type ConfigMap, core, type LiveClient } from 'controller-runtime';
import { eventually, startTestManager } from 'controller-runtime/testing';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import { PausableWatches } from './support/pausable-watches.ts';
import './support/provided.ts';

const { configMaps } = core.v1;
const DISK = 'example.com/disk';
const FOREIGN = 'other.com/keeps';

let namespace: string;
beforeEach(async () => {
  namespace = await createNamespace(inject('apiServer'), 'deletions');
});

const createName = (name: string) => ({ namespace, name });

describe('get finds, while the cache is behind,', () => {
  type Write = (client: LiveClient, object: ConfigMap) => Promise<unknown>;
  const merge = (metadata: object) => ({ kind: 'merge', body: { metadata: { ...metadata, finalizers: [] } } }) as const;
  const removal = { op: 'remove', path: '/metadata/finalizers' } as const;
  const withFinalizers = (object: ConfigMap, finalizers: readonly string[]) => ({
    ...object,
    metadata: { ...object.metadata, finalizers },
  });
  const removing: readonly [string, Write][] = [
    ['a patch', (client, { metadata }) => client.patch(configMaps, metadata, merge({}))],
    [
      'a patch of a version',
      (client, { metadata }) =>
        client.patch(configMaps, metadata, merge({ resourceVersion: metadata.resourceVersion })),
    ],
    ['a JSON patch', (client, { metadata }) => client.patch(configMaps, metadata, { kind: 'json', body: [removal] })],
    ['an update', (client, object) => client.update(configMaps, withFinalizers(object, []))],
  ];

  /** A manager that has received the event of a ConfigMap and receives no more events; `otherClient` is another client. */
  async function openScene(finalizers: readonly string[], isDeleted: boolean) {
    const otherClient = connect(inject('kubeconfig'));
    const cluster = new PausableWatches('configmaps', inject('kubeconfig'));
    const { manager, stop } = await startTestManager({
      cluster,
      namespaces: [namespace],
      setUp: ({ cache }) => void cache.informerFor(configMaps),
    });
    await otherClient.client.create(configMaps, { metadata: { ...createName('a'), finalizers } });
    if (isDeleted) await otherClient.client.delete(configMaps, createName('a'));
    const object = await eventually(async () => {
      const found = await manager.client.get(configMaps, createName('a'));
      expect(found?.metadata.deletionTimestamp !== undefined).toBe(isDeleted);
      return found ?? expect.fail('the cache has yet to hear of it');
    });
    cluster.pause();
    const dispose = async () => {
      cluster.resume();
      await stop();
      await cluster[Symbol.asyncDispose]();
      await otherClient[Symbol.asyncDispose]();
    };
    return { people: otherClient, cluster, client: manager.client, object, [Symbol.asyncDispose]: dispose };
  }

  test.each(removing)('nothing after %s removed the last finalizer', async (_, write) => {
    await using scene = await openScene([FOREIGN], true);
    await write(scene.client as unknown as LiveClient, scene.object); // its writes have the same signatures
    expect(await scene.client.get(configMaps, createName('a'))).toBeUndefined();
  });

  test('the remaining object while others have finalizers, and nothing after that', async () => {
    await using scene = await openScene([DISK, FOREIGN], true);
    const { client, object, cluster, people } = scene;
    await client.update(configMaps, withFinalizers(object, [FOREIGN]));
    expect((await client.get(configMaps, createName('a')))?.metadata.finalizers).toEqual([FOREIGN]);
    await people.client.patch(configMaps, createName('a'), { kind: 'merge', body: { metadata: { finalizers: [] } } });
    cluster.resume();
    await eventually(async () => expect(await client.get(configMaps, createName('a'))).toBeUndefined());
  });

  test('nothing after a delete', async () => {
    await using scene = await openScene([], false);
    await scene.client.delete(configMaps, createName('a'));
    expect(await scene.client.get(configMaps, createName('a'))).toBeUndefined();
  });

  test.each([
    ['of an object with finalizers', [FOREIGN], {}],
    ['in the foreground', [], { propagationPolicy: 'Foreground' }],
  ] as const)('the object with its deletionTimestamp after a delete %s', async (_, finalizers, options) => {
    await using scene = await openScene(finalizers, false);
    await scene.client.delete(configMaps, createName('a'), options);
    expect((await scene.client.get(configMaps, createName('a')))?.metadata.deletionTimestamp).toBeDefined();
  });
});

import { expect, test } from 'vitest';
import { type ConfigMap, core } from '../kubernetes/core.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createOrPatch, createOrUpdate, type DesiredState } from './create-or-update.ts';
import { isConflict } from './errors.ts';
import { LiveClient } from './live-client.ts';

const { configMaps } = core.v1;
const key = { namespace: 'default', name: 'a' };

/** Starts an API server and creates a client for it. */
async function startServer() {
  const server = await FakeApiServer.start();
  const transport = server.connect({ userAgent: 'tester', clock: new FakeClock() });
  const client = new LiveClient(transport, { fieldManager: 'tester' });
  const make = (mutate: (current: ConfigMap | undefined) => DesiredState<ConfigMap>) =>
    createOrUpdate(client, configMaps, key, mutate);
  const stored = () => server.get(configMaps, key);
  const dispose = async () => {
    await transport.close();
    await server.close();
  };
  return { client, server, make, stored, [Symbol.asyncDispose]: dispose };
}

test('creates an object that does not exist', async () => {
  await using scene = await startServer();
  const made = await scene.make((current) => ({ metadata: { labels: { app: 'a' } }, data: { seen: String(current) } }));
  expect(made).toEqual({ result: 'created', object: scene.stored() });
  expect(made.object).toMatchObject({ metadata: { ...key, labels: { app: 'a' } }, data: { seen: 'undefined' } });
});

test('updates the fields that differ and keeps the fields that are not set', async () => {
  await using scene = await startServer();
  scene.server.put(configMaps, { metadata: { ...key, finalizers: ['a.com/a'] }, data: { a: '1' }, immutable: true });
  const made = await scene.make((current) => ({
    metadata: { labels: { app: 'a' } },
    data: { ...current?.data, b: '2' },
  }));
  expect(made).toEqual({ result: 'updated', object: scene.stored() });
  expect(made.object).toMatchObject({
    metadata: { ...key, labels: { app: 'a' }, finalizers: ['a.com/a'] },
    data: { a: '1', b: '2' },
    immutable: true,
  });
});

test('writes nothing when the object has the desired state', async () => {
  await using scene = await startServer();
  const object = scene.server.put(configMaps, { metadata: { ...key, labels: { app: 'a' } }, data: { a: '1' } });
  const same = { metadata: { ...key, labels: { app: 'a' } }, data: { a: '1' } };
  expect(await scene.make(() => same)).toEqual({ result: 'unchanged', object });
  expect(await scene.make((current) => ({ ...current }))).toEqual({ result: 'unchanged', object });
  expect(scene.server.requests.map(({ verb }) => verb)).toEqual(['get', 'get']);
});

test('returns unchanged when the defaults of the API server make both states equal', async () => {
  await using scene = await startServer();
  const object = scene.server.put(configMaps, { metadata: key, data: { a: '1' } });
  // The metadata that the API server sets does not change.
  const wanted = { metadata: { ...key, creationTimestamp: '2020-01-01T00:00:00Z' }, data: { a: '1' } };
  expect(await scene.make(() => wanted)).toEqual({ result: 'unchanged', object });
  expect(scene.server.requests.map(({ verb }) => verb)).toEqual(['get', 'update']);
});

test('createOrPatch sends only the difference, despite concurrent changes', async () => {
  await using scene = await startServer();
  const make = (data: Readonly<Record<string, string>>, meanwhile = () => {}) =>
    createOrPatch(scene.client, configMaps, key, (current) => {
      meanwhile();
      return { data: { ...current?.data, ...data } };
    });
  expect(await make({ a: '1', b: '1' })).toEqual({ result: 'created', object: scene.stored() });
  const others = () => void scene.server.put(configMaps, { metadata: key, data: { a: '2', b: '1' } });
  expect(await make({ b: '3' }, others)).toMatchObject({ result: 'updated', object: { data: { a: '2', b: '3' } } });
  expect(await make({ b: '3' })).toEqual({ result: 'unchanged', object: scene.stored() });
  expect(scene.server.requests.map(({ verb }) => verb)).toEqual(['get', 'create', 'get', 'patch', 'get']);
});

test('refuses to change the name', async () => {
  await using scene = await startServer();
  await expect(scene.make(() => ({ metadata: { name: 'b' } }))).rejects.toThrow(
    'the name and namespace of default/a cannot be changed',
  );
  expect(scene.stored()).toBeUndefined();
});

test('rejects with a conflict when another client wrote first', async () => {
  await using scene = await startServer();
  scene.server.put(configMaps, { metadata: key, data: { a: '1' } });
  const made = scene.make(() => {
    scene.server.put(configMaps, { metadata: key, data: { a: '2' } });
    return { data: { a: '3' } };
  });
  await expect(made).rejects.toSatisfy(isConflict);
  expect(scene.stored()).toMatchObject({ data: { a: '2' } });
});

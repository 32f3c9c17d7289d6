/** A cache whose namespaces follow a label selector. */
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { CacheHarness } from '../test-support/cache-harness.ts';
import { RecordingHandler } from '../test-support/informer-harness.ts';
import { widget, widgets } from '../test-support/objects.ts';

const NAMESPACES = '/api/v1/namespaces';
const SELECTED = { team: 'a' };
const widgetsOf = (namespace: string) => `/apis/example.com/v1/namespaces/${namespace}/widgets`;
let version = 1;

function createNamespace(name: string, labels: Readonly<Record<string, string>> = {}): KubernetesObject {
  const metadata = { ...widget({ name, resourceVersion: String(version++) }).metadata, labels };
  const { namespace: _, ...clusterMetadata } = metadata;
  return { apiVersion: 'v1', kind: 'Namespace', metadata: clusterMetadata };
}

/** The namespaces x and y have the label, and z has not. Each has a Widget of its name. */
async function start() {
  const scene = new CacheHarness({ namespaces: { labelSelector: 'team=a' } });
  const handler = new RecordingHandler();
  scene.cache.informerFor(widgets).addEventHandler(handler);
  await scene.start();
  const send = async (type: 'ADDED' | 'MODIFIED' | 'DELETED', namespace: KubernetesObject) => {
    scene.transport.watch(NAMESPACES).send(type, namespace);
    await scene.settled();
  };
  const sendWidget = async (namespace: string) => {
    scene.transport.watch(widgetsOf(namespace)).sendInitial([widget({ name: namespace, namespace })]);
    await scene.settled();
  };
  const namespaces = [createNamespace('x', SELECTED), createNamespace('y', SELECTED), createNamespace('z')];
  scene.transport.watch(NAMESPACES).sendInitial(namespaces);
  await scene.settled();
  return { ...scene, scene, handler, send, sendWidget, names: () => listNames(scene) };
}

async function listNames({ cache }: CacheHarness): Promise<readonly string[]> {
  return (await cache.list(widgets)).map(({ metadata }) => metadata.name).toSorted();
}

test('watches the objects of the selected namespaces, and has synced when all of them have', async () => {
  const { scene, sendWidget, names } = await start();
  expect(scene.transport.watches.map(({ request }) => request.path)).toEqual([
    NAMESPACES,
    widgetsOf('x'),
    widgetsOf('y'),
  ]);
  await sendWidget('x');
  expect(scene.cache.hasSynced).toBe(false);
  await sendWidget('y');
  expect(scene.cache.hasSynced).toBe(true);
  expect(await names()).toEqual(['x', 'y']);
});

test('has synced without a selected namespace, and when a namespace loses its label before it has synced', async () => {
  const { scene, send, sendWidget } = await start();
  await sendWidget('x');
  await send('MODIFIED', createNamespace('y'));
  expect(scene.cache.hasSynced).toBe(true);
  const empty = new CacheHarness({ namespaces: { labelSelector: 'team=a' } });
  empty.cache.informerFor(widgets);
  await empty.start();
  expect(empty.cache.check()).toBe('informer of namespaces has not synced');
  empty.transport.watch(NAMESPACES).sendInitial([createNamespace('z')]);
  await empty.settled();
  expect(empty.cache.hasSynced).toBe(true);
});

test('starts a watch when a namespace gets the label', async () => {
  const { handler, send, sendWidget, names } = await start();
  await sendWidget('x');
  await sendWidget('y');
  handler.take();
  await send('MODIFIED', createNamespace('z', SELECTED));
  await sendWidget('z');
  expect(await names()).toEqual(['x', 'y', 'z']);
  expect(handler.take()).toEqual(['add z']);
});

test('forgets the objects when a namespace loses the label, ignores the ended watch, and reads them again', async () => {
  const { scene, handler, send, sendWidget, names } = await start();
  await sendWidget('x');
  await sendWidget('y');
  handler.take();
  const ended = scene.transport.watch(widgetsOf('x'));
  await send('MODIFIED', createNamespace('x'));
  expect(ended.request.signal?.aborted).toBe(true);
  expect([await names(), handler.take()]).toEqual([['y'], ['forget x']]);
  await send('MODIFIED', createNamespace('x', SELECTED));
  await sendWidget('x');
  expect([await names(), handler.take()]).toEqual([['x', 'y'], ['add x']]);
});

test('a deleted namespace has no objects, before their watch says so', async () => {
  const { handler, send, sendWidget, names } = await start();
  await sendWidget('x');
  await sendWidget('y');
  handler.take();
  await send('DELETED', createNamespace('x', SELECTED));
  expect([await names(), handler.take()]).toEqual([['y'], ['delete x@1']]);
});

test('own writes in a namespace without the label are not listed', async () => {
  const { scene, send, sendWidget } = await start();
  await sendWidget('x');
  await sendWidget('y');
  await scene.write({ name: 'new', namespace: 'x', resourceVersion: '99' }, 'blue');
  const list = async () => (await scene.client.list(widgets)).map(({ metadata }) => metadata.name).toSorted();
  expect(await list()).toEqual(['new', 'x', 'y']);
  await send('MODIFIED', createNamespace('x'));
  expect(await list()).toEqual(['y']);
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HttpTransport } from '../client/transport.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pathOf, type Resource } from '../kubernetes/resource.ts';
import { Manager } from '../manager/manager.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { racks, type Widget, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { ChannelSource } from './channel-source.ts';
import { labelSelector, predicateOf } from './predicate.ts';
import type { Request } from './reconcile.ts';

interface Part extends KubernetesObject {
  readonly spec: { readonly size: number };
}
const parts: Resource<Part> = { group: 'example.com', version: 'v1', kind: 'Part', plural: 'parts', namespaced: true };
const HOUR_MS = 3_600_000;
const owned = { namespace: 'default', ownerReferences: [widgetOwner('boss')] };

/** A manager of an API server in memory. */
class Scene {
  readonly server: FakeApiServer;
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  readonly log = new RecordingLogger();
  readonly manager: Manager;
  readonly reconciled: string[] = [];
  readonly #transport: HttpTransport;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(server: FakeApiServer) {
    this.server = server;
    const { clock, log } = this;
    this.#transport = server.connect({ userAgent: 'tester', clock });
    this.manager = new Manager({
      name: 'tester',
      transport: this.#transport,
      clock,
      log,
      metrics: new PrometheusMetrics(),
    });
  }

  readonly note = async ({ metadata }: KubernetesObject) => void this.reconciled.push(metadata.name);

  async start(): Promise<void> {
    this.#ended = this.manager.start(this.#stop.signal);
    await eventually(() =>
      expect(this.log.records).toContainEqual(expect.objectContaining({ message: 'controller started' })),
    );
  }

  reconciles(...names: readonly string[]): Promise<void> {
    return eventually(() => expect(this.reconciled).toEqual(names));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await this.#transport.close();
    await this.server.close();
  }
}

let scene: Scene;
beforeEach(async () => {
  scene = new Scene(await FakeApiServer.start());
});
afterEach(() => scene.close());

const named = () => scene.manager.controller('widget');
const store = (name: string, more: Partial<Widget> = {}) =>
  scene.server.put(widgets, { metadata: { namespace: 'default', name }, spec: { color: 'red' }, ...more });

describe('a controller', () => {
  test('reconciles its objects, and those that own or are named by others', async () => {
    const channel = new ChannelSource();
    for (const name of ['boss', 'friend', 'other']) store(name);
    named()
      .for(widgets, { predicates: [{ onAdd: () => false }] })
      .owns(parts, { predicates: [{ onDelete: ({ spec }) => spec.size > 1 }] })
      .watches(racks, async ({ metadata }) => [{ namespace: 'default', name: metadata.labels?.['for'] ?? '' }])
      .watchesChannel(channel)
      .reconcile(scene.note);
    await scene.start();
    scene.server.put(parts, { metadata: { ...owned, name: 'p' }, spec: { size: 1 } });
    await scene.reconciles('boss');
    scene.server.put(racks, { metadata: { name: 'r', labels: { for: 'friend' } } });
    await scene.reconciles('boss', 'friend');
    scene.server.remove(parts, { namespace: 'default', name: 'p' });
    channel.emit({ namespace: 'default', name: 'other' });
    await scene.reconciles('boss', 'friend', 'other');
  });

  test('watches what it was told to, and in the form', async () => {
    named()
      .for(widgets, { labelSelector: 'app=web' })
      .owns(parts, {
        metadataOnly: true,
        namespaces: ['x'],
        fieldSelector: 'metadata.name=p',
        predicates: [labelSelector('app')],
      })
      .reconcile(scene.note);
    const ended = scene.start();
    await scene.server.watchOpened(2);
    const watches = scene.server.requests.map(({ path, query, headers }) => [
      path,
      query.get('labelSelector'),
      query.get('fieldSelector'),
      headers.accept?.split(';')[1],
    ]);
    expect(watches.toSorted()).toEqual([
      [pathOf(parts, 'x'), null, 'metadata.name=p', 'as=PartialObjectMetadata'],
      [pathOf(widgets), 'app=web', null, undefined],
    ]);
    await ended;
  });

  test('can reconcile every owner, and filter the events of all that it watches', async () => {
    for (const name of ['boss', 'friend']) store(name);
    named()
      .for(widgets, { predicates: [{ onAdd: () => false }] })
      .withEventFilter(predicateOf(({ metadata }) => metadata.labels?.['skip'] === undefined))
      .owns(parts, { matchEveryOwner: true })
      .reconcile(scene.note);
    await scene.start();
    const ownerReferences = ['boss', 'friend'].map((name) => widgetOwner(name, { controller: name === 'boss' }));
    const part = (name: string, labels = {}) =>
      scene.server.put(parts, { metadata: { namespace: 'default', name, ownerReferences, labels }, spec: { size: 1 } });
    part('unseen', { skip: 'yes' });
    part('p');
    await scene.reconciles('boss', 'friend');
  });

  test('shortens the back-off of an owner when an object that it owns is deleted', async () => {
    store('boss');
    const fails = async (object: KubernetesObject) => {
      await scene.note(object);
      throw new Error('no room');
    };
    const rateLimits = { baseDelayMs: HOUR_MS, maxDelayMs: 10 * HOUR_MS };
    named().for(widgets).owns(parts).withOptions({ rateLimits }).reconcile(fails);
    scene.server.put(parts, { metadata: { ...owned, name: 'p' }, spec: { size: 1 } });
    await scene.start();
    await eventually(() => expect(scene.log.errors).not.toEqual([]));
    scene.server.remove(parts, { namespace: 'default', name: 'p' });
    const passes = scene.reconciled.length;
    await eventually(() => expect(scene.log.errors).toHaveLength(passes + 1));
    expect(scene.log.errors.at(-1)?.fields).toMatchObject({ failures: 1 });
  });

  test('looks at no spec where there is none', () => {
    const builder = named().for(widgets);
    // @ts-expect-error it is the metadata alone
    builder.owns(parts, { metadataOnly: true, predicates: [{ onAdd: ({ spec }) => spec.size > 1 }] });
    // @ts-expect-error it is the metadata alone
    builder.watches(parts, ({ spec }) => [{ name: `${spec.size}` }], { metadataOnly: true });
    builder.watches(parts, ({ metadata: { name } }) => [{ name }], { metadataOnly: true });
    expect(scene.manager.cache.has(parts)).toBe(false);
  });

  test('keeps finalizers for its objects, from the cache to the last of them', async () => {
    const calls: string[] = [];
    named()
      .for(widgets)
      .finalizer('example.com/disk', async ({ metadata }) => void calls.push(`clean up ${metadata.name}`))
      .reconcile(async ({ metadata: { name, finalizers } }, { status }) => {
        calls.push(`reconcile ${name} ${finalizers}`);
        await status({ ready: true });
      });
    await scene.start();
    store('a');
    await eventually(() => expect(scene.server.list(widgets)).toMatchObject([{ status: { ready: true } }]));
    await scene.manager.client.delete(widgets, { namespace: 'default', name: 'a' });
    await eventually(() => expect(scene.server.list(widgets)).toEqual([]));
    expect(calls[0]).toBe('reconcile a example.com/disk');
    expect(calls.at(-1)).toBe('clean up a');
    expect(calls.filter((call) => call === 'clean up a')).toHaveLength(1);
    expect(scene.log.errors).toEqual([]);
  });

  test('has each finalizer once, and none where nobody would clean up', () => {
    const builder = named()
      .for(widgets)
      .finalizer('example.com/disk', async () => undefined);
    expect(() => builder.finalizer('example.com/disk', async () => undefined)).toThrow(
      'finalizer example.com/disk is registered already',
    );
    expect(() => builder.complete({ reconcile: async () => ({}) })).toThrow('finalizers need reconcile()');
    // @ts-expect-error it has no domain
    builder.finalizer('disk', async () => undefined);
  });

  test('gets keys alone if it wants to', async () => {
    store('a');
    const reconcile = async ({ name }: Request) => {
      scene.reconciled.push(name);
      return {};
    };
    named().for(widgets).complete({ reconcile });
    await scene.start();
    await scene.reconciles(widget().metadata.name);
  });
});

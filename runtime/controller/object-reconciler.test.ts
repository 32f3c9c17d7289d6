import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { LiveClient } from '../client/live-client.ts';
import type { HttpTransport } from '../client/transport.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import type { ObjectContext } from './object-context.ts';
import { type Finalizer, type FinalizerName, ObjectReconciler, type ReconcileObject } from './object-reconciler.ts';
import { type Result, TerminalError } from './reconcile.ts';

const DISK = 'example.com/disk';
const DNS = 'example.com/dns';
const FOREIGN = 'other.com/keeps';
const key = { namespace: 'default', name: 'a' };

let scene: Scene;
beforeEach(async () => {
  scene = new Scene(await FakeApiServer.start());
});
afterEach(() => scene.close());

/** A reconciler of the Widget `default/a` that asks an API server for everything. */
class Scene {
  readonly server: FakeApiServer;
  readonly client: Client;
  readonly log = new RecordingLogger();
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  /** What was called, with the finalizers that the object had. */
  readonly calls: string[] = [];
  readonly events: string[] = [];
  readonly #transport: HttpTransport;

  constructor(server: FakeApiServer) {
    this.server = server;
    this.#transport = server.connect({ userAgent: 'tester', clock: this.clock });
    this.client = new LiveClient(this.#transport, { fieldManager: 'tester' });
  }

  /** Stores the Widget. */
  store(
    more: { readonly finalizers?: readonly string[]; readonly status?: NonNullable<Widget['status']> } = {},
  ): Widget {
    const { finalizers = [], ...rest } = more;
    return this.server.put(widgets, { metadata: { ...key, finalizers }, spec: { color: 'red' }, ...rest });
  }

  /** Stores one that has these finalizers, and asks for its deletion. */
  async storeDeleted(...finalizers: readonly string[]): Promise<void> {
    this.store({ finalizers });
    await this.client.delete(widgets, key);
    this.server.requests.length = 0;
  }

  /** Somebody changes the Widget behind our backs. */
  edit(): void {
    const { metadata, spec } = this.server.get(widgets, key)!;
    this.server.put(widgets, { metadata: { ...metadata, labels: { edited: 'yes' } }, spec });
  }

  get finalizers(): readonly string[] | undefined {
    return this.server.get(widgets, key)?.metadata.finalizers;
  }

  /** Requests that change something: the verb, or the subresource. */
  get writes(): string[] {
    return this.server.requests
      .filter(({ verb }) => verb !== 'get')
      .map(({ verb, subresource }) => subresource ?? verb);
  }

  /** Notes that it was called, then does as `then`. */
  noting(name: string, then: ReconcileObject<Widget> = async () => undefined): ReconcileObject<Widget> {
    return (object, context) => {
      this.calls.push(`${name}: ${(object.metadata.finalizers ?? []).join(' ')}`);
      return then(object, context);
    };
  }

  async pass(
    then?: ReconcileObject<Widget>,
    finalizers: Readonly<Record<FinalizerName, Finalizer<Widget>>> = {},
  ): Promise<Result> {
    const { client, clock, log, events } = this;
    const reconciler = new ObjectReconciler({
      resource: widgets,
      reconcile: this.noting('reconcile', then),
      finalizers: new Map(Object.entries(finalizers) as [FinalizerName, Finalizer<Widget>][]), // what goes in comes out
      client,
      apiReader: client,
      clock,
      recorder: { event: ({ metadata }, ...event) => void events.push([metadata.name, ...event].join(' ')) },
    });
    return await reconciler.reconcile(key, {
      log,
      signal: new AbortController().signal,
      lowerPriority: () => true,
      othersWait: () => false,
    });
  }

  async close(): Promise<void> {
    await this.#transport.close();
    await this.server.close();
  }
}

describe('a pass', () => {
  test('gets the object, and what it needs for it', async () => {
    const object = scene.store();
    let given: ObjectContext<Widget> | undefined;
    const result = await scene.pass(async (seen, context) => {
      expect(seen).toEqual(object);
      given = context;
      context.event('Normal', 'Seen', 'seen');
      return { requeueAfterMs: 5 };
    });
    expect(result).toEqual({ requeueAfterMs: 5 });
    expect(given?.now).toEqual(scene.clock.now());
    expect(scene.events).toEqual(['a Normal Seen seen']);
    expect(scene.writes).toEqual([]);
  });

  test('that returns nothing succeeds', async () => {
    scene.store();
    expect(await scene.pass()).toEqual({});
  });

  test('is not made when the object is gone', async () => {
    expect(await scene.pass(undefined, { [DISK]: scene.noting('disk') })).toEqual({});
    expect([scene.calls, scene.writes]).toEqual([[], []]);
  });

  test('is not made when the object is being deleted and only others keep it', async () => {
    await scene.storeDeleted(FOREIGN);
    expect(await scene.pass(undefined, { [DISK]: scene.noting('disk') })).toEqual({});
    expect([scene.calls, scene.writes]).toEqual([[], []]);
  });

  test('that finds the object changed is made again, and that is no error', async () => {
    scene.store();
    const result = await scene.pass(async (object, { client }) => {
      scene.edit();
      await client.update(widgets, object);
    });
    expect(result).toEqual({ retry: true });
    expect(scene.log.errors).toEqual([]);
  });
});

describe('finalizers', () => {
  const ours = () => ({ [DISK]: scene.noting('disk'), [DNS]: scene.noting('dns') });

  test('are stored before the first pass, beside those of others', async () => {
    scene.store({ finalizers: [FOREIGN] });
    await scene.pass(undefined, ours());
    expect(scene.calls).toEqual([`reconcile: ${FOREIGN} ${DISK} ${DNS}`]);
    expect(scene.finalizers).toEqual([FOREIGN, DISK, DNS]);
    expect(scene.writes).toEqual(['patch']);
  });

  test('that are there are not stored again', async () => {
    scene.store({ finalizers: [DNS, DISK] });
    await scene.pass(undefined, ours());
    expect([scene.calls, scene.writes]).toEqual([[`reconcile: ${DNS} ${DISK}`], []]);
  });

  test.each([
    { name: 'has changed meanwhile', meanwhile: () => scene.edit(), want: { retry: true } },
    { name: 'has gone meanwhile', meanwhile: () => scene.server.remove(widgets, key), want: {} },
  ])('wait for the next pass when the object $name', async ({ meanwhile, want }) => {
    const stale = scene.store();
    meanwhile();
    Object.assign(scene.client, { get: async () => stale }); // as a cache does that is behind
    expect(await scene.pass(undefined, ours())).toEqual(want);
    expect([scene.calls, scene.finalizers ?? [], scene.log.errors]).toEqual([[], [], []]);
  });

  test('clean up in their order when the object is being deleted, and let it go', async () => {
    await scene.storeDeleted(DNS, DISK);
    expect(await scene.pass(undefined, ours())).toEqual({});
    expect(scene.calls).toEqual([`disk: ${DNS} ${DISK}`, `dns: ${DNS}`]);
    expect(scene.server.get(widgets, key)).toBeUndefined();
    expect(scene.writes).toEqual(['patch', 'patch']);
  });

  test('stay while cleaning up fails, and those behind wait', async () => {
    await scene.storeDeleted(DISK, DNS);
    const failing = { ...ours(), [DISK]: scene.noting('disk', () => Promise.reject(new Error('in use'))) };
    await expect(scene.pass(undefined, failing)).rejects.toMatchObject({
      message: `run finalizer ${DISK}`,
      cause: { message: 'in use' },
    });
    expect([scene.calls, scene.finalizers]).toEqual([[`disk: ${DISK} ${DNS}`], [DISK, DNS]]);
    await scene.pass(undefined, ours());
    expect(scene.server.get(widgets, key)).toBeUndefined();
  });

  test.each<{ result: Result }>([
    { result: { requeueAfterMs: 60_000 } },
    { result: { retry: true } },
    { result: { error: new Error('in use') } },
  ])('stay while cleaning up returns $result', async ({ result }) => {
    await scene.storeDeleted(DISK);
    expect(await scene.pass(undefined, { [DISK]: scene.noting('disk', async () => result) })).toEqual(result);
    expect(scene.finalizers).toEqual([DISK]);
  });

  test('stay while cleaning up fails for good, and the error says so still', async () => {
    await scene.storeDeleted(DISK);
    const failing = { [DISK]: scene.noting('disk', () => Promise.reject(new TerminalError('no such disk'))) };
    await expect(scene.pass(undefined, failing)).rejects.toBeInstanceOf(TerminalError);
    expect(scene.finalizers).toEqual([DISK]);
  });

  test('clean up again when the object has changed meanwhile', async () => {
    await scene.storeDeleted(DISK);
    const editing = { [DISK]: scene.noting('disk', async () => scene.edit()) };
    expect(await scene.pass(undefined, editing)).toEqual({ retry: true });
    expect(scene.finalizers).toEqual([DISK]);
    expect(await scene.pass(undefined, ours())).toEqual({});
    expect(scene.server.get(widgets, key)).toBeUndefined();
  });

  test('that somebody else took off meanwhile are no error', async () => {
    await scene.storeDeleted(DISK, DNS);
    const cleanUp = async () => scene.server.remove(widgets, key);
    expect(await scene.pass(undefined, { ...ours(), [DISK]: scene.noting('disk', cleanUp) })).toEqual({});
    expect(scene.calls).toEqual([`disk: ${DISK} ${DNS}`]);
  });
});

describe('the status', () => {
  type Status = Parameters<ObjectContext<Widget>['status']>[0];

  /** Passes in which the status becomes each of these. */
  const become = (...statuses: readonly unknown[]) =>
    scene.pass(async (_, { status }) => {
      for (const next of statuses) await status(next as Status);
    });

  test('is written when it differs, and that is all that is', async () => {
    scene.store();
    await become({ ready: true });
    expect([scene.server.get(widgets, key)?.status, scene.writes]).toEqual([{ ready: true }, ['status']]);
  });

  test.each([
    { name: 'is the same', next: { ready: true } },
    { name: 'has fields that are undefined or null', next: { ready: true, since: undefined, until: null } },
  ])('is not written when it $name', async ({ next }) => {
    scene.store({ status: { ready: true } });
    await become(next);
    expect(scene.writes).toEqual([]);
  });

  test('is compared as it is stored: dates are text', async () => {
    const since = '2026-01-01T00:00:00.000Z';
    scene.store({ status: { ready: true, since } as Status });
    await become({ ready: true, since: new Date(since) });
    expect(scene.writes).toEqual([]);
  });

  test('is written once in a pass: another one is an error', async () => {
    scene.store();
    await become({ ready: true }, { ready: true });
    expect(scene.writes).toEqual(['status']);
    await expect(become({ ready: false }, { ready: true })).rejects.toThrow('called twice in one pass');
    expect(scene.server.get(widgets, key)?.status).toEqual({ ready: false });
  });

  test('follows the finalizers that the pass began with', async () => {
    scene.store();
    await scene.pass((_, { status }) => status({ ready: true }), { [DISK]: scene.noting('disk') });
    expect(scene.writes).toEqual(['patch', 'status']);
    expect(scene.finalizers).toEqual([DISK]);
  });
});

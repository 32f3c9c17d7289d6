import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { LiveClient } from '../client/live-client.ts';
import type { HttpTransport } from '../client/transport.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { createObjectContext, type ObjectContext } from './object-context.ts';
import { type Finalizer, type FinalizerName, ObjectReconciler, type ReconcileFunction } from './object-reconciler.ts';
import { type ReconcileContext, type Result, TerminalError } from './reconcile.ts';
import { StatusWrites } from './status-writes.ts';

const DISK = 'example.com/disk';
const DNS = 'example.com/dns';
const FOREIGN = 'other.com/keeps';
const key = { namespace: 'default', name: 'a' };

let server: FakeApiServer;
let transport: HttpTransport;
let client: Client;
let log: RecordingLogger;
/** The calls, with the finalizers that the object had. */
let calls: string[];
let events: string[];
const clock = new FakeClock('2026-01-01T00:00:00Z');
beforeEach(async () => {
  server = await FakeApiServer.start();
  transport = server.connect({ userAgent: 'tester', clock });
  client = new LiveClient(transport, { fieldManager: 'tester' });
  log = new RecordingLogger();
  [calls, events] = [[], []];
});
afterEach(async () => {
  await transport.close();
  await server.close();
});

/** Stores the Widget `default/a`. */
function store(
  more: { readonly finalizers?: readonly string[]; readonly status?: NonNullable<Widget['status']> } = {},
) {
  const { finalizers = [], ...rest } = more;
  return server.put(widgets, { metadata: { ...key, finalizers }, spec: { color: 'red' }, ...rest });
}

/** Stores a Widget with these finalizers, and requests its deletion. */
async function storeDeleted(...finalizers: readonly string[]): Promise<void> {
  store({ finalizers });
  await client.delete(widgets, key);
  server.requests.length = 0;
}

/** Another client changes the Widget. */
function edit(): void {
  const { metadata, spec } = server.get(widgets, key)!;
  server.put(widgets, { metadata: { ...metadata, labels: { edited: 'yes' } }, spec });
}

const finalizers = () => server.get(widgets, key)?.metadata.finalizers;

/** Writing requests: the verb or the subresource. */
const writes = () =>
  server.requests.filter(({ verb }) => verb !== 'get').map(({ verb, subresource }) => subresource ?? verb);

/** Records the call, then runs `then`. */
function noting(name: string, then: ReconcileFunction<Widget> = async () => undefined): ReconcileFunction<Widget> {
  return (object, context) => {
    calls.push(`${name}: ${(object.metadata.finalizers ?? []).join(' ')}`);
    return then(object, context);
  };
}

/** One reconcile, with a reconciler that reads everything from an API server. */
async function reconcile(
  then?: ReconcileFunction<Widget>,
  finalizers: Readonly<Record<FinalizerName, Finalizer<Widget>>> = {},
) {
  const { signal } = new AbortController();
  const reconciler = new ObjectReconciler({
    resource: widgets,
    reconcile: noting('reconcile', then),
    finalizers: new Map(Object.entries(finalizers) as [FinalizerName, Finalizer<Widget>][]), // the entries keep their types
    ...{ client, apiReader: client, clock, abortSignal: signal },
    statusWrites: new StatusWrites(),
    recorder: { event: ({ metadata }, ...event) => void events.push([metadata.name, ...event].join(' ')) },
  });
  return await reconciler.reconcile(key, {
    log,
    signal,
    tryContinueAtLowPriority: () => true,
    hasWaitingObjects: () => false,
  });
}

describe('a reconcile', () => {
  test('gets the object and its context', async () => {
    const object = store();
    let given: ObjectContext<Widget> | undefined;
    const result = await reconcile(async (seen, context) => {
      expect(seen).toEqual(object);
      given = context;
      context.event('Normal', 'Seen', 'seen');
      return { requeueAfterMs: 5 };
    });
    expect(result).toEqual({ requeueAfterMs: 5 });
    expect(given?.now).toEqual(clock.now());
    expect(events).toEqual(['a Normal Seen seen']);
    expect(writes()).toEqual([]);
  });

  test('that returns nothing succeeds', async () => {
    store();
    expect(await reconcile()).toEqual({});
  });

  test('does not run if the object is gone', async () => {
    expect(await reconcile(undefined, { [DISK]: noting('disk') })).toEqual({});
    expect([calls, writes()]).toEqual([[], []]);
  });

  test('does not run if the object is being deleted and only has finalizers of others', async () => {
    await storeDeleted(FOREIGN);
    expect(await reconcile(undefined, { [DISK]: noting('disk') })).toEqual({});
    expect([calls, writes()]).toEqual([[], []]);
  });

  test('that gets a conflict is repeated without an error', async () => {
    store();
    const result = await reconcile(async (object, { client }) => {
      edit();
      await client.update(widgets, object);
    });
    expect(result).toEqual({ retry: true });
    expect(log.errors).toEqual([]);
  });
});

describe('finalizers', () => {
  const ours = () => ({ [DISK]: noting('disk'), [DNS]: noting('dns') });

  test('are stored before the first reconcile, next to finalizers of others', async () => {
    store({ finalizers: [FOREIGN] });
    await reconcile(undefined, ours());
    expect(calls).toEqual([`reconcile: ${FOREIGN} ${DISK} ${DNS}`]);
    expect(finalizers()).toEqual([FOREIGN, DISK, DNS]);
    expect(writes()).toEqual(['patch']);
  });

  test('that exist are not stored again', async () => {
    store({ finalizers: [DNS, DISK] });
    await reconcile(undefined, ours());
    expect([calls, writes()]).toEqual([[`reconcile: ${DNS} ${DISK}`], []]);
  });

  test.each([
    { name: 'has changed meanwhile', meanwhile: () => edit(), want: { retry: true } },
    { name: 'has gone meanwhile', meanwhile: () => server.remove(widgets, key), want: {} },
  ])('wait for the next reconcile if the object $name', async ({ meanwhile, want }) => {
    const stale = store();
    meanwhile();
    Object.assign(client, { get: async () => stale }); // like a cache that is behind
    expect(await reconcile(undefined, ours())).toEqual(want);
    expect([calls, finalizers() ?? [], log.errors]).toEqual([[], [], []]);
  });

  test('clean up in order when the object is being deleted, and are removed', async () => {
    await storeDeleted(DNS, DISK);
    expect(await reconcile(undefined, ours())).toEqual({});
    expect(calls).toEqual([`disk: ${DNS} ${DISK}`, `dns: ${DNS}`]);
    expect(server.get(widgets, key)).toBeUndefined();
    expect(writes()).toEqual(['patch', 'patch']);
  });

  test('remain while the clean-up fails, and later ones wait', async () => {
    await storeDeleted(DISK, DNS);
    const failing = { ...ours(), [DISK]: noting('disk', () => Promise.reject(new Error('in use'))) };
    await expect(reconcile(undefined, failing)).rejects.toMatchObject({
      message: `run finalizer ${DISK}`,
      cause: { message: 'in use' },
    });
    expect([calls, finalizers()]).toEqual([[`disk: ${DISK} ${DNS}`], [DISK, DNS]]);
    await reconcile(undefined, ours());
    expect(server.get(widgets, key)).toBeUndefined();
  });

  test.each<{ result: Result }>([
    { result: { requeueAfterMs: 60_000 } },
    { result: { retry: true } },
    { result: { error: new Error('in use') } },
  ])('remain while the clean-up returns $result', async ({ result }) => {
    await storeDeleted(DISK);
    expect(await reconcile(undefined, { [DISK]: noting('disk', async () => result) })).toEqual(result);
    expect(finalizers()).toEqual([DISK]);
  });

  test('remain after a terminal error, which stays terminal', async () => {
    await storeDeleted(DISK);
    const failing = { [DISK]: noting('disk', () => Promise.reject(new TerminalError('no such disk'))) };
    await expect(reconcile(undefined, failing)).rejects.toBeInstanceOf(TerminalError);
    expect(finalizers()).toEqual([DISK]);
  });

  test('clean up again if the object changed meanwhile', async () => {
    await storeDeleted(DISK);
    const editing = { [DISK]: noting('disk', async () => edit()) };
    expect(await reconcile(undefined, editing)).toEqual({ retry: true });
    expect(finalizers()).toEqual([DISK]);
    expect(await reconcile(undefined, ours())).toEqual({});
    expect(server.get(widgets, key)).toBeUndefined();
  });

  test('that another client removed meanwhile cause no error', async () => {
    await storeDeleted(DISK, DNS);
    const cleanUp = async () => server.remove(widgets, key);
    expect(await reconcile(undefined, { ...ours(), [DISK]: noting('disk', cleanUp) })).toEqual({});
    expect(calls).toEqual([`disk: ${DISK} ${DNS}`]);
  });
});

describe('the status', () => {
  type Status = Parameters<ObjectContext<Widget>['status']>[0];

  /** Reconciles that set the status to each of these. */
  const become = (...statuses: readonly unknown[]) =>
    reconcile(async (_, { status }) => {
      for (const next of statuses) await status(next as Status);
    });

  test('is written if it differs, and nothing else is', async () => {
    store();
    await become({ ready: true });
    expect([server.get(widgets, key)?.status, writes()]).toEqual([{ ready: true }, ['status']]);
  });

  test.each([
    { name: 'is the same', next: { ready: true } },
    { name: 'has fields that are undefined or null', next: { ready: true, since: undefined, until: null } },
  ])('is not written if it $name', async ({ next }) => {
    store({ status: { ready: true } });
    await become(next);
    expect(writes()).toEqual([]);
  });

  test('is compared in its stored form, with dates as text', async () => {
    const since = '2026-01-01T00:00:00.000Z';
    store({ status: { ready: true, since } as Status });
    await become({ ready: true, since: new Date(since) });
    expect(writes()).toEqual([]);
  });

  test('can change several times in a reconcile, and is written only when it changes', async () => {
    store();
    await become({ ready: false }, { ready: false }, { ready: true });
    expect([server.get(widgets, key)?.status, writes()]).toEqual([{ ready: true }, ['status', 'status']]);
  });

  test('is not written while an earlier write is in flight', async () => {
    store();
    const both = reconcile(async (_, { status }) => {
      await Promise.all([status({ ready: false }), status({ ready: true })]);
    });
    await expect(both).rejects.toThrow('an earlier call has not finished');
    await server.until(() => server.get(widgets, key)?.status !== undefined);
    expect(server.get(widgets, key)?.status).toEqual({ ready: false });
  });

  test('is a conflict if another client changes the object between two writes', async () => {
    store();
    const result = await reconcile(async (_, { status }) => {
      await status({ ready: false });
      edit();
      await status({ ready: true });
    });
    expect([result, server.get(widgets, key)?.status]).toEqual([{ retry: true }, undefined]);
  });

  test.each([
    ['with the spec for a kind with several versions', { v2: {} }, { color: 'red' }],
    ['without the spec for other kinds', {}, undefined],
  ])('is written %s', async (_, versions, spec) => {
    const object = store();
    const updates: { readonly spec?: unknown }[] = [];
    const updateStatus = async (_: unknown, update: object) => {
      updates.push(update);
      return object;
    };
    const statusWrites = new StatusWrites();
    const options = { client: { updateStatus }, clock, statusWrites, resource: { ...widgets, versions } };
    const context = createObjectContext<Widget>(object, options as never, {} as ReconcileContext);
    await context.status({ ready: true });
    expect(updates.map((update) => update.spec)).toEqual([spec]);
  });

  test('is written after the reconcile has stored its finalizers', async () => {
    store();
    await reconcile((_, { status }) => status({ ready: true }), { [DISK]: noting('disk') });
    expect(writes()).toEqual(['patch', 'status']);
    expect(finalizers()).toEqual([DISK]);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { type Resource, resourcePath } from '../kubernetes/resource.ts';
import type { Manager } from '../manager/manager.ts';
import { racks, type Widget, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { startTestManager } from '../testing/test-manager.ts';
import { ChannelSource } from './channel-source.ts';
import type { NamedController } from './controller-builder.ts';
import { createPredicate, labelSelector } from './predicate.ts';
import { type Request, TerminalError } from './reconcile.ts';

interface Part extends KubernetesObject {
  readonly spec: { readonly size: number };
}
const parts: Resource<Part> = { group: 'example.com', version: 'v1', kind: 'Part', plural: 'parts', namespaced: true };
const HOUR_MS = 3_600_000;
const owned = { namespace: 'default', ownerReferences: [widgetOwner('boss')] };

let server: FakeApiServer;
let log: RecordingLogger;
let reconciled: string[];
beforeEach(async () => {
  server = await FakeApiServer.start();
  log = new RecordingLogger();
  reconciled = [];
});
afterEach(() => server.close());

/** A manager with one controller. */
const start = (setUp: (controller: NamedController) => void, clock = new FakeClock('2026-01-01T00:00:00Z')) =>
  startTestManager({
    cluster: server,
    clock,
    log,
    setUp: (manager) => setUp(manager.controller('widget')),
  });
const store = (name: string, more: Partial<Widget> = {}) =>
  server.put(widgets, { metadata: { namespace: 'default', name }, spec: { color: 'red' }, ...more });
const note = async ({ metadata }: KubernetesObject) => void reconciled.push(metadata.name);
const reconciles = (...names: readonly string[]) => eventually(() => expect(reconciled).toEqual(names));
const a = { namespace: 'default', name: 'a' };
/** Waits for the reconcile of a later object, which follows all earlier events. */
const handleEvents = async () => {
  store('later');
  await eventually(() => expect(reconciled).toContain('later'));
};

test.each([
  ['for', (controller: NamedController) => void controller.for(widgets).owns(parts)],
  ['no call', () => {}],
])('a manager with a controller that ends with %s does not start', async (_, setUp) => {
  await expect(start(setUp)).rejects.toThrow('controller widget: call reconcile() or complete() last');
  expect(server.requests).toEqual([]);
});

test('reconciles its objects, the owners of changed objects, and mapped objects', async () => {
  const channel = new ChannelSource();
  for (const name of ['boss', 'friend', 'other']) store(name);
  await using _ = await start((controller) =>
    controller
      .for(widgets, { predicates: [{ onAdd: () => false }] })
      .owns(parts, { predicates: [{ onDelete: ({ spec }) => spec.size > 1 }] })
      .watches(racks, async ({ metadata }) => [{ namespace: 'default', name: metadata.labels?.['for'] ?? '' }])
      .watchesChannel(channel)
      .reconcile(note),
  );
  server.put(parts, { metadata: { ...owned, name: 'p' }, spec: { size: 1 } });
  await reconciles('boss');
  server.put(racks, { metadata: { name: 'r', labels: { for: 'friend' } } });
  await reconciles('boss', 'friend');
  server.remove(parts, { namespace: 'default', name: 'p' });
  channel.emit({ namespace: 'default', name: 'other' });
  await reconciles('boss', 'friend', 'other');
});

test('watches with the scope and form of the options', async () => {
  const ofParts = { namespaces: ['x'], fieldSelector: 'metadata.name=p', predicates: [labelSelector('app')] };
  await using _ = await start((controller) =>
    controller
      .for(widgets, { labelSelector: 'app=web' })
      .owns(parts, { metadataOnly: true, ...ofParts })
      .reconcile(note),
  );
  const watches = server.requests.map(({ path, query, headers }) => [
    path,
    query.get('labelSelector'),
    query.get('fieldSelector'),
    headers.accept?.split(';')[1],
  ]);
  expect(watches.toSorted()).toEqual([
    [resourcePath(parts, 'x'), null, 'metadata.name=p', 'as=PartialObjectMetadata'],
    [resourcePath(widgets), 'app=web', null, undefined],
  ]);
});

test('can reconcile every owner, and filter the events of all watched kinds', async () => {
  for (const name of ['boss', 'friend']) store(name);
  await using _ = await start((controller) =>
    controller
      .for(widgets, { predicates: [{ onAdd: () => false }] })
      .withEventFilter(createPredicate(({ metadata }) => metadata.labels?.['skip'] === undefined))
      .owns(parts, { matchEveryOwner: true })
      .reconcile(note),
  );
  const ownerReferences = ['boss', 'friend'].map((name) => widgetOwner(name, { controller: name === 'boss' }));
  const part = (name: string, labels = {}) =>
    server.put(parts, { metadata: { namespace: 'default', name, ownerReferences, labels }, spec: { size: 1 } });
  part('unseen', { skip: 'yes' });
  part('p');
  await reconciles('boss', 'friend');
});

test('shortens the back-off of an owner when an owned object is deleted', async () => {
  store('boss');
  const fails = async (object: KubernetesObject) => {
    await note(object);
    throw new Error('no room');
  };
  server.put(parts, { metadata: { ...owned, name: 'p' }, spec: { size: 1 } });
  const rateLimits = { baseDelayMs: HOUR_MS, maxDelayMs: 10 * HOUR_MS };
  await using _ = await start((controller) =>
    controller.for(widgets).owns(parts).withOptions({ rateLimits }).reconcile(fails),
  );
  await eventually(() => expect(log.errors).not.toEqual([]));
  server.remove(parts, { namespace: 'default', name: 'p' });
  const reconciles = reconciled.length;
  await eventually(() => expect(log.errors).toHaveLength(reconciles + 1));
  expect(log.errors.at(-1)?.fields).toMatchObject({ failures: 1 });
});

test('gets only metadata with metadataOnly', async () => {
  await using _ = await start((controller) => {
    const builder = controller.for(widgets);
    // @ts-expect-error it has only metadata
    builder.owns(parts, { metadataOnly: true, predicates: [{ onAdd: ({ spec }) => spec.size > 1 }] });
    // @ts-expect-error it has only metadata
    builder.watches(parts, ({ spec }) => [{ name: `${spec.size}` }], { metadataOnly: true });
    builder.watches(parts, ({ metadata: { name } }) => [{ name }], { metadataOnly: true });
    builder.reconcile(note);
  });
  expect(server.requests.filter(({ headers }) => !headers.accept?.includes('as='))).toHaveLength(1);
});

test('adds and removes finalizers', async () => {
  await using running = await start((controller) =>
    controller
      .for(widgets)
      .finalizer('example.com/disk', async ({ metadata }) => void reconciled.push(`clean up ${metadata.name}`))
      .reconcile(async ({ metadata: { name, finalizers } }, { status }) => {
        reconciled.push(`reconcile ${name} ${finalizers}`);
        await status({ ready: true });
      }),
  );
  store('a');
  await eventually(() => expect(server.list(widgets)).toMatchObject([{ status: { ready: true } }]));
  await running.manager.client.delete(widgets, { namespace: 'default', name: 'a' });
  await eventually(() => expect(server.list(widgets)).toEqual([]));
  expect(reconciled[0]).toBe('reconcile a example.com/disk');
  expect(reconciled.filter((call) => call === 'clean up a')).toEqual(reconciled.slice(-1));
  expect(log.errors).toEqual([]);
});

test('rejects a duplicate finalizer, and finalizers with complete()', async () => {
  await using _ = await start((controller) => {
    const builder = controller.for(widgets).finalizer('example.com/disk', async () => undefined);
    expect(() => builder.finalizer('example.com/disk', async () => undefined)).toThrow(
      'finalizer example.com/disk is registered already',
    );
    expect(() => builder.complete({ reconcile: async () => ({}) })).toThrow('need reconcile(), not complete()');
    // @ts-expect-error it has no domain
    builder.finalizer('disk', async () => undefined);
    builder.reconcile(note);
  });
});

test('can reconcile by key', async () => {
  store('a');
  const reconcile = async ({ name }: Request) => {
    reconciled.push(name);
    return {};
  };
  await using _ = await start((controller) => controller.for(widgets).complete({ reconcile }));
  await reconciles(widget().metadata.name);
});

test('a status write starts another reconcile after a successful reconcile', async () => {
  store('a');
  await using _ = await start((controller) =>
    controller.for(widgets).reconcile(async (object, { status }) => {
      await note(object);
      if (object.metadata.name === 'a') await status({ ready: true });
    }),
  );
  await reconciles('a', 'a');
});

describe('onError', () => {
  const BACK_OFF_MS = 60_000; // short enough for the watches, which read all objects again after a silence
  const rateLimits = { baseDelayMs: BACK_OFF_MS };
  const failures = () => log.errors.filter(({ message }) => message.startsWith('reconcile failed'));
  const readStatus = () => server.get(widgets, a)?.status;
  const fail = async (object: Widget) => {
    await note(object);
    if (object.metadata.name === 'a') throw new Error(`reconcile ${reconciled.length}`);
  };

  test('reports each failure in the status, without a reconcile before the back-off ends', async () => {
    store('a');
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const reported: string[] = [];
    await using _ = await start(
      (controller) =>
        controller
          .for(widgets)
          .onError(async (object, error, { status }) => {
            reported.push(`${error} after ${object.status?.ready}`);
            await status({ ready: reported.length % 2 === 0 }); // differs in each reconcile
          })
          .withOptions({ rateLimits })
          .reconcile(async (object, { status }) => {
            if (object.metadata.name === 'a') await status({ ready: object.status?.ready !== true });
            await fail(object);
          }),
      clock,
    );
    await eventually(() => expect(failures()).toHaveLength(1));
    expect([reported, readStatus()]).toEqual([['Error: reconcile 1 after true'], { ready: false }]);
    await handleEvents();
    expect(reconciled).toEqual(['a', 'later']);
    await clock.advance(BACK_OFF_MS);
    await eventually(() => expect(failures()).toHaveLength(2));
    expect(failures().map(({ fields }) => fields['failures'])).toEqual([1, 2]);
  });

  test('does not hide the error of the reconcile, or its retry, when it fails itself', async () => {
    store('a');
    await using _ = await start((controller) =>
      controller
        .for(widgets)
        .onError(() => Promise.reject(new Error('no status today')))
        .withOptions({ rateLimits })
        .reconcile(fail),
    );
    await eventually(() => expect(failures()).toHaveLength(1));
    expect(log.errors.map(({ message, error }) => `${message}: ${error}`)).toEqual([
      'error handler failed: Error: no status today',
      'reconcile failed, will retry: Error: reconcile 1',
    ]);
  });

  test('also reports returned errors and errors of finalizers, but no conflicts', async () => {
    server.put(widgets, { metadata: { ...a, finalizers: ['example.com/disk'] }, spec: { color: 'red' } });
    const reported: string[] = [];
    const conflict = new ApiError(409, { reason: 'Conflict' });
    await using running = await start((controller) =>
      controller
        .for(widgets)
        .onError(async (_, error) => void reported.push(String(error)))
        .withOptions({ rateLimits })
        .finalizer('example.com/disk', () => Promise.reject(new TerminalError('in use')))
        .reconcile(async (object) => {
          await note(object);
          if (object.metadata.labels?.['conflict']) throw conflict;
          return { error: 'returned' };
        }),
    );
    await eventually(() => expect(reported).toEqual(['returned']));
    server.put(widgets, {
      metadata: { ...a, finalizers: ['example.com/disk'], labels: { conflict: 'yes' } },
      spec: { color: 'red' },
    });
    await eventually(() => expect(reconciled).toHaveLength(2));
    await running.manager.client.delete(widgets, a);
    await eventually(() => expect(reported).toHaveLength(2));
    expect(reported[1]).toBe('TerminalError: run finalizer example.com/disk');
  });

  test('can be set once, and needs reconcile()', async () => {
    await using _ = await start((controller) => {
      const builder = controller.for(widgets).onError(async () => {});
      expect(() => builder.onError(async () => {})).toThrow('onError is set already');
      expect(() => builder.complete({ reconcile: async () => ({}) })).toThrow('need reconcile(), not complete()');
      builder.reconcile(note);
    });
  });
});

test('refuses two controllers with one name', async () => {
  const setUp = (manager: Manager) => {
    manager.controller('widget');
    manager.controller('widget');
  };
  await expect(startTestManager({ cluster: server, setUp })).rejects.toThrow('a controller widget exists already');
});

test('can reconcile metadata only, with finalizers', async () => {
  store('a');
  const calls: string[] = [];
  await using _ = await start((controller) =>
    controller
      .for(widgets, { metadataOnly: true, predicates: [createPredicate(({ metadata }) => metadata.name === 'a')] })
      .finalizer('example.com/disk', async ({ metadata }) => void calls.push(`clean up ${metadata.name}`))
      .reconcile(async (object) => {
        // @ts-expect-error the object has only metadata
        calls.push(`reconcile ${object.metadata.name} ${object.spec?.color}`);
      }),
  );
  await eventually(() => expect(calls).toContain('reconcile a undefined'));
  await server.client.delete(widgets, { namespace: 'default', name: 'a' });
  await eventually(() => expect(server.get(widgets, { namespace: 'default', name: 'a' })).toBeUndefined());
  await eventually(() => expect(calls.filter((call) => call === 'clean up a')).toHaveLength(1));
  const reads = server.requests.filter(({ verb, headers }) => verb === 'watch' && headers.accept?.includes('Partial'));
  expect(reads).not.toEqual([]);
});

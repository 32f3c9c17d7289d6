import { describe, expect, test } from 'vitest';
import { apiextensions } from '../kubernetes/extensions.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { collectRules } from '../manifests/collect-registrations.ts';
import { customResourceDefinition } from '../manifests/custom-resource-definition.ts';
import { Website } from '../test-support/websites.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { startTestManager } from '../testing/test-manager.ts';
import type { Manager } from './manager.ts';
import { migrateStorage, storageMigration } from './storage-migration.ts';

const { customResourceDefinitions } = apiextensions.v1;
const CRD = customResourceDefinition(Website);
const PATCH = { verb: 'patch', resource: Website } as const;
const CRD_STATUS = { verb: 'patch', resource: customResourceDefinitions, subresource: 'status' } as const;

class Scene implements AsyncDisposable {
  readonly log = new RecordingLogger();
  readonly server: FakeApiServer;
  constructor(server: FakeApiServer) {
    this.server = server;
  }

  static async open(names = ['a', 'b', 'c'], storedVersions = ['v1alpha1', 'v1']) {
    const scene = new Scene(await FakeApiServer.start());
    scene.putCrd({ status: { storedVersions } });
    for (const name of names)
      scene.server.put(Website, { metadata: { namespace: 'default', name }, spec: { image: 'nginx', replicas: 1 } });
    return scene;
  }

  putCrd(changes: object) {
    this.server.put<KubernetesObject>(customResourceDefinitions, { ...CRD, ...changes });
  }

  migrate(signal?: AbortSignal) {
    const { client } = this.server;
    return migrateStorage({ apiReader: client, client: client as never, log: this.log }, Website, signal);
  }

  get storedVersions() {
    return this.server.get(customResourceDefinitions, CRD.metadata)?.status?.storedVersions;
  }

  /** Names of the objects for which a patch was sent, in order. */
  get patched() {
    return this.server.requests
      .filter(({ verb, plural }) => verb === 'patch' && plural === 'websites')
      .map(({ name }) => name);
  }

  [Symbol.asyncDispose]() {
    return this.server.close();
  }
}

test('rewrites all objects, and then removes the other versions', async () => {
  await using scene = await Scene.open();
  expect(await scene.migrate()).toBe(3);
  expect(scene.patched).toEqual(['a', 'b', 'c']);
  expect(scene.storedVersions).toEqual(['v1']);
  expect(scene.server.requests.at(-1)).toMatchObject({ plural: 'customresourcedefinitions', subresource: 'status' });
});

test('does nothing if only the storage version is stored', async () => {
  await using scene = await Scene.open(['a'], ['v1']);
  expect(await scene.migrate()).toBe(0);
  expect(scene.server.requests.map(({ verb }) => verb)).toEqual(['get']);
});

test('that is stopped keeps the versions, and can run again', async () => {
  await using scene = await Scene.open();
  const stopping = new AbortController();
  const held = Promise.withResolvers<void>();
  scene.server.fail({ ...PATCH, name: 'b' }, { kind: 'hold', until: held.promise });
  const stopped = scene.migrate(stopping.signal);
  await scene.server.until(() => scene.patched.includes('b'));
  stopping.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow();
  held.resolve();
  expect(scene.patched).toEqual(['a', 'b']);
  expect(scene.storedVersions).toEqual(['v1alpha1', 'v1']);
  expect(await scene.migrate()).toBe(3);
  expect(scene.storedVersions).toEqual(['v1']);
});

describe('an object', () => {
  test.each([
    ['that was deleted', 404],
    ['that another client has changed', 409],
  ])('%s is not a failure', async (_, code) => {
    await using scene = await Scene.open();
    scene.server.fail({ ...PATCH, name: 'a' }, { kind: 'error', code });
    await scene.migrate();
    expect(scene.storedVersions).toEqual(['v1']);
  });

  test('that cannot be rewritten is named, after all others are rewritten, and the versions stay', async () => {
    await using scene = await Scene.open();
    scene.server.fail({ ...PATCH, name: 'b' }, { kind: 'error', code: 422 });
    await expect(scene.migrate()).rejects.toMatchObject({
      message: 'rewrite 1 of 3 websites; the first is default/b',
      cause: { code: 422 },
    });
    expect(scene.patched).toEqual(['a', 'b', 'c']);
    expect(scene.storedVersions).toEqual(['v1alpha1', 'v1']);
  });
});

describe('the CRD', () => {
  test('that another client changes is read again', async () => {
    await using scene = await Scene.open();
    scene.server.fail(CRD_STATUS, { kind: 'error', code: 409 });
    await scene.migrate();
    expect(scene.server.count(CRD_STATUS)).toBe(2);
    expect(scene.storedVersions).toEqual(['v1']);
  });

  test('whose storage version changes during the migration keeps its versions', async () => {
    await using scene = await Scene.open();
    const held = Promise.withResolvers<void>();
    scene.server.fail({ ...PATCH, name: 'c' }, { kind: 'hold', until: held.promise });
    const migration = scene.migrate();
    const failed = expect(migration).rejects.toThrow('the storage version of websites.example.com changed');
    await scene.server.until(() => scene.patched.includes('c'));
    const versions = CRD.spec.versions.map((version) => ({ ...version, storage: !version.storage }));
    scene.putCrd({ spec: { ...CRD.spec, versions }, status: { storedVersions: ['v1', 'v1alpha1'] } });
    held.resolve();
    await failed;
    expect(scene.storedVersions).toEqual(['v1', 'v1alpha1']);
  });

  test('must exist', async () => {
    await using scene = await Scene.open();
    scene.server.remove(customResourceDefinitions, CRD.metadata);
    await expect(scene.migrate()).rejects.toThrow('CustomResourceDefinition websites.example.com does not exist');
  });
});

test('a manager retries a failed migration, and continues after it', async () => {
  await using scene = await Scene.open();
  const clock = new FakeClock();
  scene.server.fail(PATCH, { kind: 'error', code: 500 });
  await using running = await startTestManager({
    ...{ cluster: scene.server, clock, log: scene.log },
    setUp: (manager) => manager.addController(storageMigration(manager, [Website])),
  });
  await eventually(async () => {
    await clock.advance(1_000);
    expect(scene.storedVersions).toEqual(['v1']);
  });
  expect(scene.log.errors).toMatchObject([{ message: 'storage migration failed, will retry' }]);
  await running.stop();
});

test('a manager writes only after all replicas of the API server had time to use the storage version', async () => {
  await using scene = await Scene.open();
  const clock = new FakeClock();
  const setUp = (manager: Manager) => manager.addController(storageMigration(manager, [Website]));
  await using running = await startTestManager({ cluster: scene.server, clock, log: scene.log, setUp });
  await eventually(() => expect(scene.server.count({ verb: 'get', resource: customResourceDefinitions })).toBe(1));
  await clock.advance(9_999);
  expect(scene.patched).toEqual([]);
  await eventually(async () => {
    await clock.advance(1_000);
    expect(scene.storedVersions).toEqual(['v1']);
  });
  await running.stop();
});

test('adds exactly the permissions that it uses to the generated role', async () => {
  await using scene = await Scene.open();
  await scene.migrate();
  const used = scene.server.requests.map(({ verb, plural, subresource = '' }) => `${verb} ${plural}/${subresource}`);
  const rules = collectRules((manager) => manager.addController(storageMigration(manager, [Website])));
  const allowed = rules.flatMap(({ resources, verbs }) =>
    verbs.flatMap((verb) => resources.map((each) => `${verb} ${each.includes('/') ? each : `${each}/`}`)),
  );
  expect(new Set(used)).toEqual(new Set(allowed));
  expect(
    rules.filter(({ group }) => group === 'apiextensions.k8s.io').map(({ resourceNames }) => resourceNames),
  ).toEqual([['websites.example.com'], ['websites.example.com']]);
});

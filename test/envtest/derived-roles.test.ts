/** The Website operator on a real API server: its derived roles suffice and allow nothing else, and its errors reach the status. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apps,
  core,
  type KeyFor,
  type KubernetesObject,
  LiveClient,
  type Manager,
  type PolicyRule,
  type Resource,
  rbac,
  setControllerReference,
} from 'controller-runtime';
import {
  eventually,
  FakeApiServer,
  RecordingLogger,
  startTestEnvironment,
  startTestManager,
  type TestCluster,
  type TestEnvironment,
} from 'controller-runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUp } from '../../runtime/examples/website/controller.ts';
import { manifests } from '../../runtime/examples/website/manifests.ts';
import { NAME, Website } from '../../runtime/examples/website/website.ts';
import { startApiServer } from '../cluster/api-server.ts';
import { AUDIT_ALL_METADATA } from '../cluster/api-server-flags.ts';
import type { Manifest } from '../support/manifests.ts';
import {
  covers,
  formatPermission,
  listGrantedPermissions,
  type Permission,
  parseAuditLog,
} from '../support/permissions.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';

const folder = createTemporaryFolderForFile();
const AUDIT_LOG = join(folder, 'audit.log');
/** Without webhooks, whose certificates examples.test.ts shows. */
const RBAC = { ...manifests, manager: { name: NAME, leaderElection: true } };

let environment: TestEnvironment;
let stop: () => Promise<void>;
beforeAll(async () => {
  const policy = join(folder, 'policy.json');
  writeFileSync(policy, JSON.stringify(AUDIT_ALL_METADATA));
  const server = await startApiServer([], {
    'audit-policy-file': policy,
    'audit-log-path': AUDIT_LOG,
    'audit-log-mode': 'blocking',
    'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement',
    'feature-gates': 'WatchList=false', // the cache then also needs the verb `list`
  });
  stop = server.stop;
  environment = await startTestEnvironment({ kubeconfig: server.kubeconfig, kinds: [Website] });
});
afterAll(() => stop());

/** Reads the object like a reconcile function after a failed write, which needs the verb `get`. */
async function getAfterFailedWrite<T extends KubernetesObject>(
  { client }: Manager,
  resource: Resource<T>,
  key: KeyFor<T>,
): Promise<void> {
  const body = [{ op: 'test', path: '/metadata/name', value: 'another' }] as const;
  await expect(client.patch(resource, key, { kind: 'json', body })).rejects.toThrow();
  expect(await client.get(resource, key)).toBeDefined();
}

async function readGrantedPermissions(name: string, namespace: string): Promise<readonly Permission[]> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = rbac.v1;
  const lists = [clusterRoles, clusterRoleBindings, roles, roleBindings].map((resource: Resource) =>
    environment.client.list(resource),
  );
  return listGrantedPermissions((await Promise.all(lists)).flat() as unknown as Manifest[], { name, namespace });
}

/** Permissions that requests of the user needed. A server-side apply with the status 201 has created an object. */
function readUsedPermissions(user: string): readonly Permission[] {
  const requests = parseAuditLog(readFileSync(AUDIT_LOG, 'utf8')).filter((request) => request.user === user);
  expect(requests.filter(({ code }) => code === 403)).toEqual([]);
  return requests.flatMap(({ permission, code }) =>
    permission.verb === 'patch' && code === 201 ? [permission, { ...permission, verb: 'create' }] : [permission],
  );
}

test('the Website operator uses all permissions of its generated roles, and needs no other permission', async () => {
  const { client } = environment;
  const namespace = await environment.createNamespace();
  const key = { namespace, name: 'blog' };
  const log = new RecordingLogger();
  const leaderElection = { namespace, name: NAME };
  await using running = await startTestManager({
    cluster: environment,
    name: NAME,
    setUp,
    rbac: RBAC,
    leaderElection,
    log,
  });
  await client.create(Website, { metadata: key, spec: { image: 'nginx:1.29', title: 'Blog' } });
  await eventually(async () => expect((await client.get(Website, key))?.status?.conditions).toHaveLength(1));
  const { manager } = running;
  await getAfterFailedWrite(manager, Website, key);
  await getAfterFailedWrite(manager, apps.v1.deployments, key);
  await getAfterFailedWrite(manager, core.v1.configMaps, { namespace, name: 'blog-page' });
  const recorder = manager.recorderFor('test');
  const site = (await client.get(Website, key)) ?? expect.fail('no Website');
  for (const _ of ['create', 'patch']) await recorder.record(site, 'Warning', 'Twice', 'the same message');
  await client.delete(Website, key);
  await eventually(async () => expect(await client.get(Website, key)).toBeUndefined());
  await running.stop();
  expect(log.errors).toEqual([]);

  const [role] = (await client.list(rbac.v1.roles, { namespace })).map(({ metadata }) => metadata.name);
  const granted = await readGrantedPermissions(role ?? expect.fail('no Role'), namespace);
  const used = readUsedPermissions(`system:serviceaccount:${namespace}:${role}`);
  const unused = granted.filter((permission) => !used.some((each) => covers(permission, each)));
  // Admission checks this permission, so no request has it: see the next test.
  expect(unused.map(formatPermission)).toEqual(['update websites/finalizers.example.com']);
});

test('with these roles, an error of a reconcile is in the status once, is counted in an Event, and is retried', async () => {
  const { client } = environment;
  const namespace = await environment.createNamespace();
  const key = { namespace, name: 'blog' };
  const log = new RecordingLogger();
  await using _ = await startTestManager({ cluster: environment, setUp, rbac: RBAC, log });
  const page = { namespace, name: 'blog-page' };
  await client.create(core.v1.configMaps, { metadata: page, immutable: true, data: { 'index.html': 'of another' } });
  await client.create(Website, { metadata: key, spec: { image: 'nginx:1.29' } });
  await eventually(() => expect(log.errors.length).toBeGreaterThan(5));
  expect((await client.get(Website, key))?.status?.conditions).toMatchObject([
    {
      ...{ type: 'Ready', status: 'False', reason: 'ReconcileFailed', observedGeneration: 1 },
      message: expect.stringContaining('field is immutable'),
    },
  ]);
  const audit = parseAuditLog(readFileSync(AUDIT_LOG, 'utf8')).map(({ permission }) => permission);
  const statusWrites = audit.filter(({ resource }) => resource === 'websites/status.example.com');
  expect(statusWrites.filter((permission) => permission.namespace === namespace)).toHaveLength(1);
  const fieldSelector = 'involvedObject.name=blog,reason=ReconcileFailed';
  await eventually(async () => {
    const [event, ...others] = await client.list(core.v1.events, { namespace, fieldSelector });
    expect([event?.type, others]).toEqual(['Warning', []]);
    expect(event?.count).toBeGreaterThan(1);
  });

  await client.delete(core.v1.configMaps, page);
  await eventually(async () =>
    expect((await client.get(Website, key))?.status?.conditions).toMatchObject([{ reason: 'PodsNotReady' }]),
  );
});

test('the permission to update finalizers is for owner references', async () => {
  const namespace = await environment.createNamespace();
  const site = await environment.client.create(Website, {
    metadata: { namespace, name: 'blog' },
    spec: { image: 'nginx:1.29', title: 'Blog' },
  });
  const applyRules = [{ group: '', resources: ['configmaps'], verbs: ['create', 'patch'] }];
  const finalizerRule = { group: 'example.com', resources: ['websites/finalizers'], verbs: ['update'] };
  const page = setControllerReference(site, { metadata: { namespace, name: 'blog-page' }, data: {} });
  const apply = async (clusterRules: readonly PolicyRule[]) => {
    const user = await environment.createUser({ name: 'owner', namespace, clusterRules, namespaceRules: [] });
    const client = new LiveClient(environment.connect({ user }), { fieldManager: 'owner' });
    return await client.apply(core.v1.configMaps, page);
  };
  await expect(apply(applyRules)).rejects.toThrow('cannot set blockOwnerDeletion');
  await apply([...applyRules, finalizerRule]);
});

/** The messages of the API server for requests of a user with few permissions. */
async function listRefusals(cluster: TestCluster & Pick<TestEnvironment, 'createUser'>, namespace: string) {
  const name = 'reader';
  const user = await cluster.createUser({
    name,
    namespace,
    clusterRules: [{ group: '', resources: ['configmaps'], verbs: ['patch'] }],
    namespaceRules: [{ group: '', resources: ['secrets'], resourceNames: ['a'], verbs: ['get', 'list'] }],
  });
  const client = new LiveClient(cluster.connect({ user }), { fieldManager: name });
  const { configMaps, secrets, nodes } = core.v1;
  const a = { namespace, name: 'a' };
  const requests: Readonly<Record<string, () => Promise<unknown>>> = {
    get: () => client.get(apps.v1.deployments, a),
    list: () => client.list(apps.v1.deployments),
    'list in a namespace': () => client.list(configMaps, { namespace }),
    'cluster-scoped': () => client.get(nodes, { name: 'a' }),
    create: () => client.create(configMaps, { metadata: a }),
    delete: () => client.delete(configMaps, a),
    'apply that creates': () => client.apply(configMaps, { metadata: a }),
    status: () => client.patch(apps.v1.deployments, a, { kind: 'merge', body: {} }, { subresource: 'status' }),
    'another name': () => client.get(secrets, { namespace, name: 'b' }),
    'allowed by name': () => client.get(secrets, a),
    'allowed by field selector': () => client.list(secrets, { namespace, fieldSelector: 'metadata.name=a' }),
  };
  const entries = Object.entries(requests).map(async ([request, send]) => {
    const message = await send().then(
      () => 'allowed',
      (error: Error) => error.message,
    );
    return [request, message.replaceAll(user, 'USER').replaceAll(namespace, 'NAMESPACE')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

test('the fake API server enforces roles with the messages of a real one', async () => {
  await using server = await FakeApiServer.start();
  const messages = await listRefusals(environment, await environment.createNamespace());
  expect(await listRefusals(server, 'fake')).toEqual(messages);
  expect(Object.values(messages).filter((message) => message === 'allowed')).toHaveLength(2);
});

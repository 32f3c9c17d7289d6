/** Tokens, certificates and authorities are replaced, and the old ones refused, while managers read them from files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findApiError } from 'controller-runtime';
import { core, rbac } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../support/cluster-client.ts';
import { leases } from '../support/leases.ts';
import { createFileRig } from './support/file-rig.ts';
import { formatKubeconfig } from './support/kubeconfig.ts';
import { LEASE, LONG_LEASE, type Rig } from './support/rig.ts';
import { Tenant } from './support/tenant.ts';

const NAMESPACE = 'default';
const ACCOUNT = 'operator';
/** How long the API server refuses the old credentials before the new ones exist. */
const OUTAGE_MS = 4000;
/** The API server caches a valid token for 10 s. */
const REFUSED_MS = 30_000;

const scene = createFileRig('credentials');
let rig: Rig;
let tokenTenant: Tenant;
let certificateTenant: Tenant;
let token: string;
beforeAll(async () => {
  rig = scene.rig;
  const { client } = rig;
  await client.create(core.v1.serviceAccounts, { metadata: { namespace: NAMESPACE, name: ACCOUNT } });
  await client.create(rbac.v1.clusterRoleBindings, {
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name: ACCOUNT }],
  });
  token = await createToken('first');
  writeFileSync(getPath('token'), token);
  await writeCertificates();
  tokenTenant = await Tenant.open(rig, 'by-token');
  certificateTenant = await Tenant.open(rig, 'by-certificate');
  await tokenTenant.startManager({
    flags: ['--leader-elect', ...LONG_LEASE],
    kubeconfig: writeUserKubeconfig('by-token', { tokenFile: getPath('token') }),
  });
  const certificate = { 'client-certificate': getPath('client.crt'), 'client-key': getPath('client.key') };
  await certificateTenant.startManager({ kubeconfig: writeUserKubeconfig('by-certificate', certificate) });
});

test('a token that is refused is read again from its file', async () => {
  await tokenTenant.waitForRunsAfter(Date.now());
  await expectSurvival('token replaced', [tokenTenant], async () => {
    const [old, next] = [token, await createToken('second')];
    await rig.client.delete(core.v1.secrets, { namespace: NAMESPACE, name: 'first' });
    await using refused = connect(writeUserKubeconfig('refused', { token: old }));
    await eventually(
      async () => {
        const result = await refused.transport.request({ method: 'GET', path: '/api' }).catch((reason) => reason);
        expect(findApiError(result)?.code).toBe(401);
      },
      { timeoutMs: REFUSED_MS, intervalMs: 500 },
    );
    await sleep(OUTAGE_MS);
    writeFileSync(getPath('token'), next);
  });
});

test('certificates of a new authority are read from their files', async () => {
  const tenants = [tokenTenant, certificateTenant];
  await certificateTenant.waitForRunsAfter(Date.now());
  await expectSurvival('certificate authority replaced', tenants, async () => {
    await rig.rotateAuthority();
    await sleep(OUTAGE_MS);
    await writeCertificates();
  });
});

/** Runs the fault and checks that all CronJobs run again, in the same processes. */
async function expectSurvival(fault: string, tenants: readonly Tenant[], run: () => Promise<void>): Promise<void> {
  const startedMs = Date.now();
  await run();
  const endedMs = Date.now();
  const waitUntilWell = async (tenant: Tenant) => {
    await tenant.waitUntilWellAfter(endedMs);
    expect(tenant.manager.ends).toEqual([]);
  };
  await Promise.all(tenants.map(waitUntilWell));
  // The request uses a new connection.
  await eventually(async () => {
    const lease = await rig.client.get(leases, LEASE);
    expect(Date.parse(lease?.spec.renewTime ?? '')).toBeGreaterThan(endedMs);
  });
  scene.rows.push(
    ...tenants.map((tenant) => tenant.createRow(`${fault}, ${tenant.namespace}`, { startedMs, endedMs })),
  );
}

function getPath(name: string): string {
  return join(rig.folder, `manager-${name}`);
}

/** The files of the managers. A new certificate exists a while before its key. */
async function writeCertificates(): Promise<void> {
  const { caPem } = rig.connection;
  const { certPem, keyPem } = await rig.controlPlane.credentials.issue({ name: ACCOUNT, groups: ['system:masters'] });
  writeFileSync(getPath('ca.crt'), caPem);
  writeFileSync(getPath('client.crt'), certPem);
  await sleep(1000);
  writeFileSync(getPath('client.key'), keyPem);
}

/** The token is refused once the Secret of that name is gone. */
async function createToken(secret: string): Promise<string> {
  const { metadata } = await rig.client.create(core.v1.secrets, { metadata: { namespace: NAMESPACE, name: secret } });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret, uid: metadata.uid };
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${ACCOUNT}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } };
  const tokenRequest = (await rig.transport.request({ method: 'POST', path, body })) as { status: { token: string } };
  return tokenRequest.status.token;
}

function writeUserKubeconfig(name: string, user: object): string {
  const file = join(rig.folder, `kubeconfig-${name}`);
  const cluster = { server: rig.connection.server, 'certificate-authority': getPath('ca.crt') };
  writeFileSync(file, formatKubeconfig(cluster, user));
  return file;
}

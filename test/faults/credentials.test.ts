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
import { kubeconfigWith } from './support/kubeconfig.ts';
import { LEASE, type Rig } from './support/rig.ts';
import { rigOfFile } from './support/rig-of-file.ts';
import { Tenant } from './support/tenant.ts';

const NAMESPACE = 'default';
const ACCOUNT = 'operator';
/** How long the API server refuses the old credentials before the new ones exist. */
const OUTAGE_MS = 4000;
/** The API server caches a valid token for 10 s. */
const REFUSED_MS = 30_000;

const scene = rigOfFile('credentials');
let rig: Rig;
let byToken: Tenant;
let byCertificate: Tenant;
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
  token = await newToken('first');
  writeFileSync(inFolder('token'), token);
  await writeCertificates();
  byToken = await Tenant.open(rig, 'by-token');
  byCertificate = await Tenant.open(rig, 'by-certificate');
  const flags = ['--leader-elect', '--leader-elect-lease-duration=60s', '--leader-elect-renew-deadline=45s'];
  await byToken.startManager({ flags, kubeconfig: kubeconfigOf('by-token', { tokenFile: inFolder('token') }) });
  const certificate = { 'client-certificate': inFolder('client.crt'), 'client-key': inFolder('client.key') };
  await byCertificate.startManager({ kubeconfig: kubeconfigOf('by-certificate', certificate) });
});

test('a token that is refused is read from its file anew', async () => {
  await byToken.runsAfter(Date.now());
  await survives('token replaced', [byToken], async () => {
    const [old, next] = [token, await newToken('second')];
    await rig.client.delete(core.v1.secrets, { namespace: NAMESPACE, name: 'first' });
    await using refused = connect(kubeconfigOf('refused', { token: old }));
    await eventually(
      async () => {
        const answer = await refused.transport.request({ method: 'GET', path: '/api' }).catch((reason) => reason);
        expect(findApiError(answer)?.code).toBe(401);
      },
      { timeoutMs: REFUSED_MS, intervalMs: 500 },
    );
    await sleep(OUTAGE_MS);
    writeFileSync(inFolder('token'), next);
  });
});

test('certificates of a new authority are read from their files, one after the other', async () => {
  const tenants = [byToken, byCertificate];
  await byCertificate.runsAfter(Date.now());
  await survives('certificate authority replaced', tenants, async () => {
    await rig.rotateAuthority();
    await sleep(OUTAGE_MS);
    await writeCertificates();
  });
});

/** Runs the fault and checks that all CronJobs run again, in the same processes. */
async function survives(fault: string, tenants: readonly Tenant[], run: () => Promise<void>): Promise<void> {
  const beganMs = Date.now();
  await run();
  const endedMs = Date.now();
  const isWell = async (tenant: Tenant) => {
    await tenant.isWellAfter(endedMs);
    expect(tenant.manager.ends).toEqual([]);
  };
  await Promise.all(tenants.map(isWell));
  // The request uses a new connection.
  await eventually(async () => {
    const lease = await rig.client.get(leases, LEASE);
    expect(Date.parse(lease?.spec.renewTime ?? '')).toBeGreaterThan(endedMs);
  });
  scene.rows.push(...tenants.map((tenant) => tenant.row(`${fault}, ${tenant.namespace}`, { beganMs, endedMs })));
}

function inFolder(name: string): string {
  return join(rig.folder, `manager-${name}`);
}

/** The files of the managers. A new certificate exists a while before its key. */
async function writeCertificates(): Promise<void> {
  const { caPem } = rig.connection;
  const { certPem, keyPem } = await rig.controlPlane.credentials.issue({ name: ACCOUNT, groups: ['system:masters'] });
  writeFileSync(inFolder('ca.crt'), caPem);
  writeFileSync(inFolder('client.crt'), certPem);
  await sleep(1000);
  writeFileSync(inFolder('client.key'), keyPem);
}

/** The token is refused once the Secret of that name is gone. */
async function newToken(secret: string): Promise<string> {
  const { metadata } = await rig.client.create(core.v1.secrets, { metadata: { namespace: NAMESPACE, name: secret } });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret, uid: metadata.uid };
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${ACCOUNT}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } };
  const answer = (await rig.transport.request({ method: 'POST', path, body })) as { status: { token: string } };
  return answer.status.token;
}

function kubeconfigOf(name: string, user: object): string {
  const file = join(rig.folder, `kubeconfig-${name}`);
  const cluster = { server: rig.connection.server, 'certificate-authority': inFolder('ca.crt') };
  writeFileSync(file, kubeconfigWith(cluster, user));
  return file;
}

/** Both bundles, as built, with every feature of a kubeconfig: shows what a bundler has left out. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { selfSignedCertificate } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../hack/control-plane/run.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { startPrefixingServer } from '../support/prefixing-server.ts';
import { Scene } from '../support/scene.ts';
import { TcpRelay } from '../support/tcp-relay.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { TunnelProxy } from '../support/tunnel-proxy.ts';

const PLUGIN = resolve(import.meta.dirname, '../../dist/plugin/kubectl-tcj.mjs');
const CREDENTIALS = { username: 'me@home', password: 'p:w/%' };

/** Differences from the administrator's kubeconfig. */
interface KubeconfigDifference {
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** Replaces the administrator. */
  readonly user?: Readonly<Record<string, unknown>>;
}

/** Both bundles work where kubectl does, and Node itself prints nothing to standard error. */
async function expectBothToWork(scene: Scene, difference: KubeconfigDifference): Promise<void> {
  const kubeconfig = writeKubeconfig(difference);
  await scene.createCronJob({ schedule: '0 0 1 1 *' });
  const get = ['get', 'tcj', '-n', scene.namespace, '-o', 'name', '--kubeconfig', kubeconfig];
  expect(await run(inject('kubectl'), get)).toMatch(/\/hello\n$/);

  await using manager = new ManagerProcess(kubeconfig, [`--namespaces=${scene.namespace}`]);
  await manager.waitUntilReady();
  await scene.waitUntilObserved();
  manager.signal('SIGTERM');
  expect(await manager.exited).toBe(0);
  expect(manager.lines.filter(({ text, level }) => text !== undefined || level === 'error')).toEqual([]);

  if (!existsSync(PLUGIN)) throw new Error(`${PLUGIN} is missing: run "make plugin"`);
  const args = [PLUGIN, 'list', '-n', scene.namespace, '--kubeconfig', kubeconfig];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^NAME .*\nhello {3}OK /);
}

function writeKubeconfig({ cluster = {}, user }: KubeconfigDifference): string {
  const config = parse(readFileSync(inject('kubeconfig'), 'utf8'));
  Object.assign(config.clusters[0].cluster, cluster);
  if (user) config.users[0].user = user;
  const file = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** The CA of the API server, after unrelated CAs. */
function joinCertificates(...others: readonly { readonly cert: string }[]): string {
  return Buffer.from([...others.map(({ cert }) => cert), inject('apiServer').caPem].join('')).toString('base64');
}

/** An exec plugin that returns the administrator's certificate when it gets the variable that the kubeconfig sets. */
function createExecPlugin(): Readonly<Record<string, unknown>> {
  const folder = createTemporaryFolder();
  const { certPem: clientCertificateData, keyPem: clientKeyData } = inject('apiServer');
  const status = { clientCertificateData, clientKeyData };
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
  writeFileSync(join(folder, 'answer'), JSON.stringify(credential));
  const script = `[ "$1 $ROLE" = 'get admin' ] && cat "$0"`;
  const args = ['-c', script, join(folder, 'answer'), 'get'];
  const env = [{ name: 'ROLE', value: 'admin' }];
  return { exec: { apiVersion: credential.apiVersion, command: 'sh', args, env, interactiveMode: 'Never' } };
}

test('a client certificate, and several CAs in one file', async () => {
  await using scene = await Scene.open();
  const file = join(createTemporaryFolder(), 'ca.crt');
  const all = joinCertificates(selfSignedCertificate('other'), selfSignedCertificate('third'));
  writeFileSync(file, Buffer.from(all, 'base64'));
  await expectBothToWork(scene, {
    cluster: { 'certificate-authority-data': undefined, 'certificate-authority': file },
  });
});

test('an https proxy with credentials, whose CA is in the kubeconfig, as in client-go', async () => {
  await using scene = await Scene.open();
  const certificate = selfSignedCertificate('proxy');
  await using proxy = await TunnelProxy.start({ ...CREDENTIALS, certificate });
  await expectBothToWork(scene, {
    cluster: { 'proxy-url': proxy.url.href, 'certificate-authority-data': joinCertificates(certificate) },
  });
  expect(proxy.targets.length).toBeGreaterThan(0);
});

test('a proxy on the way to an IPv6 address, and an exec plugin', async () => {
  await using scene = await Scene.open();
  await using relay = await TcpRelay.to(Number(new URL(inject('apiServer').server).port));
  await using proxy = await TunnelProxy.start();
  const server = `https://[::1]:${relay.port}`;
  await expectBothToWork(scene, {
    cluster: { server, 'tls-server-name': 'localhost', 'proxy-url': proxy.url.href },
    user: createExecPlugin(),
  });
  expect(proxy.targets).toContain(new URL(server).host);
});

test('a server below a path', async () => {
  await using scene = await Scene.open();
  const certificate = selfSignedCertificate('front');
  await using front = await startPrefixingServer('/k8s/clusters/c-1', certificate, inject('apiServer'));
  await expectBothToWork(scene, {
    cluster: { server: front.url, 'certificate-authority-data': joinCertificates(certificate) },
    user: { token: 'of the front' },
  });
});

/** The operators in the examples of controller-runtime as separate processes, on a real API server. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { apps, core, getCondition, type LiveClient, type SpecInputOf } from 'controller-runtime';
import { eventually, findFreePort, startTestEnvironment } from 'controller-runtime/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { NAME, Website } from '../../runtime/examples/website/website.ts';
import { installPacked } from '../packages/install-packed.ts';
import { leases } from '../support/leases.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { PROJECT } from '../support/manifests.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { installPodWatcher, installWebsites } from './support/example-installations.ts';

const EXAMPLES = join(PROJECT, 'runtime/examples');
/** Timeout: the test first compiles and packs the package. */
const TIMEOUT_MS = 1_200_000;

/** As users have it: the tarball in an empty folder, with a copy of its examples, because Node runs no TypeScript in node_modules. */
async function installExamples(): Promise<string> {
  const home = createTemporaryFolder();
  await installPacked('runtime', home, createTemporaryFolder());
  cpSync(join(home, 'node_modules/controller-runtime/examples'), join(home, 'examples'), { recursive: true });
  return join(home, 'examples');
}

/** The Websites of a namespace. */
function createWebsiteClient(client: LiveClient, namespace: string) {
  const at = (name: string) => ({ namespace, name });
  return {
    at,
    create: (name: string, spec: SpecInputOf<typeof Website>) => client.create(Website, { metadata: at(name), spec }),
    page: async (name: string) => (await client.get(core.v1.configMaps, at(`${name}-page`)))?.data?.['index.html'],
    deployment: async (name: string) =>
      (await client.get(apps.v1.deployments, at(name))) ?? expect.fail(`no Deployment ${name}`),
    directory: async () => (await client.get(core.v1.configMaps, at('websites')))?.data,
    ready: async (name: string) => {
      const { status } = (await client.get(Website, at(name))) ?? expect.fail(`no Website ${name}`);
      return getCondition(status?.conditions, 'Ready');
    },
  };
}

test('the Website operator, from the packed tarball, serves a site until it is deleted', {
  timeout: TIMEOUT_MS,
}, async () => {
  const main = join(await installExamples(), 'website/main.ts');
  await using environment = await startTestEnvironment({ kubeconfig: inject('kubeconfig') });
  const { client } = environment;
  const namespace = await environment.createNamespace('website');
  const sites = createWebsiteClient(client, namespace);
  const { kubeconfig, flags, uninstall } = await installWebsites(namespace, await findFreePort());
  onTestFinished(uninstall);
  await using operator = new ManagerProcess(kubeconfig, flags, {}, { file: main });
  await operator.waitUntilReady();
  await operator.waitForLog('controller started');
  expect((await client.get(leases, sites.at(NAME)))?.spec.holderIdentity).toMatch(/_/);

  // Webhooks. The API server notices the configuration, which already trusts the certificate, with a delay.
  const refused = { code: 422, causes: [{ field: 'spec.image', message: expect.stringContaining('use a version') }] };
  const latest = () => sites.create('latest', { image: 'nginx:latest' });
  await eventually(() => expect(latest()).rejects.toMatchObject(refused));
  const { metadata, spec } = await sites.create('blog', { image: 'nginx:1.29' });
  expect(spec).toEqual({ image: 'nginx:1.29', replicas: 1, title: 'blog' });
  await sites.create('shop', { image: 'nginx:1.29', replicas: 2, title: 'Nuts & bolts' });

  // The owned objects.
  const owner = { kind: 'Website', name: 'blog', uid: metadata.uid, controller: true };
  const deployment = await eventually(() => sites.deployment('blog'));
  expect(deployment).toMatchObject({ metadata: { ownerReferences: [owner] }, spec: { replicas: 1 } });
  await eventually(async () => expect(await sites.page('shop')).toContain('<h1>Nuts &#38; bolts</h1>'));
  expect(await client.get(core.v1.configMaps, sites.at('blog-page'))).toMatchObject({
    metadata: { ownerReferences: [owner] },
  });
  await eventually(async () => expect(await sites.directory()).toEqual({ blog: 'nginx:1.29', shop: 'nginx:1.29' }));

  // Drift.
  const image = { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'httpd' } as const;
  await client.patch(apps.v1.deployments, sites.at('blog'), { kind: 'json', body: [image] });
  await eventually(async () =>
    expect((await sites.deployment('blog')).spec.template.spec?.containers[0]?.image).toBe('nginx:1.29'),
  );
  await client.delete(core.v1.configMaps, sites.at('blog-page'));
  await eventually(async () => expect(await sites.page('blog')).toContain('<h1>blog</h1>'));

  // Status: sets the status of its Pods as the Deployment controller would.
  await eventually(async () => expect(await sites.ready('blog')).toMatchObject({ status: 'False' }));
  const body = { status: { replicas: 1, readyReplicas: 1 } };
  await client.patch(apps.v1.deployments, sites.at('blog'), { kind: 'merge', body }, { subresource: 'status' });
  const message = '1 of 1 Pods are ready';
  await eventually(async () => expect(await sites.ready('blog')).toMatchObject({ status: 'True', message }));
  await eventually(async () => {
    const events = await client.list(core.v1.events, { namespace, fieldSelector: 'involvedObject.name=blog' });
    expect(events).toMatchObject([{ reason: 'Ready', message }]);
  });

  // Deletion.
  await client.delete(Website, sites.at('blog'));
  await eventually(async () => expect(await client.get(Website, sites.at('blog'))).toBeUndefined());
  expect(await sites.directory()).toEqual({ shop: 'nginx:1.29' });

  operator.signal('SIGTERM');
  expect(await operator.exited).toBe(0);
  expect(operator.lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(JSON.stringify(operator.lines)).not.toContain('forbidden');
  // Without a webhook, the CRD refuses what the schema refuses.
  const otherNamespace = createWebsiteClient(client, await environment.createNamespace('website'));
  await expect(otherNamespace.create('many', { image: 'nginx:1.29', replicas: 11 })).rejects.toMatchObject({
    code: 422,
    causes: [{ field: 'spec.replicas' }],
  });
});

test('the pod watcher writes an Event about each Pod without the label, and about no other', async () => {
  await using environment = await startTestEnvironment({ kubeconfig: inject('kubeconfig') });
  const { client } = environment;
  const namespace = await environment.createNamespace('pods');
  const { kubeconfig, flags, uninstall } = await installPodWatcher(namespace);
  onTestFinished(uninstall);
  const main = join(EXAMPLES, 'pod-watcher/main.ts');
  await using watcher = new ManagerProcess(kubeconfig, [...flags, '--label=team'], {}, { file: main });
  await watcher.waitForLog('controller started');
  for (const [name, labels] of Object.entries({ ours: { team: 'a' }, nobodys: { app: 'b' } })) {
    const spec = { containers: [{ name: 'a', image: 'busybox' }] };
    await client.create(core.v1.pods, { metadata: { namespace, name, labels }, spec });
  }
  await eventually(async () => {
    const events = await client.list(core.v1.events, { namespace });
    expect(events).toMatchObject([{ reason: 'NoTeam', involvedObject: { kind: 'Pod', name: 'nobodys' } }]);
  });
  watcher.signal('SIGTERM');
  expect(await watcher.exited).toBe(0);
  expect(watcher.lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(JSON.stringify(watcher.lines)).not.toContain('forbidden');
});

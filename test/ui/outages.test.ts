/** The messages of the page when the cluster is unreachable, and its recovery. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { cronJobs } from '../../controllers/resources.ts';
import { TcpRelay } from '../support/tcp-relay.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Browsing } from './support/browsing.ts';
import { UiPage } from './support/ui-page.ts';
import { sceneOfTest, UiProcess } from './support/ui-process.ts';

const browsing = new Browsing();

test('an API server that is gone and comes back: says so, and then shows what has changed meanwhile', async () => {
  const scene = await sceneOfTest();
  const { namespace } = scene;
  const { metadata } = await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'archive');
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  const port = Number(new URL(inject('apiServer').server).port);
  let isGone = false;
  await using relay = await TcpRelay.to(async () => (isGone ? undefined : port));
  const ui = await UiPage.open(browsing, await UiProcess.inScene(scene, kubeconfigTo(relay.port)));
  const shows = (...want: string[]) => eventually(async () => expect(await ui.names()).toEqual(want));
  await shows(`${namespace}/archive`, `${namespace}/report`);
  isGone = true;
  await relay.cut();
  const refusal = `The API server https://127.0.0.1:${relay.port} cannot be reached`;
  const notice = ui.page.getByRole('paragraph').filter({ hasText: refusal });
  await notice.waitFor();
  await ui.page.getByText('What is shown is as it was before.').waitFor();
  await ui.page.getByText('To do: Check the network, a VPN and the kubeconfig.').waitFor();
  await shows(`${namespace}/archive`, `${namespace}/report`);
  // An action of the user fails with a message meanwhile.
  await ui.link(`${namespace}/report`).click();
  await ui.page.getByText('YAML').click();
  const yaml = ui.page.locator('details pre');
  await eventually(async () =>
    expect(await yaml.innerText()).toMatch(/^The API server https:\/\/.* cannot be reached/),
  );
  expect(await ui.button('Run now …').count()).toBe(0);

  await scene.client.delete(cronJobs, metadata);
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'backup');
  isGone = false;
  await notice.waitFor({ state: 'detached' });
  // It retries the request that failed.
  await ui.button('Run now …').waitFor();
  await eventually(async () => expect(await yaml.innerText()).toContain('name: report'));
  await ui.page.goBack();
  await shows(`${namespace}/backup`, `${namespace}/report`);
});

/** Path of an administrator's kubeconfig with that port of the API server. */
function kubeconfigTo(port: number): string {
  const kubeconfig = parse(readFileSync(inject('kubeconfig'), 'utf8'));
  for (const { cluster } of kubeconfig.clusters) cluster.server = `https://127.0.0.1:${port}`;
  const file = join(temporaryFolder(), 'kubeconfig');
  writeFileSync(file, stringify(kubeconfig));
  return file;
}

/** The messages of the page when the cluster is unreachable, and its recovery. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { cronJobs } from '../../controllers/resources.ts';
import { TcpRelay } from '../support/tcp-relay.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { openTestScene, UiProcess } from './support/ui-process.ts';

const testBrowser = new TestBrowser();

test('reports an unreachable API server, and shows the changes after its return', async () => {
  const scene = await openTestScene();
  const { namespace } = scene;
  const { metadata } = await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'archive');
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  const port = Number(new URL(inject('apiServer').server).port);
  let isGone = false;
  await using relay = await TcpRelay.to(async () => (isGone ? undefined : port));
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(scene, writeKubeconfig(relay.port)));
  const expectNames = (...want: string[]) => eventually(async () => expect(await ui.readNames()).toEqual(want));
  await expectNames(`${namespace}/archive`, `${namespace}/report`);
  isGone = true;
  await relay.cut();
  const message = `The API server https://127.0.0.1:${relay.port} cannot be reached`;
  const notice = ui.page.getByRole('paragraph').filter({ hasText: message });
  await notice.waitFor();
  await ui.page.getByText('This page shows the last known state.').waitFor();
  await ui.page.getByText('To do: Check the network, the VPN and the kubeconfig.').waitFor();
  await expectNames(`${namespace}/archive`, `${namespace}/report`);
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
  await expectNames(`${namespace}/backup`, `${namespace}/report`);
});

/** Path of an administrator's kubeconfig with that port of the API server. */
function writeKubeconfig(port: number): string {
  const kubeconfig = parse(readFileSync(inject('kubeconfig'), 'utf8'));
  for (const { cluster } of kubeconfig.clusters) cluster.server = `https://127.0.0.1:${port}`;
  const file = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(file, stringify(kubeconfig));
  return file;
}

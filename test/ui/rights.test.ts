/** What the page shows and offers to a user without all rights. */
import { expect, test } from 'vitest';
import type { Scene } from '../support/scene.ts';
import { Browsing } from './support/browsing.ts';
import { UiPage } from './support/ui-page.ts';
import { sceneOfTest, UiProcess } from './support/ui-process.ts';
import { CHANGES, LOOKS, userWith } from './support/user.ts';

const browsing = new Browsing();

async function sceneWithReport(): Promise<Scene> {
  const scene = await sceneOfTest();
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  return scene;
}

test('who has asked for none, and may see one, gets that of the kubeconfig, and the reason', async () => {
  const scene = await sceneWithReport();
  const kubeconfig = await userWith(scene, [LOOKS], scene.namespace);
  const ui = await UiPage.open(browsing, await UiProcess.ofTest(kubeconfig));
  await ui.link(`${scene.namespace}/report`).waitFor();
  await ui.page.getByText('You may not list and watch CronJobs in all namespaces.').waitFor();
  await ui.page.getByText(`namespace ${scene.namespace}`).waitFor();
});

test('who may only look is offered nothing to change', async () => {
  const scene = await sceneWithReport();
  const kubeconfig = await userWith(scene, [LOOKS]);
  const process = await UiProcess.inScene(scene, kubeconfig);
  const ui = await UiPage.open(browsing, process, { query: `?cronjob=${scene.namespace}/report` });
  await ui.page.getByText(`You may not change CronJobs in the namespace ${scene.namespace}.`).waitFor();
  for (const name of ['Run now …', 'Suspend …', 'Resume …']) expect(await ui.button(name).count()).toBe(0);
  // A direct request also changes nothing.
  const status = await ui.page.evaluate(async (path) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ until: null }) });
    return answer.status;
  }, `/api/cronjobs/${scene.namespace}/report/suspend`);
  expect(status).toBe(403);
  expect((await scene.cronJob('report')).spec.suspend).toBe(false);
});

test('who may change CronJobs is offered that, and no logs of what may not be read', async () => {
  const scene = await sceneWithReport();
  await scene.startManager();
  const kubeconfig = await userWith(scene, [LOOKS, CHANGES]);
  const process = await UiProcess.inScene(scene, kubeconfig);
  const ui = await UiPage.open(browsing, process, { query: `?cronjob=${scene.namespace}/report` });
  await scene.observed('report');
  await ui.button('Run now …').click();
  await ui.dialog.getByRole('button', { name: 'Run now' }).click();
  const [job] = await scene.hasJobs(1);
  await ui.page.getByRole('cell', { name: job!.metadata.name }).waitFor();
  expect(await ui.page.getByRole('link', { name: /^Logs/ }).count()).toBe(0);
});

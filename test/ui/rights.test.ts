/** What somebody sees, and is offered, who may not do everything. */
import { expect, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { Browsing } from './support/browsing.ts';
import { UiPage } from './support/ui-page.ts';
import { UiProcess } from './support/ui-process.ts';
import { CHANGES, LOOKS, userWith } from './support/user.ts';

const browsing = new Browsing();
const NARROWED = 'You may not list and watch CronJobs in all namespaces.';

async function sceneWithReport(): Promise<Scene> {
  const scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  return scene;
}

test('who may see one namespace gets that one, and the reason', async () => {
  await using scene = await sceneWithReport();
  const kubeconfig = await userWith(scene, [LOOKS]);
  await using process = await UiProcess.start(kubeconfig, ['-n', scene.namespace]);
  const ui = await UiPage.open(browsing, process);
  await ui.link(`${scene.namespace}/report`).waitFor();
  await ui.page.getByText(`namespace ${scene.namespace}`).waitFor();
  // Asked for: nothing to explain.
  expect(await ui.page.getByText(NARROWED).count()).toBe(0);
});

test('who has asked for none, and may see one, gets that of the kubeconfig, and the reason', async () => {
  await using scene = await sceneWithReport();
  const kubeconfig = await userWith(scene, [LOOKS], scene.namespace);
  await using process = await UiProcess.start(kubeconfig);
  const ui = await UiPage.open(browsing, process);
  await ui.link(`${scene.namespace}/report`).waitFor();
  await ui.page.getByText(NARROWED).waitFor();
  await ui.page.getByText(`namespace ${scene.namespace}`).waitFor();
});

test('who may only look is offered nothing to change, and no logs', async () => {
  await using scene = await sceneWithReport();
  const kubeconfig = await userWith(scene, [LOOKS]);
  await using process = await UiProcess.start(kubeconfig, ['-n', scene.namespace]);
  const ui = await UiPage.open(browsing, process, { query: `?cronjob=${scene.namespace}/report` });
  await ui.page.getByText(`You may not change CronJobs in the namespace ${scene.namespace}.`).waitFor();
  for (const name of ['Run now …', 'Suspend …', 'Resume …']) expect(await ui.button(name).count()).toBe(0);
  expect(await ui.page.getByRole('link', { name: /^Logs/ }).count()).toBe(0);
  // Nor does a request of its own change anything.
  const status = await ui.page.evaluate(async (path) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ until: null }) });
    return answer.status;
  }, `/api/cronjobs/${scene.namespace}/report/suspend`);
  expect(status).toBe(403);
  expect((await scene.cronJob('report')).spec.suspend).toBe(false);
});

test('who may change CronJobs is offered that, and no logs of what may not be read', async () => {
  await using scene = await sceneWithReport();
  await using _ = await scene.startManager();
  const kubeconfig = await userWith(scene, [LOOKS, CHANGES]);
  await using process = await UiProcess.start(kubeconfig, ['-n', scene.namespace]);
  const ui = await UiPage.open(browsing, process, { query: `?cronjob=${scene.namespace}/report` });
  await scene.observed('report');
  await ui.button('Run now …').click();
  await ui.dialog.getByRole('button', { name: 'Run now' }).click();
  const [job] = await scene.hasJobs(1);
  await ui.page.getByRole('cell', { name: job!.metadata.name }).waitFor();
  expect(await ui.page.getByRole('link', { name: /^Logs/ }).count()).toBe(0);
});

test('who may see nothing is told which right is missing, and sees all as soon as it is granted', async () => {
  await using scene = await sceneWithReport();
  const kubeconfig = await userWith(scene, []);
  await using process = await UiProcess.start(kubeconfig, ['-n', scene.namespace]);
  const ui = await UiPage.open(browsing, process);
  await ui.page
    .getByText(
      `You may not list and watch CronJobs in the namespace ${scene.namespace}: the verbs list and watch of cronjobs.batch.tutorial.kubebuilder.io are missing.`,
    )
    .waitFor();
  await ui.page.getByText('To do: Ask an administrator of the cluster for this right.').waitFor();
  expect(await ui.rows.count()).toBe(0);
  await userWith(scene, [LOOKS]);
  await ui.link(`${scene.namespace}/report`).waitFor();
  expect(await ui.page.getByText('To do:').count()).toBe(0);
});

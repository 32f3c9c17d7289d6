/** What the page shows and offers to a user without all permissions. */
import { expect, test } from 'vitest';
import type { Scene } from '../support/scene.ts';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { openTestScene, UiProcess } from './support/ui-process.ts';
import { CREATE_RUNS_RULE, createUserKubeconfig, PATCH_RULE, VIEW_RULE } from './support/user-kubeconfig.ts';

const testBrowser = new TestBrowser();

async function openSceneWithReport(): Promise<Scene> {
  const scene = await openTestScene();
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  return scene;
}

test('falls back to the namespace of the kubeconfig, and says why', async () => {
  const scene = await openSceneWithReport();
  const kubeconfig = await createUserKubeconfig(scene, [VIEW_RULE], scene.namespace);
  const ui = await UiPage.open(testBrowser, await UiProcess.startForTest(kubeconfig));
  await ui.link(`${scene.namespace}/report`).waitFor();
  await ui.page.getByText('You do not have permission to list and watch CronJobs in all namespaces.').waitFor();
  await ui.page.getByText(`namespace ${scene.namespace}`).waitFor();
});

test('offers no actions to a user with read-only permissions', async () => {
  const scene = await openSceneWithReport();
  const kubeconfig = await createUserKubeconfig(scene, [VIEW_RULE]);
  const process = await UiProcess.startInScene(scene, kubeconfig);
  const ui = await UiPage.open(testBrowser, process, { query: `?cronjob=${scene.namespace}/report` });
  await ui.page
    .getByText(`You do not have permission to run or change CronJobs in namespace ${scene.namespace}.`)
    .waitFor();
  for (const name of ['Run now …', 'Suspend …', 'Resume …', 'Backfill …'])
    expect(await ui.button(name).count()).toBe(0);
  // A direct request also changes nothing.
  const status = await ui.page.evaluate(async (path) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ until: null }) });
    return answer.status;
  }, `/api/cronjobs/${scene.namespace}/report/suspend`);
  expect(status).toBe(403);
  expect((await scene.cronJob('report')).spec.suspend).toBe(false);
});

/** Opens the page of a CronJob as a user with this permission, starts a run and waits until the page shows the run. */
async function openAndRunNow(rule: typeof PATCH_RULE): Promise<UiPage> {
  const scene = await openSceneWithReport();
  await scene.startManager();
  const kubeconfig = await createUserKubeconfig(scene, [VIEW_RULE, rule]);
  const process = await UiProcess.startInScene(scene, kubeconfig);
  const ui = await UiPage.open(testBrowser, process, { query: `?cronjob=${scene.namespace}/report` });
  await scene.waitUntilObserved('report');
  await ui.button('Run now …').click();
  await ui.dialog.getByRole('button', { name: 'Run now' }).click();
  const [job] = await scene.waitForJobs(1);
  await ui.page.getByRole('cell', { name: job!.metadata.name }).waitFor();
  return ui;
}

test('offers actions to a user who may patch CronJobs, and no logs without that permission', async () => {
  const ui = await openAndRunNow(PATCH_RULE);
  expect(await ui.page.getByRole('link', { name: /^Logs/ }).count()).toBe(0);
});

test('offers runs and no changes to a user who may create CronJobRuns', async () => {
  const ui = await openAndRunNow(CREATE_RUNS_RULE);
  await ui.button('Backfill …').waitFor();
  for (const name of ['Suspend …', 'Resume …']) expect(await ui.button(name).count()).toBe(0);
});

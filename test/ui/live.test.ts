/** The page shows changes in the cluster at once, without repeated requests. */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { cronJob, kubectl } from '../envtest/support/crd.ts';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { openTestScene, UiProcess } from './support/ui-process.ts';

const testBrowser = new TestBrowser();
const YEARLY = '0 3 1 1 *';

test('adds, changes and removes a CronJob as kubectl does', async () => {
  const scene = await openTestScene();
  const { namespace } = scene;
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(scene));
  const states = async () => (await ui.readRows()).map(({ name, state }) => `${name} ${state}`);
  const expectRows = (...want: string[]) =>
    eventually(async () => expect(await states()).toEqual(want), { intervalMs: 10 });
  await ui.page.getByText(`No CronJobs of this operator found in namespace ${namespace}.`).waitFor();
  // A reload would remove it.
  await ui.page.evaluate('globalThis.isSamePage = true');

  await kubectl(['create', '-n', namespace, '-f', '-'], cronJob('report', { schedule: YEARLY }));
  await expectRows(`${namespace}/report Unobserved`);
  await scene.startManager();
  await scene.waitUntilObserved('report');
  await expectRows(`${namespace}/report OK`);
  const suspend = ['--type=merge', '-p', '{"spec":{"suspend":true}}'];
  await kubectl(['patch', 'tcj', 'report', '-n', namespace, ...suspend]);
  await expectRows(`${namespace}/report Suspended`);
  await kubectl(['label', 'tcj', 'report', '-n', namespace, 'team=data']);
  await ui.labelsFilter.fill('team=data');
  await expectRows(`${namespace}/report Suspended`);
  await kubectl(['delete', 'tcj', 'report', '-n', namespace]);
  await ui.page.getByText('No CronJobs of this operator found').waitFor();
  expect(await ui.page.evaluate('globalThis.isSamePage')).toBe(true);
});

test('updates the YAML when the object changes', async () => {
  const scene = await openTestScene();
  await scene.createCronJob({ schedule: YEARLY }, 'report');
  const query = `?cronjob=${scene.namespace}/report`;
  const { page } = await UiPage.open(testBrowser, await UiProcess.startInScene(scene), { query });
  await page.getByText('YAML').click();
  const yaml = page.locator('details pre');
  await eventually(async () => expect(await yaml.innerText()).toContain('suspend: false'));
  const change = ['--type=merge', '-p', '{"spec":{"suspend":true}}'];
  await kubectl(['patch', 'tcj', 'report', '-n', scene.namespace, ...change]);
  await eventually(async () => expect(await yaml.innerText()).toContain('suspend: true'));
});

test('sends no requests, neither while idle nor on a change', async () => {
  const scene = await openTestScene();
  const created = await scene.createCronJob({ schedule: YEARLY }, 'report');
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(scene), { hasOwnTimers: true });
  await ui.rows.first().waitFor();
  const requestUrls: string[] = [];
  ui.page.on('request', (request) => requestUrls.push(request.url()));
  // Half an hour of its timers, in which it draws the line for now repeatedly.
  for (const team of ['data', 'shop', 'web']) {
    await ui.page.clock.runFor('10:00');
    const body = { metadata: { labels: { team } } };
    await scene.client.patch(cronJobs, created.metadata, { kind: 'merge', body });
    await ui.labelsFilter.fill(`team=${team}`);
    await eventually(async () => expect(await ui.rows.count()).toBe(1), { intervalMs: 10 });
  }
  expect(requestUrls).toEqual([]);
});

test('lists a deleted and recreated CronJob once', async () => {
  const scene = await openTestScene();
  const { metadata } = await scene.createCronJob({ schedule: YEARLY }, 'report');
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(scene));
  await ui.rows.first().waitFor();
  await scene.client.delete(cronJobs, metadata);
  await scene.createCronJob({ schedule: '0 4 1 1 *' }, 'report');
  await ui.textFilter.fill('0 4 1 1 *');
  await eventually(async () => expect(await ui.rows.count()).toBe(1));
  await ui.textFilter.fill('');
  expect(await ui.rows.count()).toBe(1);
});

test('says that the connection is lost, and keeps the last state', async () => {
  const scene = await openTestScene();
  await scene.createCronJob({ schedule: YEARLY }, 'report');
  const process = await UiProcess.startInScene(scene);
  const ui = await UiPage.open(testBrowser, process);
  await ui.rows.first().waitFor();
  await process.stop();
  await ui.page
    .getByText('Lost the connection to kubectl tcj ui. The command was stopped, or the computer is asleep.')
    .waitFor();
  await ui.page.getByText('To do: run kubectl tcj ui again').waitFor();
  await ui.page.getByText('This page shows the last known state.').waitFor();
  expect(await ui.rows.count()).toBe(1);
});

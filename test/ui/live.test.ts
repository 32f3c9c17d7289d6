/** The page shows changes in the cluster at once, without repeated requests. */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { cronJob, kubectl } from '../envtest/support/crd.ts';
import { Browsing } from './support/browsing.ts';
import { UiPage } from './support/ui-page.ts';
import { sceneOfTest, UiProcess } from './support/ui-process.ts';

const browsing = new Browsing();
const YEARLY = '0 3 1 1 *';

test('a CronJob that is created, changed and deleted with kubectl comes, changes and goes', async () => {
  const scene = await sceneOfTest();
  const { namespace } = scene;
  const ui = await UiPage.open(browsing, await UiProcess.inScene(scene));
  const states = async () => (await ui.listed()).map(({ name, state }) => `${name} ${state}`);
  const shows = (...want: string[]) => eventually(async () => expect(await states()).toEqual(want), { intervalMs: 10 });
  await ui.page.getByText(`There is no CronJob of this operator in the namespace ${namespace}.`).waitFor();
  // A reload would remove it.
  await ui.page.evaluate('globalThis.isSamePage = true');

  await kubectl(['create', '-n', namespace, '-f', '-'], cronJob('report', { schedule: YEARLY }));
  await shows(`${namespace}/report Unobserved`);
  await scene.startManager();
  await scene.observed('report');
  await shows(`${namespace}/report OK`);
  const suspend = ['--type=merge', '-p', '{"spec":{"suspend":true}}'];
  await kubectl(['patch', 'tcj', 'report', '-n', namespace, ...suspend]);
  await shows(`${namespace}/report Suspended`);
  await kubectl(['label', 'tcj', 'report', '-n', namespace, 'team=data']);
  await ui.labels.fill('team=data');
  await shows(`${namespace}/report Suspended`);
  await kubectl(['delete', 'tcj', 'report', '-n', namespace]);
  await ui.page.getByText('There is no CronJob of this operator').waitFor();
  expect(await ui.page.evaluate('globalThis.isSamePage')).toBe(true);
});

test('the stored object that is shown changes with it', async () => {
  const scene = await sceneOfTest();
  await scene.createCronJob({ schedule: YEARLY }, 'report');
  const query = `?cronjob=${scene.namespace}/report`;
  const { page } = await UiPage.open(browsing, await UiProcess.inScene(scene), { query });
  await page.getByText('YAML').click();
  const yaml = page.locator('details pre');
  await eventually(async () => expect(await yaml.innerText()).toContain('suspend: false'));
  const change = ['--type=merge', '-p', '{"spec":{"suspend":true}}'];
  await kubectl(['patch', 'tcj', 'report', '-n', scene.namespace, ...change]);
  await eventually(async () => expect(await yaml.innerText()).toContain('suspend: true'));
});

test('asks for nothing while nothing happens, and not when something does', async () => {
  const scene = await sceneOfTest();
  const created = await scene.createCronJob({ schedule: YEARLY }, 'report');
  const ui = await UiPage.open(browsing, await UiProcess.inScene(scene), { hasOwnTimers: true });
  await ui.rows.first().waitFor();
  const asked: string[] = [];
  ui.page.on('request', (request) => asked.push(request.url()));
  // Half an hour of its timers, in which it draws the line for now repeatedly.
  for (const team of ['data', 'shop', 'web']) {
    await ui.page.clock.runFor('10:00');
    const body = { metadata: { labels: { team } } };
    await scene.client.patch(cronJobs, created.metadata, { kind: 'merge', body });
    await ui.labels.fill(`team=${team}`);
    await eventually(async () => expect(await ui.rows.count()).toBe(1), { intervalMs: 10 });
  }
  expect(asked).toEqual([]);
});

test('one that is deleted and created anew with the same name is there once', async () => {
  const scene = await sceneOfTest();
  const { metadata } = await scene.createCronJob({ schedule: YEARLY }, 'report');
  const ui = await UiPage.open(browsing, await UiProcess.inScene(scene));
  await ui.rows.first().waitFor();
  await scene.client.delete(cronJobs, metadata);
  await scene.createCronJob({ schedule: '0 4 1 1 *' }, 'report');
  await ui.text.fill('0 4 1 1 *');
  await eventually(async () => expect(await ui.rows.count()).toBe(1));
  await ui.text.fill('');
  expect(await ui.rows.count()).toBe(1);
});

test('says when kubectl tcj ui has ended, and keeps what it has shown', async () => {
  const scene = await sceneOfTest();
  await scene.createCronJob({ schedule: YEARLY }, 'report');
  const process = await UiProcess.inScene(scene);
  const ui = await UiPage.open(browsing, process);
  await ui.rows.first().waitFor();
  await process.end();
  await ui.page.getByText('kubectl tcj ui does not answer: it has ended, or its computer sleeps.').waitFor();
  await ui.page.getByText('To do: start it again: kubectl tcj ui').waitFor();
  await ui.page.getByText('What is shown is as it was before.').waitFor();
  expect(await ui.rows.count()).toBe(1);
});

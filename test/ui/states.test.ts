/**
 * Every state of the page: without a violation in axe, in light and dark, and with a screenshot in coverage/ui for review.
 * UPDATE_SCREENSHOTS=1 also writes the images in docs/images.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startApiServer } from '../cluster/api-server.ts';
import { faultsOf } from './support/accessibility.ts';
import { SCENE_NOW } from './support/lively-scene.ts';
import { livelyScene, UiPage } from './support/ui-page.ts';
import { sceneOfTest, UiProcess } from './support/ui-process.ts';
import { LOOKS, userWith } from './support/user.ts';

const PICTURES = resolve('coverage/ui');
const DOCS = resolve('docs/images');
mkdirSync(PICTURES, { recursive: true });

const { browsing, open } = livelyScene();
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Checks the page in light and dark. @param name Name of its screenshots. */
async function look({ page }: UiPage, name: string): Promise<void> {
  // The backdrop of a dialog covers the whole window.
  const fullPage = (await page.getByRole('dialog').count()) === 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`), fullPage });
    expect(await faultsOf(page), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Writes a screenshot for docs/images: what a browser shows without scrolling. */
async function document({ page }: UiPage, name: string): Promise<void> {
  if (process.env['UPDATE_SCREENSHOTS'] === '1') await page.screenshot({ path: join(DOCS, `${name}.png`) });
}

test('the list', async () => {
  const ui = await open();
  await ui.page.getByText('Busiest minute').waitFor();
  await look(ui, 'list');
  await document(ui, 'ui-list');
});

test('the list with filters, one of which cannot be read', async () => {
  const ui = await open(
    '?q=s&namespace=shop&labels=team%3D%3D%3D&state=Suspended,Running&from=2026-11-23T00:00Z&until=2026-11-23T12:00Z',
  );
  await look(ui, 'list-filters');
});

test('the list without any that fits', async () => {
  const ui = await open('?q=nobody');
  await look(ui, 'list-none-fits');
});

test('the list on a phone', async () => {
  const ui = await open('', PHONE);
  await ui.page.getByText('Busiest minute').waitFor();
  await look(ui, 'list-phone');
});

test.each([
  ['detail', 'data/customer-import'],
  ['detail-invalid', 'billing/tax-report'],
  ['detail-unobserved', 'shop/newsletter'],
])('%s', async (name, cronJob) => {
  const ui = await open(`?cronjob=${cronJob}`);
  await ui.button('Run now …').waitFor();
  await look(ui, name);
  if (name === 'detail') await document(ui, 'ui-detail');
});

test('the details on a phone', async () => {
  const ui = await open('?cronjob=data/warehouse-export', PHONE);
  await ui.button('Run now …').waitFor();
  await look(ui, 'detail-phone');
});

test('the stored object', async () => {
  const ui = await open('?cronjob=shop/sitemap');
  await ui.page.getByText('YAML').click();
  await ui.page.getByText('busybox:1.37').waitFor();
  await look(ui, 'detail-yaml');
});

test('logs that there are none of', async () => {
  const ui = await open('?cronjob=data/customer-import&job=customer-import-1795421700');
  await ui.page.getByText('This is all.').waitFor();
  await look(ui, 'logs');
});

test.each([
  ['run', 'ops/log-rotation', 'Run now …'],
  ['suspend', 'ops/log-rotation', 'Suspend …'],
  ['resume', 'shop/price-sync', 'Resume …'],
  ['run-unobserved', 'shop/newsletter', 'Run now …'],
])('the dialog %s', async (name, cronJob, button) => {
  const ui = await open(`?cronjob=${cronJob}`);
  await ui.button(button).click();
  await ui.dialog.waitFor();
  await look(ui, `dialog-${name}`);
});

test('a namespace without CronJobs', async () => {
  const ui = await UiPage.open(browsing, await UiProcess.inScene(await sceneOfTest()));
  await ui.page.getByText('There is no CronJob of this operator').waitFor();
  await look(ui, 'empty');
});

test('a user without rights, and one who may only look', async () => {
  const scene = await sceneOfTest();
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  const ui = await UiPage.open(browsing, await UiProcess.inScene(scene, await userWith(scene, [])));
  await ui.page.getByText('You may not list and watch').waitFor();
  await look(ui, 'no-rights');
  const other = await UiProcess.inScene(scene, await userWith(scene, [LOOKS]));
  const looks = await UiPage.open(browsing, other, { query: `?cronjob=${scene.namespace}/report` });
  await looks.page.getByText('You may not change CronJobs').waitFor();
  await look(looks, 'detail-view-only');
});

test('a cluster without our kind', async () => {
  const { kubeconfig, stop } = await startApiServer();
  onTestFinished(stop);
  const own = await UiProcess.ofTest(kubeconfig);
  const ui = await UiPage.open(browsing, own);
  await ui.page.getByText(/^This cluster does not have the kind CronJob of batch\.tutorial\.kubebuilder\.io/).waitFor();
  await ui.page.getByText('To do: Install the operator; docs/install.md says how.').waitFor();
  await look(ui, 'crd-missing');
});

test('kubectl tcj ui has ended', async () => {
  const own = await UiProcess.ofTest(inject('sceneKubeconfig'));
  const ui = await UiPage.open(browsing, own, { now: SCENE_NOW });
  await ui.rows.first().waitFor();
  await own.end();
  await ui.page.getByText('kubectl tcj ui does not answer').waitFor();
  await look(ui, 'gone');
});

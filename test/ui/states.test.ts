/**
 * Every state of the page: without a violation in axe, in light and dark, and with a screenshot in coverage/ui for review.
 * UPDATE_SCREENSHOTS=1 also writes the images in docs/images.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startApiServer } from '../cluster/api-server.ts';
import { findViolations } from './support/accessibility.ts';
import { SCENE_NOW } from './support/lively-scene.ts';
import { UiPage, useLivelyScene } from './support/ui-page.ts';
import { openTestScene, UiProcess } from './support/ui-process.ts';
import { createUserKubeconfig, VIEW_RULE } from './support/user-kubeconfig.ts';

const SCREENSHOTS = resolve('coverage/ui');
const DOCS = resolve('docs/images');
mkdirSync(SCREENSHOTS, { recursive: true });

const { testBrowser, open } = useLivelyScene();
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Checks the page in light and dark. @param name Name of its screenshots. */
async function checkAndScreenshot({ page }: UiPage, name: string): Promise<void> {
  // The backdrop of a dialog covers the whole window.
  const fullPage = (await page.getByRole('dialog').count()) === 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`), fullPage });
    expect(await findViolations(page), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Writes a screenshot for docs/images: what a browser shows without scrolling. */
async function writeDocsScreenshot({ page }: UiPage, name: string): Promise<void> {
  if (process.env['UPDATE_SCREENSHOTS'] === '1') await page.screenshot({ path: join(DOCS, `${name}.png`) });
}

test('the list', async () => {
  const ui = await open();
  await ui.page.getByText('Busiest minute').waitFor();
  await checkAndScreenshot(ui, 'list');
  await writeDocsScreenshot(ui, 'ui-list');
});

test('the list with an invalid filter', async () => {
  const ui = await open(
    '?q=s&namespace=shop&labels=team%3D%3D%3D&state=Suspended,Running&from=2026-11-23T00:00Z&until=2026-11-23T12:00Z',
  );
  await checkAndScreenshot(ui, 'list-filters');
});

test('the list without a match', async () => {
  const ui = await open('?q=no-such-name');
  await checkAndScreenshot(ui, 'list-no-match');
});

test('the list on a phone', async () => {
  const ui = await open('', PHONE);
  await ui.page.getByText('Busiest minute').waitFor();
  await checkAndScreenshot(ui, 'list-phone');
});

test.each([
  ['detail', 'data/customer-import'],
  ['detail-invalid', 'billing/tax-report'],
  ['detail-unobserved', 'shop/newsletter'],
])('%s', async (name, cronJob) => {
  const ui = await open(`?cronjob=${cronJob}`);
  await ui.button('Run now …').waitFor();
  await checkAndScreenshot(ui, name);
  if (name === 'detail') await writeDocsScreenshot(ui, 'ui-detail');
});

test('the details on a phone', async () => {
  const ui = await open('?cronjob=data/warehouse-export', PHONE);
  await ui.button('Run now …').waitFor();
  await checkAndScreenshot(ui, 'detail-phone');
});

test('the stored object', async () => {
  const ui = await open('?cronjob=shop/sitemap');
  await ui.page.getByText('YAML').click();
  await ui.page.getByText('busybox:1.37').waitFor();
  await checkAndScreenshot(ui, 'detail-yaml');
});

test('a run without logs', async () => {
  const ui = await open('?cronjob=data/customer-import&job=customer-import-1795421700');
  await ui.page.getByText('End of logs.').waitFor();
  await checkAndScreenshot(ui, 'logs');
});

test.each([
  ['run', 'ops/log-rotation', 'Run now …'],
  ['suspend', 'ops/log-rotation', 'Suspend …'],
  ['resume', 'shop/price-sync', 'Resume …'],
  ['run-unobserved', 'shop/newsletter', 'Run now …'],
  ['backfill', 'ops/log-rotation', 'Backfill …'],
])('the dialog %s', async (name, cronJob, button) => {
  const ui = await open(`?cronjob=${cronJob}`);
  await ui.button(button).click();
  await ui.dialog.waitFor();
  await checkAndScreenshot(ui, `dialog-${name}`);
});

test('the dialog retry', async () => {
  const ui = await open('?cronjob=data/customer-import');
  await ui.page
    .getByRole('button', { name: /^Retry customer-import-/ })
    .first()
    .click();
  await ui.dialog.waitFor();
  await checkAndScreenshot(ui, 'dialog-retry');
});

test('a namespace without CronJobs', async () => {
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(await openTestScene()));
  await ui.page.getByText('No CronJobs of this operator found').waitFor();
  await checkAndScreenshot(ui, 'empty');
});

test('a user without permissions, and a user with read-only permissions', async () => {
  const scene = await openTestScene();
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  const ui = await UiPage.open(testBrowser, await UiProcess.startInScene(scene, await createUserKubeconfig(scene, [])));
  await ui.page.getByText('You do not have permission to list and watch').waitFor();
  await checkAndScreenshot(ui, 'no-permissions');
  const other = await UiProcess.startInScene(scene, await createUserKubeconfig(scene, [VIEW_RULE]));
  const viewer = await UiPage.open(testBrowser, other, { query: `?cronjob=${scene.namespace}/report` });
  await viewer.page.getByText('You do not have permission to run or change CronJobs').waitFor();
  await checkAndScreenshot(viewer, 'detail-view-only');
});

test('a cluster without the CRD', async () => {
  const { kubeconfig, stop } = await startApiServer();
  onTestFinished(stop);
  const uiProcess = await UiProcess.startForTest(kubeconfig);
  const ui = await UiPage.open(testBrowser, uiProcess);
  await ui.page
    .getByText(/^The CustomResourceDefinition cronjobs\.batch\.tutorial\.kubebuilder\.io is not installed/)
    .waitFor();
  await ui.page.getByText('To do: Install the operator as docs/install.md describes.').waitFor();
  await checkAndScreenshot(ui, 'crd-missing');
});

test('kubectl tcj ui was stopped', async () => {
  const uiProcess = await UiProcess.startForTest(inject('sceneKubeconfig'));
  const ui = await UiPage.open(testBrowser, uiProcess, { now: SCENE_NOW });
  await ui.rows.first().waitFor();
  await uiProcess.stop();
  await ui.page.getByText('Lost the connection to kubectl tcj ui').waitFor();
  await checkAndScreenshot(ui, 'disconnected');
});

/**
 * Every state of the page: without a fault for axe, in light and dark, and as a picture in coverage/ui for a person to look at.
 * UPDATE_SCREENSHOTS=1 also writes those of docs/images.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { faultsOf } from './support/accessibility.ts';
import { apiServerWithoutCrd } from './support/api-server-without-crd.ts';
import { Browsing, type BrowsingOptions } from './support/browsing.ts';
import { SCENE_NOW } from './support/lively-scene.ts';
import { UiPage } from './support/ui-page.ts';
import { UiProcess, uiProcessOfFile } from './support/ui-process.ts';
import { LOOKS, userWith } from './support/user.ts';

const PICTURES = resolve('coverage/ui');
const DOCS = resolve('docs/images');
mkdirSync(PICTURES, { recursive: true });

const process = uiProcessOfFile(() => inject('sceneKubeconfig'));
const withoutCrd = apiServerWithoutCrd();
const browsing = new Browsing();

async function openScene(query = '', options: BrowsingOptions = {}): Promise<UiPage> {
  return await UiPage.open(browsing, process(), { now: SCENE_NOW, query, ...options });
}

/** Looks at it in light and dark. @param name Of its pictures. */
async function look({ page }: UiPage, name: string): Promise<void> {
  // What is behind a dialog is dimmed as far as the window goes.
  const fullPage = (await page.getByRole('dialog').count()) === 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`), fullPage });
    expect(await faultsOf(page), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Of docs/images: what a browser shows without scrolling. */
async function document({ page }: UiPage, name: string): Promise<void> {
  if (globalThis.process.env['UPDATE_SCREENSHOTS'] === '1') await page.screenshot({ path: join(DOCS, `${name}.png`) });
}

test('the list', async () => {
  const ui = await openScene();
  await ui.page.getByText('Busiest minute').waitFor();
  await look(ui, 'list');
  await document(ui, 'ui-list');
});

test('the list with filters, one of which cannot be read', async () => {
  const ui = await openScene(
    '?q=s&namespace=shop&labels=team%3D%3D%3D&state=Suspended,Running&from=2026-11-23T00:00Z&until=2026-11-23T12:00Z',
  );
  await ui.rows.first().waitFor();
  await look(ui, 'list-filters');
});

test('the list without any that fits', async () => {
  const ui = await openScene('?q=nobody');
  await ui.page.getByText('None of the').waitFor();
  await look(ui, 'list-none-fits');
});

test('the list on a phone', async () => {
  const ui = await openScene('', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await ui.page.getByText('Busiest minute').waitFor();
  await look(ui, 'list-phone');
});

test.each([
  ['detail', 'data/customer-import'],
  ['detail-invalid', 'billing/tax-report'],
  ['detail-unobserved', 'shop/newsletter'],
])('%s', async (name, cronJob) => {
  const ui = await openScene(`?cronjob=${cronJob}`);
  await ui.button('Run now …').waitFor();
  await look(ui, name);
  if (name === 'detail') await document(ui, 'ui-detail');
});

test('the details on a phone', async () => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const ui = await openScene('?cronjob=data/warehouse-export', phone);
  await ui.button('Run now …').waitFor();
  await look(ui, 'detail-phone');
});

test('the stored object', async () => {
  const ui = await openScene('?cronjob=shop/sitemap');
  await ui.page.getByText('YAML').click();
  await ui.page.getByText('busybox:1.37').waitFor();
  await look(ui, 'detail-yaml');
});

test('logs that there are none of', async () => {
  const ui = await openScene('?cronjob=data/customer-import&job=customer-import-1795421700');
  await ui.page.getByText('This is all.').waitFor();
  await look(ui, 'logs');
});

test.each([
  ['run', 'ops/log-rotation', 'Run now …'],
  ['suspend', 'ops/log-rotation', 'Suspend …'],
  ['resume', 'shop/price-sync', 'Resume …'],
  ['run-unobserved', 'shop/newsletter', 'Run now …'],
])('the dialog %s', async (name, cronJob, button) => {
  const ui = await openScene(`?cronjob=${cronJob}`);
  await ui.button(button).click();
  await ui.dialog.waitFor();
  await look(ui, `dialog-${name}`);
});

test('a namespace without CronJobs', async () => {
  await using scene = await Scene.open();
  await using own = await UiProcess.start(inject('kubeconfig'), ['-n', scene.namespace]);
  const ui = await UiPage.open(browsing, own);
  await ui.page.getByText('There is no CronJob of this operator').waitFor();
  await look(ui, 'empty');
});

test('a user without rights, and one who may only look', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'report');
  await using own = await UiProcess.start(await userWith(scene, []), ['-n', scene.namespace]);
  const ui = await UiPage.open(browsing, own);
  await ui.page.getByText('You may not list and watch').waitFor();
  await look(ui, 'no-rights');
  await using other = await UiProcess.start(await userWith(scene, [LOOKS]), ['-n', scene.namespace]);
  const looks = await UiPage.open(browsing, other, { query: `?cronjob=${scene.namespace}/report` });
  await looks.page.getByText('You may not change CronJobs').waitFor();
  await look(looks, 'detail-view-only');
});

test('a cluster without our kind', async () => {
  await using own = await UiProcess.start(withoutCrd().kubeconfig);
  const ui = await UiPage.open(browsing, own);
  await ui.page.getByText('This cluster does not have the kind').waitFor();
  await look(ui, 'crd-missing');
});

test('kubectl tcj ui has ended', async () => {
  await using own = await UiProcess.start(inject('sceneKubeconfig'));
  const ui = await UiPage.open(browsing, own, { now: SCENE_NOW });
  await ui.rows.first().waitFor();
  await own.end();
  await ui.page.getByText('kubectl tcj ui does not answer').waitFor();
  await look(ui, 'gone');
});

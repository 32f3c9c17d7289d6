/** The URL of the page contains its state: for bookmarks, for Back, and for a colleague who gets the link. */
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { SCENE_NOW } from './support/lively-scene.ts';
import { getQuery, UiPage, useLivelyScene } from './support/ui-page.ts';
import { UiProcess } from './support/ui-process.ts';

const { testBrowser, process, open } = useLivelyScene();

test('contains every filter, and restores the filters', async () => {
  const timezoneId = 'Asia/Tokyo';
  const ui = await open('', { timezoneId });
  await ui.textFilter.fill('s');
  await ui.namespaceFilter.selectOption('shop');
  await ui.labelsFilter.fill('team in (shop)');
  await ui.stateFilter('Suspended').click();
  await ui.busyOnlyCheckbox.check();
  await ui.zoneSelect.selectOption('utc');
  await ui.timeRange.selectOption('7 days around now');
  const want = '?q=s&namespace=shop&labels=team+in+%28shop%29&state=Suspended&busy=true&hours=168&zone=utc';
  await eventually(() => expect(getQuery(ui)).toBe(want));
  const names = ['shop/price-sync', 'shop/sitemap'];
  expect(await ui.readNames()).toEqual(names);

  const other = await open(want, { timezoneId });
  expect(await other.readNames()).toEqual(names);
  expect(await other.textFilter.inputValue()).toBe('s');
  expect(await other.namespaceFilter.inputValue()).toBe('shop');
  expect(await other.labelsFilter.inputValue()).toBe('team in (shop)');
  expect(await other.stateFilter('Suspended').getAttribute('aria-pressed')).toBe('true');
  expect(await other.busyOnlyCheckbox.isChecked()).toBe(true);
  expect(await other.zoneSelect.inputValue()).toBe('utc');
  expect(await other.timeRange.inputValue()).toBe('168');
});

test('a copied link shows the same time range when opened later', async () => {
  const ui = await open('?q=sitemap', { permissions: ['clipboard-read', 'clipboard-write'] });
  await ui.button('Copy link').click();
  await ui.page.getByText('Link copied. To open it, run kubectl tcj ui first.').waitFor();
  const link = await ui.page.evaluate<string>('navigator.clipboard.readText()');
  expect(link).toBe(
    `${process().origin}/?q=sitemap&from=2026-11-22T22:07:30.000Z&until=2026-11-23T22:07:30.000Z&context=production`,
  );

  const nextWeek = new Date(SCENE_NOW.getTime() + 7 * 86_400_000);
  const later = await open(new URL(link).search, { now: nextWeek });
  expect(await later.readNames()).toEqual(['shop/sitemap']);
  expect(await later.row('shop/sitemap').getByRole('img').getAttribute('aria-label')).toBe('1 Succeeded');
});

test('shows the link when the browser does not allow copying', async () => {
  const ui = await open();
  await ui.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await ui.button('Copy link').click();
  await ui.page.getByText(`${process().origin}/?from=`).waitFor();
});

test('Back and Forward move between the list and the details, and not through each letter', async () => {
  const ui = await open();
  await ui.textFilter.pressSequentially('site');
  await ui.link('shop/sitemap').click();
  const title = ui.page.getByRole('heading', { level: 1, name: 'shop/sitemap' });
  await title.waitFor();
  expect(getQuery(ui)).toBe('?cronjob=shop/sitemap&q=site');
  expect(await ui.page.title()).toBe('shop/sitemap – CronJobs');
  await ui.page.goBack();
  await ui.rows.first().waitFor();
  expect(await ui.readNames()).toEqual(['shop/sitemap']);
  expect(await ui.textFilter.inputValue()).toBe('site');
  await ui.page.goForward();
  await title.waitFor();
  await ui.page.getByRole('link', { name: '← All CronJobs' }).click();
  await eventually(async () => expect(await ui.readNames()).toEqual(['shop/sitemap']));
});

test('a row is a link that opens in another tab', async () => {
  const ui = await open();
  const [tab] = await Promise.all([
    ui.context.waitForEvent('page'),
    ui.link('ops/log-rotation').click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await tab.getByRole('heading', { level: 1, name: 'ops/log-rotation' }).waitFor();
  expect(await ui.table.isVisible()).toBe(true);
});

test('the command opens the CronJob of its argument', async () => {
  const uiProcess = await UiProcess.startForTest(inject('sceneKubeconfig'), ['sitemap', '-n', 'shop']);
  const ui = await UiPage.open(testBrowser, uiProcess);
  await ui.page.getByRole('heading', { level: 1, name: 'shop/sitemap' }).waitFor();
});

test('says that the CronJob in the address does not exist', async () => {
  const ui = await open();
  await ui.openQuery('?cronjob=shop/gone');
  await ui.page.getByText('CronJob not found. It does not exist, or this page does not show its namespace.').waitFor();
});

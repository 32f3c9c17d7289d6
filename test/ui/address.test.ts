/** The URL of the page contains its state: for bookmarks, for Back, and for a colleague who gets the link. */
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { SCENE_NOW } from './support/lively-scene.ts';
import { livelyScene, searchOf, UiPage } from './support/ui-page.ts';
import { UiProcess } from './support/ui-process.ts';

const { browsing, process, open } = livelyScene();

test('holds every filter, and opens the same again', async () => {
  const timezoneId = 'Asia/Tokyo';
  const ui = await open('', { timezoneId });
  await ui.text.fill('s');
  await ui.namespace.selectOption('shop');
  await ui.labels.fill('team in (shop)');
  await ui.state('Suspended').click();
  await ui.isBusyOnly.check();
  await ui.zone.selectOption('utc');
  await ui.span.selectOption('7 days around now');
  const want = '?q=s&namespace=shop&labels=team+in+%28shop%29&state=Suspended&busy=true&hours=168&zone=utc';
  await eventually(() => expect(searchOf(ui)).toBe(want));
  const names = ['shop/price-sync', 'shop/sitemap'];
  expect(await ui.names()).toEqual(names);

  const other = await open(want, { timezoneId });
  expect(await other.names()).toEqual(names);
  expect(await other.text.inputValue()).toBe('s');
  expect(await other.namespace.inputValue()).toBe('shop');
  expect(await other.labels.inputValue()).toBe('team in (shop)');
  expect(await other.state('Suspended').getAttribute('aria-pressed')).toBe('true');
  expect(await other.isBusyOnly.isChecked()).toBe(true);
  expect(await other.zone.inputValue()).toBe('utc');
  expect(await other.span.inputValue()).toBe('168');
});

test('a copied link shows the same time to who opens it later', async () => {
  const ui = await open('?q=sitemap', { permissions: ['clipboard-read', 'clipboard-write'] });
  await ui.button('Copy link').click();
  await ui.page.getByText('Copied. It opens for who runs kubectl tcj ui on a computer of their own.').waitFor();
  const link = await ui.page.evaluate<string>('navigator.clipboard.readText()');
  expect(link).toBe(
    `${process().origin}/?q=sitemap&from=2026-11-22T22:07:30.000Z&until=2026-11-23T22:07:30.000Z&context=production`,
  );

  const nextWeek = new Date(SCENE_NOW.getTime() + 7 * 86_400_000);
  const later = await open(new URL(link).search, { now: nextWeek });
  expect(await later.names()).toEqual(['shop/sitemap']);
  expect(await later.row('shop/sitemap').getByRole('img').getAttribute('aria-label')).toBe('1 Succeeded');
});

test('shows the link where the browser may not copy', async () => {
  const ui = await open();
  await ui.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await ui.button('Copy link').click();
  await ui.page.getByText(`${process().origin}/?from=`).waitFor();
});

test('Back and Forward go between the list and the details, and not through each letter', async () => {
  const ui = await open();
  await ui.text.pressSequentially('site');
  await ui.link('shop/sitemap').click();
  const title = ui.page.getByRole('heading', { level: 1, name: 'shop/sitemap' });
  await title.waitFor();
  expect(searchOf(ui)).toBe('?cronjob=shop/sitemap&q=site');
  expect(await ui.page.title()).toBe('shop/sitemap – CronJobs');
  await ui.page.goBack();
  await ui.rows.first().waitFor();
  expect(await ui.names()).toEqual(['shop/sitemap']);
  expect(await ui.text.inputValue()).toBe('site');
  await ui.page.goForward();
  await title.waitFor();
  await ui.page.getByRole('link', { name: '← All CronJobs' }).click();
  await eventually(async () => expect(await ui.names()).toEqual(['shop/sitemap']));
});

test('a row is a link, which another tab can open', async () => {
  const ui = await open();
  const [tab] = await Promise.all([
    ui.context.waitForEvent('page'),
    ui.link('ops/log-rotation').click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await tab.getByRole('heading', { level: 1, name: 'ops/log-rotation' }).waitFor();
  expect(await ui.table.isVisible()).toBe(true);
});

test('the command begins with the CronJob that it is given', async () => {
  const given = await UiProcess.ofTest(inject('sceneKubeconfig'), ['sitemap', '-n', 'shop']);
  const ui = await UiPage.open(browsing, given);
  await ui.page.getByRole('heading', { level: 1, name: 'shop/sitemap' }).waitFor();
});

test('says so where the address names a CronJob that is not there', async () => {
  const ui = await open();
  await ui.goTo('?cronjob=shop/gone');
  await ui.page.getByText('There is no CronJob of this name, or none that you see here.').waitFor();
});

/** The details of one CronJob. */
import { eventually } from 'controller-runtime/testing';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { LogKubelet } from '../envtest/support/log-kubelet.ts';
import { Scene } from '../support/scene.ts';
import type { BrowsingOptions } from './support/browsing.ts';
import { SCENE_NOW } from './support/lively-scene.ts';
import { livelyScene, UiPage } from './support/ui-page.ts';
import { UiProcess } from './support/ui-process.ts';

const { browsing, open } = livelyScene();
const openDetail = (cronJob: string, options: BrowsingOptions = {}) => open(`?cronjob=${cronJob}`, options);

const region = ({ page }: UiPage, name: string) => page.getByRole('region', { name });
const has = (ui: UiPage, text: string | RegExp) => ui.page.getByText(text).first().waitFor();

const hasFocus = (locator: Locator) => locator.evaluate((element) => element === element.ownerDocument.activeElement);

/** Cells of the table of runs, from the newest. */
async function entries(ui: UiPage): Promise<readonly (readonly string[])[]> {
  const rows = await region(ui, 'Runs and skipped times').getByRole('row').all();
  const cells = await Promise.all(rows.slice(1).map((row) => row.getByRole('cell').allInnerTexts()));
  return cells.map((row) => row.map((text) => text.replace(/\s+/g, ' ').trim()));
}

test('says how it stands and why, and what to do', async () => {
  const ui = await openDetail('data/customer-import');
  await has(ui, /^No run starts since Mon 2026-11-23 08:16:10 UTC \(111m ago\): 3 in a row have failed\./);
  await has(ui, 'To do: fix the cause, then resume it, below');
  const other = await openDetail('shop/search-index');
  await has(other, /^A run cannot start: the Job of .* is forbidden: exceeded quota/);
});

test('lists runs and skipped times, the newest first, each with what happened', async () => {
  const ui = await openDetail('data/customer-import');
  // It appears after the Jobs were read.
  await ui.page.getByRole('link', { name: 'Logs of customer-import-1795421700' }).waitFor();
  const [skipped, failed, ...rest] = await entries(ui);
  expect(skipped).toEqual([
    'Mon 2026-11-23 09:15 UTC (52m ago)',
    '⊘ Skipped',
    '–',
    'Paused: the CronJob was paused after too many failed runs in a row. To do: fix what makes the runs fail, then resume it.',
  ]);
  expect(failed).toEqual([
    'Mon 2026-11-23 08:15 UTC (112m ago)',
    '✕ Failed',
    '4m',
    'BackoffLimitExceeded: Job has reached the specified backoff limit',
    'customer-import-1795421700 Logs of customer-import-1795421700',
  ]);
  expect(rest).toHaveLength(9);
  await has(ui, 'What came before Sun 2026-11-22 23:15 UTC may have left the status, which lists the newest.');
  const running = await entries(await openDetail('data/warehouse-export'));
  expect(running[0]?.slice(0, 3)).toEqual(['Mon 2026-11-23 06:00 UTC (4h7m ago)', '▸ Running', '4h7m so far']);
});

test('how it stands stays true while time goes on', async () => {
  const ui = await openDetail('billing/invoice-run');
  const says = (ahead: string) => has(ui, new RegExp(`The next one is due .* 10:30 UTC \\(in ${ahead}\\)\\.$`));
  await says('22m');
  // The page has requested the state of the Pods.
  await has(ui, /failed after 4m: .* The exit codes of its containers are no longer known: its Pods are gone\./);
  // There are also no logs to show.
  expect(await ui.page.getByRole('link', { name: 'Show its logs' }).count()).toBe(0);
  await ui.page.evaluate(`setStoppedClock(${SCENE_NOW.getTime() + 600_000})`);
  await says('12m');
});

test('shows the conditions as sentences', async () => {
  const ui = await openDetail('ops/restore-drill');
  const conditions = region(ui, 'Conditions');
  await conditions.getByText('Overdue: yes, since Mon 2026-11-23 09:30 UTC').waitFor();
  await conditions.getByText('no run has succeeded within 24h', { exact: true }).waitFor();
  const newest = await openDetail('shop/newsletter');
  await has(newest, 'None: no controller has looked at it yet.');
  await has(newest, 'It has not run yet.');
});

test('says the schedule in words', async () => {
  const ui = await openDetail('billing/payment-reminders');
  const schedule = region(ui, 'Schedule');
  await schedule.getByText('0 8 * * 1-5 in Europe/Berlin: At 08:00 on Monday to Friday.').waitFor();
});

test('says why there are no logs', async () => {
  const ui = await openDetail('data/customer-import');
  await ui.page.getByRole('link', { name: 'Logs of customer-import-1795421700' }).click();
  const logs = ui.page.getByRole('log', { name: 'Logs of customer-import-1795421700' });
  await logs.getByText(/^no container of Job customer-import-1795421700 has a log: its Pods are gone\./).waitFor();
  await has(ui, 'This is all.');
  expect(ui.page.url()).toContain('&job=customer-import-1795421700');
  await ui.page.getByRole('link', { name: 'Close the logs' }).click();
  await logs.waitFor({ state: 'detached' });
});

test('logs come into view where they are opened from far below, and the focus goes there and back', async () => {
  const ui = await openDetail('data/customer-import', { viewport: { width: 1280, height: 420 } });
  const link = ui.page.getByRole('link', { name: /^Logs of customer-import-/ }).last();
  const name = await link.innerText();
  await link.press('Enter');
  const head = ui.page.getByRole('heading', { level: 2, name: /^Logs of / });
  await eventually(async () => expect(await hasFocus(head)).toBe(true));
  const { y = -1 } = (await head.boundingBox()) ?? {};
  expect([y >= 0, y < 420]).toEqual([true, true]);
  await ui.page.keyboard.press('Tab');
  await ui.page.keyboard.press('Enter');
  await head.waitFor({ state: 'detached' });
  expect(await link.innerText()).toBe(name);
  expect(await hasFocus(link)).toBe(true);
});

test('on a phone each run is a block, and nothing is beside the window', async () => {
  const ui = await openDetail('data/customer-import', { viewport: { width: 390, height: 844 } });
  const edges = await ui.page
    .locator('td')
    .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right));
  expect(edges.length).toBeGreaterThan(30);
  expect(Math.max(...edges)).toBeLessThanOrEqual(390);
  expect(await ui.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('shows the logs of a run as they come, until it is over', async () => {
  await using scene = await Scene.open();
  await using _ = await scene.startManager();
  const container = (name: string) => ({ name, image: 'busybox' });
  const template = { spec: { restartPolicy: 'Never', containers: [container('work'), container('proxy')] } } as const;
  await scene.createCronJob({ jobTemplate: { spec: { template } } }, 'report');
  await scene.passNextMinute();
  const [job] = await scene.hasJobs(1);
  const { name } = job!.metadata;
  const goesOn = Promise.withResolvers<void>();
  const kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ container: from, write }) => {
    write(`<b>${from}</b> begins\n`);
    await goesOn.promise;
    write(`${from} ends\n`);
  });
  await using __ = kubelet;
  await kubelet.addPod(name, `${name}-abcde`, { work: undefined, proxy: undefined });
  const own = await UiProcess.inScene(scene);
  const ui = await UiPage.open(browsing, own, { query: `?cronjob=${scene.namespace}/report&job=${name}` });
  const logs = ui.page.getByRole('log');
  // As text: the output of a container is not HTML.
  await logs.getByText(`[${name}-abcde/work] <b>work</b> begins`).waitFor();
  await logs.getByText(`[${name}-abcde/proxy] <b>proxy</b> begins`).waitFor();
  await has(ui, 'It goes on as long as the run does.');
  await scene.finish(job!, 'Complete');
  goesOn.resolve();
  await logs.getByText('work ends').waitFor();
  await has(ui, 'This is all.');
});

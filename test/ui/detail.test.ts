/** The details of one CronJob. */
import { eventually } from 'controller-runtime/testing';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { LogKubelet } from '../envtest/support/log-kubelet.ts';
import { Scene } from '../support/scene.ts';
import { SCENE_NOW } from './support/lively-scene.ts';
import type { TestBrowserOptions } from './support/test-browser.ts';
import { UiPage, useLivelyScene } from './support/ui-page.ts';
import { UiProcess } from './support/ui-process.ts';

const { testBrowser, open } = useLivelyScene();
const openDetail = (cronJob: string, options: TestBrowserOptions = {}) => open(`?cronjob=${cronJob}`, options);

const region = ({ page }: UiPage, name: string) => page.getByRole('region', { name });
const waitForText = (ui: UiPage, text: string | RegExp) => ui.page.getByText(text).first().waitFor();

const hasFocus = (locator: Locator) => locator.evaluate((element) => element === element.ownerDocument.activeElement);

/** Cells of the table of runs, from the newest. */
async function readEntries(ui: UiPage): Promise<readonly (readonly string[])[]> {
  const rows = await region(ui, 'Runs and skipped times').getByRole('row').all();
  const cells = await Promise.all(rows.slice(1).map((row) => row.getByRole('cell').allInnerTexts()));
  return cells.map((row) => row.map((text) => text.replace(/\s+/g, ' ').trim()));
}

test('explains the state, and what to do', async () => {
  const ui = await openDetail('data/customer-import');
  await waitForText(
    ui,
    /^The CronJob has been paused since Mon 2026-11-23 08:16:10 UTC \(111m ago\): the last 3 runs failed\./,
  );
  await waitForText(ui, 'To do: fix the cause, then resume it below');
  const other = await openDetail('shop/search-index');
  await waitForText(other, /^A run cannot start: the Job of .* is forbidden: exceeded quota/);
});

test('lists runs and skipped times with details, newest first', async () => {
  const ui = await openDetail('data/customer-import');
  // It appears after the Jobs were read.
  await ui.page.getByRole('link', { name: 'Logs of customer-import-1795421700' }).waitFor();
  const [skipped, failed, ...rest] = await readEntries(ui);
  expect(skipped).toEqual([
    'Mon 2026-11-23 09:15 UTC (52m ago)',
    '⊘ Skipped',
    '–',
    'Paused: the CronJob was paused after too many failed runs in a row. To do: fix the cause of the failed runs, then resume it.',
  ]);
  expect(failed).toEqual([
    'Mon 2026-11-23 08:15 UTC (112m ago)',
    '✕ Failed',
    '4m',
    'BackoffLimitExceeded: Job has reached the specified backoff limit',
    'customer-import-1795421700 Logs of customer-import-1795421700 Retry customer-import-1795421700 …',
  ]);
  expect(rest).toHaveLength(9);
  await waitForText(ui, 'The status lists only the newest runs: runs before Sun 2026-11-22 23:15 UTC may be missing.');
  const running = await readEntries(await openDetail('data/warehouse-export'));
  expect(running[0]?.slice(0, 3)).toEqual(['Mon 2026-11-23 06:00 UTC (4h7m ago)', '▸ Running', '4h7m so far']);
});

test('updates the explanation while the clock advances', async () => {
  const ui = await openDetail('billing/invoice-run');
  const waitForNext = (ahead: string) =>
    waitForText(ui, new RegExp(`The next run is due .* 10:30 UTC \\(in ${ahead}\\)\\.$`));
  await waitForNext('22m');
  // The page has requested the state of the Pods.
  await waitForText(
    ui,
    /failed after 4m: .* The Pods no longer exist, so the exit codes of the containers are unknown\./,
  );
  // There are also no logs to show.
  expect(await ui.page.getByRole('link', { name: 'Show its logs' }).count()).toBe(0);
  await ui.page.evaluate(`setStoppedClock(${SCENE_NOW.getTime() + 600_000})`);
  await waitForNext('12m');
});

test('shows the conditions as sentences', async () => {
  const ui = await openDetail('ops/restore-drill');
  const conditions = region(ui, 'Conditions');
  await conditions.getByText('Overdue: yes, since Mon 2026-11-23 09:30 UTC').waitFor();
  await conditions.getByText('no run has succeeded within 24h', { exact: true }).waitFor();
  const newest = await openDetail('shop/newsletter');
  await waitForText(newest, 'No conditions yet: the controller has not observed this CronJob.');
  await waitForText(newest, 'No runs yet.');
});

test('describes the schedule in words', async () => {
  const ui = await openDetail('billing/payment-reminders');
  const schedule = region(ui, 'Schedule');
  await schedule.getByText('0 8 * * 1-5 in Europe/Berlin: At 08:00, Monday to Friday.').waitFor();
});

test('says why there are no logs', async () => {
  const ui = await openDetail('data/customer-import');
  await ui.page.getByRole('link', { name: 'Logs of customer-import-1795421700' }).click();
  const logs = ui.page.getByRole('log', { name: 'Logs of customer-import-1795421700' });
  await logs.getByText(/^Job customer-import-1795421700 has no logs: its Pods no longer exist\./).waitFor();
  await waitForText(ui, 'End of logs.');
  expect(ui.page.url()).toContain('&job=customer-import-1795421700');
  await ui.page.getByRole('link', { name: 'Close the logs' }).click();
  await logs.waitFor({ state: 'detached' });
});

test('scrolls to opened logs, and moves the focus there and back', async () => {
  const ui = await openDetail('data/customer-import', { viewport: { width: 1280, height: 420 } });
  const link = ui.page.getByRole('link', { name: /^Logs of customer-import-/ }).last();
  const name = await link.innerText();
  await link.press('Enter');
  const heading = ui.page.getByRole('heading', { level: 2, name: /^Logs of / });
  await eventually(async () => expect(await hasFocus(heading)).toBe(true));
  const { y = -1 } = (await heading.boundingBox()) ?? {};
  expect([y >= 0, y < 420]).toEqual([true, true]);
  await ui.page.keyboard.press('Tab');
  await ui.page.keyboard.press('Enter');
  await heading.waitFor({ state: 'detached' });
  expect(await link.innerText()).toBe(name);
  expect(await hasFocus(link)).toBe(true);
});

test('on a phone, shows each run as a block within the window', async () => {
  const ui = await openDetail('data/customer-import', { viewport: { width: 390, height: 844 } });
  const edges = await ui.page
    .locator('td')
    .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right));
  expect(edges.length).toBeGreaterThan(30);
  expect(Math.max(...edges)).toBeLessThanOrEqual(390);
  expect(await ui.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('follows the logs of a run until it finishes', async () => {
  await using scene = await Scene.open();
  await using _ = await scene.startManager();
  const container = (name: string) => ({ name, image: 'busybox' });
  const template = { spec: { restartPolicy: 'Never', containers: [container('work'), container('proxy')] } } as const;
  await scene.createCronJob({ jobTemplate: { spec: { template } } }, 'report');
  await scene.passNextMinute();
  const [job] = await scene.waitForJobs(1);
  const { name } = job!.metadata;
  const canContinue = Promise.withResolvers<void>();
  const kubelet = await LogKubelet.open(scene.client, scene.namespace, async ({ container: from, write }) => {
    write(`<b>${from}</b> begins\n`);
    await canContinue.promise;
    write(`${from} ends\n`);
  });
  await using __ = kubelet;
  await kubelet.addPod(name, `${name}-abcde`, { work: undefined, proxy: undefined });
  const uiProcess = await UiProcess.startInScene(scene);
  const ui = await UiPage.open(testBrowser, uiProcess, { query: `?cronjob=${scene.namespace}/report&job=${name}` });
  const logs = ui.page.getByRole('log');
  // As text: the output of a container is not HTML.
  await logs.getByText(`[${name}-abcde/work] <b>work</b> begins`).waitFor();
  await logs.getByText(`[${name}-abcde/proxy] <b>proxy</b> begins`).waitFor();
  await waitForText(ui, 'Following the logs until the run finishes.');
  await scene.finish(job!, 'Complete');
  canContinue.resolve();
  await logs.getByText('work ends').waitFor();
  await waitForText(ui, 'End of logs.');
});

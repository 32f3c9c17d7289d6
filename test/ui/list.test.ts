/** The list of all CronJobs: its content, and its filters. */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { SCENE_NOW, SCENE_SIZE } from './support/lively-scene.ts';
import { type UiPage, useLivelyScene } from './support/ui-page.ts';

const { open } = useLivelyScene();

test('lists the worst state first, each CronJob with its last and its next run', async () => {
  const ui = await open();
  const listed = await ui.readRows();
  expect(listed.map(({ state, name }) => `${state} ${name}`)).toEqual([
    'Invalid billing/tax-report',
    'Blocked shop/search-index',
    'Overdue ops/restore-drill',
    'Paused data/customer-import',
    'Failed billing/invoice-run',
    'Unobserved shop/newsletter',
    'Suspended shop/price-sync',
    'Suspended shop/sitemap',
    'OK billing/payment-reminders',
    'Running data/feature-refresh',
    'Running data/warehouse-export',
    'OK ops/certificate-check',
    'OK ops/database-backup',
    'OK ops/log-rotation',
    'Running shop/stock-levels',
  ]);
  expect(listed[4]).toMatchObject({ last: 'Failed 3m29s ago', next: 'in 22m' });
  expect(listed[5]).toMatchObject({ last: '–', next: '–' });
  expect(await ui.table.getByRole('columnheader').nth(1).innerText()).toBe(`${SCENE_SIZE} CronJobs`);
});

test('a row shows a bar for each run, a mark with the reason for each skip, and the upcoming times', async () => {
  const ui = await open();
  const tooltips = (name: string) => ui.readTooltips(ui.row(name));
  expect(await tooltips('data/feature-refresh')).toEqual([
    'No data: the status lists only newer runs',
    'Due often: */20 * * * *',
    ...['07:00', '07:20', '07:40', '08:00', '08:20', '08:40'].map(
      (at) => `The run of Mon 2026-11-23 ${at} UTC succeeded after 14m.`,
    ),
    'The run of Mon 2026-11-23 09:00 UTC has an unknown result: its Job feature-refresh-1795424400 was deleted before the manager recorded it.',
    'The run of Mon 2026-11-23 09:20 UTC succeeded after 14m.',
    'The run of Mon 2026-11-23 09:40 UTC was replaced by a newer run (concurrencyPolicy Replace).',
    'The run of Mon 2026-11-23 10:00 UTC is running, as Job feature-refresh-1795428000.',
  ]);
  expect(await tooltips('billing/invoice-run')).toContain(
    'The run of Mon 2026-11-23 10:00 UTC failed after 4m: BackoffLimitExceeded: Job has reached the specified backoff limit.',
  );
  expect(await tooltips('data/warehouse-export')).toEqual([
    'Due Mon 2026-11-23 12:00 UTC',
    'Due Mon 2026-11-23 18:00 UTC',
    'The run of Mon 2026-11-23 06:00 UTC is running, as Job warehouse-export-1795413600.',
    'Mon 2026-11-23 00:00 UTC did not run, because an earlier run was still active (concurrencyPolicy Forbid).',
  ]);
  // Where there is space, the reason of a skip is visible.
  const reasons = (name: string) => ui.row(name).locator('svg .reason').allTextContents();
  expect(await reasons('shop/search-index')).toEqual([]);
  expect(await reasons('data/customer-import')).toEqual(['Paused']);
  expect(await reasons('ops/database-backup')).toEqual(['DeadlineExceeded']);
});

test('shows no upcoming times of a suspended CronJob until its suspension ends, and none of a paused CronJob', async () => {
  const ui = await open();
  expect(
    (await ui.readTooltips(ui.row('ops/log-rotation'))).filter((text) => text.startsWith('No run starts')),
  ).toEqual([]);
  const until = await ui.readTooltips(ui.row('shop/price-sync'));
  expect(until).toContain('No run starts: suspended until Mon 2026-11-23 16:00 UTC');
  expect(until.filter((text) => text.startsWith('Due'))[0]).toBe('Due Mon 2026-11-23 16:00 UTC');
  const paused = await ui.readTooltips(ui.row('data/customer-import'));
  expect(paused).toContain('No run starts: paused after too many failed runs in a row, until you resume it');
  expect(paused.filter((text) => text.startsWith('Due'))).toEqual([]);
});

test('the histogram names the busiest minute of the listed CronJobs', async () => {
  const ui = await open();
  const waitForSentence = (sentence: string) =>
    ui.table.getByRole('img', { name: `Upcoming starts. ${sentence}` }).waitFor();
  await waitForSentence('Busiest minute: Mon 2026-11-23 18:00 UTC, 7 starts');
  await ui.page
    .getByText(/With jitterSeconds: 1800( or less)?, at most \d of these 7 runs would start in one minute\./)
    .waitFor();
  await ui.textFilter.fill('warehouse');
  await waitForSentence('Busiest minute: Mon 2026-11-23 12:00 UTC, 1 start');
  await ui.textFilter.fill('sitemap');
  await waitForSentence('No more runs are due in this time range');
});

test('filters by a label selector, and explains the syntax for an invalid one', async () => {
  const ui = await open();
  await ui.labelsFilter.fill('team notin (data, shop), team!=platform');
  await expectRows(ui, ['billing/tax-report', 'billing/invoice-run', 'billing/payment-reminders']);
  await ui.labelsFilter.fill('team=data=shop');
  await ui.page.getByText('Not a valid label selector. Use the syntax of kubectl -l: team=data, stage!=test').waitFor();
  expect(await ui.labelsFilter.getAttribute('aria-invalid')).toBe('true');
  expect(await ui.rows.count()).toBe(SCENE_SIZE);
});

test('the state filters count the CronJobs, and filter by state', async () => {
  const ui = await open();
  const filters = ui.page.getByRole('group', { name: 'State' }).getByRole('button');
  const texts = async () => (await filters.allInnerTexts()).map((text) => text.replace(/^\S+\s+/, ''));
  const all = ['Invalid 1', 'Blocked 1', 'Overdue 1', 'Paused 1', 'Failed 1', 'Unobserved 1', 'Suspended 2'];
  expect(await texts()).toEqual([...all, 'Running 3', 'OK 4']);
  await ui.stateFilter('Running').click();
  await expectRows(ui, ['data/feature-refresh', 'data/warehouse-export', 'shop/stock-levels']);
  await ui.stateFilter('Paused').click();
  await expectRows(ui, ['data/customer-import', 'data/feature-refresh', 'data/warehouse-export', 'shop/stock-levels']);
  expect(await ui.stateFilter('Paused').getAttribute('aria-pressed')).toBe('true');
  // The counts are for the rows that match the other filters.
  expect(await ui.namespaceFilter.getByRole('option').allInnerTexts()).toEqual([
    'All',
    'billing',
    'data',
    'ops',
    'shop',
  ]);
  await ui.namespaceFilter.selectOption('shop');
  await expectRows(ui, ['shop/stock-levels']);
  expect(await texts()).toEqual(['Blocked 1', 'Paused 0', 'Unobserved 1', 'Suspended 2', 'Running 1']);
  await ui.stateFilter('Running').click();
  await ui.stateFilter('Paused').click();
  await expectRows(ui, [
    'shop/search-index',
    'shop/newsletter',
    'shop/price-sync',
    'shop/sitemap',
    'shop/stock-levels',
  ]);
});

test('shows an hour or a week, and earlier and later time ranges', async () => {
  const ui = await open();
  const description = () => ui.row('shop/sitemap').getByRole('img').getAttribute('aria-label');
  const expectDescription = (want: string) => eventually(async () => expect(await description()).toBe(want));
  await ui.timeRange.selectOption('1 hour around now');
  await expectDescription('No runs in this time range');
  await ui.timeRange.selectOption('7 days around now');
  await expectDescription('4 Succeeded');
  await ui.button('Earlier').click();
  await expectDescription('7 Succeeded');
  expect(await ui.page.getByLabel('From (UTC)').inputValue()).toBe('2026-11-16T10:07');
  expect(await ui.page.getByLabel('Until (UTC)').inputValue()).toBe('2026-11-23T10:07');
  await ui.button('Later').click();
  await expectDescription('4 Succeeded');
});

test('shows a custom time range', async () => {
  const ui = await open();
  await ui.timeRange.selectOption('Custom');
  await ui.page.getByLabel('From (UTC)').fill('2026-11-20T00:00');
  await ui.page.getByLabel('Until (UTC)').fill('2026-11-22T00:00');
  await ui.page.getByLabel('Until (UTC)').blur();
  const description = () => ui.row('shop/sitemap').getByRole('img').getAttribute('aria-label');
  await eventually(async () => expect(await description()).toBe('2 Succeeded'));
});

test('keeps the text in a time field while the clock advances', async () => {
  const ui = await open('?from=2026-11-23T00:00Z&until=2026-11-23T12:00Z');
  const from = ui.page.getByLabel('From (UTC)');
  await from.fill('2026-11-20T00:00');
  await ui.page.evaluate(`setStoppedClock(${SCENE_NOW.getTime() + 60_000})`);
  await ui.row('data/feature-refresh').getByText('Running for 8m30s').waitFor();
  expect(await from.inputValue()).toBe('2026-11-20T00:00');
  expect(await ui.page.getByLabel('Until (UTC)').inputValue()).toBe('2026-11-23T12:00');
});

test('says that no CronJob matches, and clears the filters', async () => {
  const ui = await open();
  await ui.textFilter.fill('no-such-name');
  await ui.page.getByText(`None of the ${SCENE_SIZE} CronJobs matches the filters.`).waitFor();
  expect(await ui.rows.count()).toBe(0);
  await ui.page.getByRole('link', { name: 'Clear filters' }).click();
  await eventually(async () => expect(await ui.rows.count()).toBe(SCENE_SIZE));
  expect(await ui.textFilter.inputValue()).toBe('');
});

/** The rows from the top. */
async function expectRows(ui: UiPage, names: readonly string[]): Promise<void> {
  await eventually(async () => expect(await ui.readNames()).toEqual(names), { intervalMs: 10 });
}

/** The mouse on the timeline. The keyboard has an equivalent for each action. */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { getQuery, useLivelyScene } from './support/ui-page.ts';

const { open } = useLivelyScene();

test('shows a tooltip under the mouse, until it leaves or the user presses Escape', async () => {
  const ui = await open();
  // The line for now covers the newest one.
  const failed = ui.row('billing/invoice-run').locator('.run.Failed').last();
  const tooltip = ui.page.locator('.tooltip');
  await failed.hover();
  await eventually(async () =>
    expect(await tooltip.allInnerTexts()).toEqual([
      expect.stringMatching(/^The run of .* failed after 4m: BackoffLimit/),
    ]),
  );
  // A tooltip that would be outside the window moves into it, and stays under the mouse.
  await ui.row('shop/price-sync').locator('.upcoming g').last().hover();
  const box = (await tooltip.boundingBox()) ?? { x: 0, width: 0 };
  expect(box.x + box.width).toBeLessThanOrEqual(1280);
  await tooltip.hover();
  expect(await tooltip.innerText()).toMatch(/^Due /);
  await ui.page.keyboard.press('Escape');
  await tooltip.waitFor({ state: 'detached' });
  await failed.hover();
  await tooltip.waitFor();
  await ui.textFilter.hover();
  await tooltip.waitFor({ state: 'detached' });
});

test('a click on a run selects it in the details, and Back returns to the list', async () => {
  const ui = await open();
  await ui.row('data/customer-import').locator('.run.Failed').first().click();
  await ui.page.getByRole('heading', { level: 1, name: 'data/customer-import' }).waitFor();
  const selected = ui.page.locator('tr[aria-current]');
  expect(await selected.innerText()).toContain('Mon 2026-11-23 06:15 UTC');
  expect(await selected.evaluate((row) => row === row.ownerDocument.activeElement)).toBe(true);
  expect(getQuery(ui)).toBe('?cronjob=data/customer-import&at=2026-11-23T06:15:00.000Z');
  // Another one there, a skip.
  await ui.page.locator('.detail-timeline .skip').click();
  await eventually(async () => expect(await selected.innerText()).toContain('Mon 2026-11-23 09:15 UTC'));
  await ui.page.goBack();
  await eventually(async () => expect(await selected.innerText()).toContain('Mon 2026-11-23 06:15 UTC'));
  await ui.page.goBack();
  await ui.rows.first().waitFor();
});

test('a click beside the marks of a row opens the details', async () => {
  const ui = await open();
  await ui
    .row('billing/tax-report')
    .getByRole('img')
    .click({ position: { x: 20, y: 5 } });
  await ui.page.getByRole('heading', { level: 1, name: 'billing/tax-report' }).waitFor();
  expect(getQuery(ui)).toBe('?cronjob=billing/tax-report');
});

test('zooms in to the busiest minute, or to the minute of a column', async () => {
  const ui = await open();
  await ui.table.getByText('7 per minute').waitFor();
  await ui.page.getByRole('link', { name: 'Zoom in' }).click();
  expect(await ui.page.getByLabel('From (UTC)').inputValue()).toBe('2026-11-23T17:30');
  expect(await ui.page.getByLabel('Until (UTC)').inputValue()).toBe('2026-11-23T18:30');
  expect(await ui.busyOnlyCheckbox.isChecked()).toBe(true);
  await ui.page.goBack();
  await eventually(async () => expect(await ui.timeRange.inputValue()).toBe('24'));
  const column = ui.table.locator('.histogram rect').first();
  await column.hover();
  await ui.page.getByText('Mon 2026-11-23 10:20 UTC: 2 starts').waitFor();
  await column.click();
  expect(await ui.page.getByLabel('From (UTC)').inputValue()).toBe('2026-11-23T09:50');
});

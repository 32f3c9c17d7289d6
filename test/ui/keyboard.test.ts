/** The page without a mouse, on a phone, and in dark mode. */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { type UiPage, useLivelyScene } from './support/ui-page.ts';

const { open } = useLivelyScene();

/** The element with focus, and whether the focus is visible. */
const readFocus = ({ page }: UiPage) =>
  page.evaluate<{ readonly name: string; readonly isVisible: boolean }>(`(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const label = element.getAttribute('aria-label') ?? (element.labels?.[0]?.querySelector('span') ?? element.labels?.[0] ?? element).innerText;
    const isInView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return {
      name: label.replace(/\\s+/g, ' ').trim(),
      isVisible: isInView && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0,
    };
  })()`);

/** The elements that Tab reaches, in order, from the top of the page to its end. Each shows its focus. */
async function listTabStops(ui: UiPage): Promise<readonly string[]> {
  const names: string[] = [];
  for (;;) {
    await ui.page.keyboard.press('Tab');
    if (await ui.page.evaluate('document.activeElement === document.body')) return names;
    const { name, isVisible } = await readFocus(ui);
    names.push(name);
    expect(isVisible, name).toBe(true);
  }
}

test('Tab reaches everything from the top, and the focus is always visible', async () => {
  const ui = await open('?q=shop', { timezoneId: 'Europe/Berlin' });
  expect(await listTabStops(ui)).toEqual([
    'Skip to main content',
    'CronJobs',
    'Time zone',
    'Copy link',
    'Name or schedule',
    'Namespace',
    'Labels',
    'Earlier',
    'Time range',
    'Later',
    'Only with runs in this time range',
    '⊘ Blocked 1',
    '? Unobserved 1',
    '‖ Suspended 2',
    '▸ Running 1',
    'Zoom in to the hour around it',
    'shop/search-index',
    'shop/newsletter',
    'shop/price-sync',
    'shop/sitemap',
    'shop/stock-levels',
  ]);
});

test('the arrow keys move between rows, Enter opens a row, and Back returns to it', async () => {
  const ui = await open('?q=shop');
  await ui.link('shop/search-index').focus();
  await ui.page.keyboard.press('ArrowDown');
  await ui.page.keyboard.press('ArrowDown');
  expect((await readFocus(ui)).name).toBe('shop/price-sync');
  await ui.page.keyboard.press('ArrowUp');
  expect((await readFocus(ui)).name).toBe('shop/newsletter');
  await ui.page.keyboard.press('ArrowUp');
  await ui.page.keyboard.press('ArrowUp');
  expect((await readFocus(ui)).name).toBe('shop/search-index');
  await ui.page.keyboard.press('Enter');
  await ui.page.getByRole('heading', { level: 1, name: 'shop/search-index' }).waitFor();
  // From the main content on, not from the header of the page.
  await ui.page.keyboard.press('Tab');
  expect((await readFocus(ui)).name).toBe('← All CronJobs');
  await ui.page.goBack();
  await ui.rows.first().waitFor();
  await eventually(async () => expect((await readFocus(ui)).name).toBe('shop/search-index'));
});

test('the arrow keys keep the row in view, below the sticky header', async () => {
  const ui = await open('', { viewport: { width: 1280, height: 420 } });
  await ui.rows.getByRole('link').first().focus();
  const isInView = () =>
    ui.page.evaluate<boolean>(`(() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect();
      return top >= document.querySelector('.head').getBoundingClientRect().bottom && bottom <= innerHeight;
    })()`);
  for (const key of ['ArrowDown', 'ArrowUp']) {
    for (let index = 0; index < 14; index++) {
      await ui.page.keyboard.press(key);
      await eventually(async () => expect(await isInView()).toBe(true), { intervalMs: 10 });
    }
  }
  expect((await readFocus(ui)).name).toBe('billing/tax-report');
});

test('the space bar presses a state filter, which keeps the focus', async () => {
  const ui = await open();
  await ui.stateFilter('Paused').focus();
  await ui.page.keyboard.press('Space');
  await eventually(async () => expect(await ui.readNames()).toEqual(['data/customer-import']));
  expect((await readFocus(ui)).name).toBe('‖ Paused 1');
  await ui.page.keyboard.press('Space');
  await eventually(async () => expect(await ui.rows.count()).toBe(15));
});

test('Tab reaches everything in the details', async () => {
  const ui = await open('?cronjob=data/customer-import');
  await ui.button('Run now …').waitFor();
  const expectedStops = [
    '← All CronJobs',
    'Run now …',
    'Resume …',
    'Earlier',
    'Logs of customer-import-1795421700',
    'YAML',
  ];
  expect(await listTabStops(ui)).toEqual(expect.arrayContaining(expectedStops));
});

test('the skip link skips the header', async () => {
  const ui = await open();
  await ui.page.keyboard.press('Tab');
  await ui.page.keyboard.press('Enter');
  await ui.page.keyboard.press('Tab');
  expect((await readFocus(ui)).name).toBe('Name or schedule');
});

test.each([
  { name: 'the list', query: '' },
  {
    name: 'the list with a custom time range',
    query: '?from=2026-11-20T00:00:00Z&until=2026-11-23T00:00:00Z&zone=utc',
  },
  { name: 'the details', query: '?cronjob=data/customer-import' },
])('on a phone, $name does not scroll horizontally', async ({ query }) => {
  const ui = await open(query, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  expect(await ui.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test.each(['light', 'dark'] as const)('uses the colours of a %s colour scheme', async (colorScheme) => {
  const ui = await open('', { colorScheme });
  const [ground = 0] = await ui.page.evaluate<readonly number[]>(
    `getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)`,
  );
  expect(ground > 128).toBe(colorScheme === 'light');
});

/** The page without a mouse, on a phone, and in dark mode. */
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { livelyScene, type UiPage } from './support/ui-page.ts';

const { open } = livelyScene();

/** The element with focus, and whether the focus is visible. */
const focus = ({ page }: UiPage) =>
  page.evaluate<{ readonly name: string; readonly isSeen: boolean }>(`(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const label = element.getAttribute('aria-label') ?? (element.labels?.[0]?.querySelector('span') ?? element.labels?.[0] ?? element).innerText;
    const isInView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return {
      name: label.replace(/\\s+/g, ' ').trim(),
      isSeen: isInView && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0,
    };
  })()`);

/** The elements that Tab reaches, in order, from the top of the page to its end. Each shows its focus. */
async function tabStops(ui: UiPage): Promise<readonly string[]> {
  const names: string[] = [];
  for (;;) {
    await ui.page.keyboard.press('Tab');
    if (await ui.page.evaluate('document.activeElement === document.body')) return names;
    const { name, isSeen } = await focus(ui);
    names.push(name);
    expect(isSeen, name).toBe(true);
  }
}

test('Tab reaches everything from the top, and one sees where it is', async () => {
  const ui = await open('?q=shop', { timezoneId: 'Europe/Berlin' });
  expect(await tabStops(ui)).toEqual([
    'To the content',
    'CronJobs',
    'Zone of the times',
    'Copy link',
    'Name or schedule',
    'Namespace',
    'Labels',
    'Earlier',
    'Time that is shown',
    'Later',
    'Only with runs in this time',
    '⊘ Blocked 1',
    '? Unobserved 1',
    '‖ Suspended 2',
    '▸ Running 1',
    'Show it : the half hours before and after',
    'shop/search-index',
    'shop/newsletter',
    'shop/price-sync',
    'shop/sitemap',
    'shop/stock-levels',
  ]);
});

test('the arrows go from row to row, Enter opens, and Back returns', async () => {
  const ui = await open('?q=shop');
  await ui.link('shop/search-index').focus();
  await ui.page.keyboard.press('ArrowDown');
  await ui.page.keyboard.press('ArrowDown');
  expect((await focus(ui)).name).toBe('shop/price-sync');
  await ui.page.keyboard.press('ArrowUp');
  expect((await focus(ui)).name).toBe('shop/newsletter');
  await ui.page.keyboard.press('ArrowUp');
  await ui.page.keyboard.press('ArrowUp');
  expect((await focus(ui)).name).toBe('shop/search-index');
  await ui.page.keyboard.press('Enter');
  await ui.page.getByRole('heading', { level: 1, name: 'shop/search-index' }).waitFor();
  // From the content on, not from the head of the page.
  await ui.page.keyboard.press('Tab');
  expect((await focus(ui)).name).toBe('← All CronJobs');
  await ui.page.goBack();
  await ui.rows.first().waitFor();
  await eventually(async () => expect((await focus(ui)).name).toBe('shop/search-index'));
});

test('the arrows keep the row in view, below the head that stays', async () => {
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
  expect((await focus(ui)).name).toBe('billing/tax-report');
});

test('a chip is pressed with the space bar, and keeps the focus', async () => {
  const ui = await open();
  await ui.state('Paused').focus();
  await ui.page.keyboard.press('Space');
  await eventually(async () => expect(await ui.names()).toEqual(['data/customer-import']));
  expect((await focus(ui)).name).toBe('‖ Paused 1');
  await ui.page.keyboard.press('Space');
  await eventually(async () => expect(await ui.rows.count()).toBe(15));
});

test('Tab reaches everything of the details', async () => {
  const ui = await open('?cronjob=data/customer-import');
  await ui.button('Run now …').waitFor();
  const wanted = ['← All CronJobs', 'Run now …', 'Resume …', 'Earlier', 'Logs of customer-import-1795421700', 'YAML'];
  expect(await tabStops(ui)).toEqual(expect.arrayContaining(wanted));
});

test('the link to the content skips the head', async () => {
  const ui = await open();
  await ui.page.keyboard.press('Tab');
  await ui.page.keyboard.press('Enter');
  await ui.page.keyboard.press('Tab');
  expect((await focus(ui)).name).toBe('Name or schedule');
});

test.each([
  { name: 'the list', query: '' },
  { name: 'the list with two times', query: '?from=2026-11-20T00:00:00Z&until=2026-11-23T00:00:00Z&zone=utc' },
  { name: 'the details', query: '?cronjob=data/customer-import' },
])('on a phone, $name does not scroll to the side', async ({ query }) => {
  const ui = await open(query, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  expect(await ui.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test.each(['light', 'dark'] as const)('a %s screen gets its colours', async (colorScheme) => {
  const ui = await open('', { colorScheme });
  const [ground = 0] = await ui.page.evaluate<readonly number[]>(
    `getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)`,
  );
  expect(ground > 128).toBe(colorScheme === 'light');
});

/**
 * The page with 2,000 CronJobs. The limits are multiples of the CPU time that a fixed page takes in the same browser, so neither other work
 * nor the speed of this machine counts.
 */
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { createManyCronJobs, SCENE_NOW } from './support/lively-scene.ts';
import { storeCronJobs } from './support/stored-cron-jobs.ts';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { useUiProcess } from './support/ui-process.ts';

const COUNT = 2000;
const NAMESPACE = 'many';
/** From an empty page to the list. */
const FIRST_PAINT_LIMIT = 4;
/** From a key in the filter to the rows that match. */
const FILTER_LIMIT = 0.4;
/** For the rows that scroll into view and out of view. */
const FRAME_LIMIT = 0.2;
const MAX_ROWS = 60;

const CRON_JOBS = createManyCronJobs(COUNT, NAMESPACE);

beforeAll(() =>
  storeCronJobs({ apiServer: inject('apiServer'), etcd: inject('etcd') }, new Map([[NAMESPACE, CRON_JOBS]])),
);
const process = useUiProcess(() => inject('kubeconfig'), ['-n', NAMESPACE]);
const testBrowser = new TestBrowser();
let referenceMs = 0;
beforeAll(async () => {
  referenceMs = await measureReferenceMs();
});

/** The fixed page: 20,000 elements with text, and their layout. */
const DRAW_REFERENCE = `(() => {
  const list = document.body.appendChild(document.createElement('div'));
  for (let row = 0; row < 20_000; row++) list.appendChild(document.createElement('div')).textContent = 'row ' + row;
  return list.getBoundingClientRect().height;
})()`;

async function measureReferenceMs(): Promise<number> {
  const context = await testBrowser.context(process().origin, { now: SCENE_NOW });
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const page = await context.newPage();
    const cpu = await PageCpuTime.attach(page);
    await page.evaluate(DRAW_REFERENCE);
    times.push(await cpu.readSpentMs());
    await page.close();
  }
  console.log(`measured: ${times.map((each) => each.toFixed(1)).join(', ')} ms of CPU time for the fixed page`);
  return Math.max(...times);
}

/** In the page: waits for the frame that shows this number of rows. */
const DEFINE_DRAWN = `
  globalThis.drawn = (count) => new Promise((resolve) => {
    const check = () => requestAnimationFrame(() => {
      const [head] = document.querySelectorAll('[role=columnheader].name');
      const text = head === undefined ? '' : head.textContent.trim();
      if (!new RegExp('^' + count + ' CronJobs?$').test(text) || (count > 0 && !document.querySelector('.rows .row'))) return check();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve();
      channel.port2.postMessage(undefined);
    });
    check();
  });
`;

async function openEmptyPage(): Promise<Page> {
  const context = await testBrowser.context(process().origin, { now: SCENE_NOW });
  await context.addInitScript(DEFINE_DRAWN);
  return await context.newPage();
}

async function openFullList(): Promise<UiPage> {
  const page = await openEmptyPage();
  await page.goto(process().link);
  await page.evaluate(`drawn(${COUNT})`);
  return new UiPage(page);
}

test('draws the list within its CPU limit', async () => {
  const page = await openEmptyPage();
  const cpu = await PageCpuTime.attach(page);
  await page.goto(process().link);
  await page.evaluate(`drawn(${COUNT})`);
  const spentMs = await cpu.readSpentMs();
  console.log(`measured: ${spentMs.toFixed(1)} ms of CPU time`);
  expect(spentMs).toBeLessThanOrEqual(FIRST_PAINT_LIMIT * referenceMs);
});

test('filters within its CPU limit on each key', async () => {
  const ui = await openFullList();
  await ui.textFilter.focus();
  const cpu = await PageCpuTime.attach(ui.page);
  const text = 'backup-001';
  const keys = [...text, ...Array.from(text, () => 'Backspace')];
  const texts = keys.map((_, index) => text.slice(0, index < text.length ? index + 1 : keys.length - index - 1));
  const spentMs: number[] = [];
  for (const [index, key] of keys.entries()) {
    await cpu.readSpentMs();
    await ui.page.keyboard.press(key);
    await ui.page.evaluate(`drawn(${countMatches(texts[index] ?? '')})`);
    spentMs.push(await cpu.readSpentMs());
  }
  console.log(`measured: ${spentMs.map((each) => each.toFixed(1)).join(', ')} ms of CPU time`);
  expect(Math.max(...spentMs)).toBeLessThanOrEqual(FILTER_LIMIT * referenceMs);
});

function countMatches(text: string): number {
  return CRON_JOBS.filter(({ metadata, spec }) =>
    `${NAMESPACE}/${metadata.name} ${spec.schedule} ${spec.timeZone ?? ''}`.toLowerCase().includes(text),
  ).length;
}

interface ScrollResult {
  /** Rows by number. */
  readonly names: Readonly<Record<string, string>>;
  readonly mostRows: number;
  /** Number of frames in which a part of the window had no row. */
  readonly gaps: number;
  readonly frames: number;
}

/** CPU time of the main thread of a page, which does not depend on other work of the machine. */
class PageCpuTime {
  readonly #session: CDPSession;
  #timeMs = 0;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async attach(page: Page): Promise<PageCpuTime> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cpu = new PageCpuTime(session);
    await cpu.readSpentMs();
    return cpu;
  }

  /** Time since the last call. */
  async readSpentMs(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    const nowMs = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
    const sinceMs = nowMs - this.#timeMs;
    this.#timeMs = nowMs;
    return sinceMs;
  }
}

/** In the page: scrolls from the top to the bottom, 500 pixels per frame. */
const SCROLL_TO_END = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const names = {};
  let [mostRows, gaps, frames] = [0, 0, 0];
  scrollTo(0, 0);
  for (let y = 0; ; y += 500) {
    scrollTo(0, y);
    await frame();
    frames++;
    const rows = [...document.querySelectorAll('.rows .row')];
    mostRows = Math.max(mostRows, rows.length);
    const tops = rows.map((row) => row.getBoundingClientRect());
    const list = document.querySelector('.rows').getBoundingClientRect();
    const from = Math.max(0, list.top);
    const until = Math.min(innerHeight, list.bottom);
    if (Math.min(...tops.map(({ top }) => top)) > from + 1 || Math.max(...tops.map(({ bottom }) => bottom)) < until - 1) gaps++;
    for (const row of rows) names[row.getAttribute('aria-rowindex')] = row.querySelector('a').textContent;
    if (y > document.documentElement.scrollHeight) break;
  }
  return { names, mostRows, gaps, frames };
})()`;

test('shows every row on scrolling to the bottom, and few rows at a time', async () => {
  const ui = await openFullList();
  const cpu = await PageCpuTime.attach(ui.page);
  const { names, mostRows, gaps, frames } = await ui.page.evaluate<ScrollResult>(SCROLL_TO_END);
  const frameMs = (await cpu.readSpentMs()) / frames;
  console.log(`measured: ${frameMs.toFixed(1)} ms of CPU time for each of ${frames} frames`);
  expect(mostRows).toBeLessThanOrEqual(MAX_ROWS);
  expect(gaps).toBe(0);
  // The first row is the head.
  expect(Object.keys(names).map(Number)).toEqual(Array.from(CRON_JOBS, (_, index) => index + 2));
  expect(new Set(Object.values(names)).size).toBe(COUNT);
  expect(frameMs).toBeLessThanOrEqual(FRAME_LIMIT * referenceMs);
});

test('returns to the visible rows on Back from the details', async () => {
  const ui = await openFullList();
  await ui.page.evaluate('scrollTo(0, 30000)');
  const row = ui.rows.and(ui.page.locator('[aria-rowindex="800"]')).getByRole('link');
  await row.waitFor();
  const name = await row.textContent();
  await row.click();
  await ui.page.getByRole('heading', { level: 1, name: name ?? '' }).waitFor();
  await ui.page.goBack();
  await row.waitFor();
  expect(await row.textContent()).toBe(name);
  const isInView = `(() => { const { top } = document.activeElement.getBoundingClientRect(); return top > 0 && top < innerHeight; })()`;
  await ui.page.waitForFunction(isInView);
  expect(await ui.page.evaluate('document.activeElement.textContent')).toBe(name);
});

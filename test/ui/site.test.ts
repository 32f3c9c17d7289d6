/** The documentation site. Writes screenshots to coverage/site-screenshots for review. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from './support/accessibility.ts';
import { RELEASE, useDocumentationSite } from './support/documentation-site.ts';
import { TestBrowser, type TestBrowserOptions } from './support/test-browser.ts';

const SCREENSHOTS = resolve('coverage/site-screenshots');
mkdirSync(SCREENSHOTS, { recursive: true });
const PHONE: TestBrowserOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const WIDE: TestBrowserOptions = { viewport: { width: 1440, height: 900 } };
/** The page has the same colors on all screens, so that axe checks each color scheme on one of them. */
const SCREENS = [
  { screen: 'phone', options: PHONE, checkedScheme: 'light' },
  { screen: 'wide', options: WIDE, checkedScheme: 'dark' },
];
const VIEWED_PAGES = ['', 'install/', 'cronjob-v1/', 'book/'];

const getSite = useDocumentationSite();
const testBrowser = new TestBrowser();

async function openPage(path: string, options: TestBrowserOptions = {}): Promise<Page> {
  const { origin, home } = getSite();
  const page = await (await testBrowser.context(origin, options)).newPage();
  await page.goto(home + path);
  return page;
}

const cases = SCREENS.flatMap((screen) => VIEWED_PAGES.map((path) => ({ ...screen, path })));

test.each(cases)('"$path" fits a $screen screen, and has no violation in axe', async (viewed) => {
  const { path, screen, options, checkedScheme } = viewed;
  const page = await openPage(path, options);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForSelector(`html[data-theme=${colorScheme}]`);
    const name = `${path.replace('/', '') || 'home'}-${screen}-${colorScheme}`;
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    if (colorScheme === checkedScheme) expect(await findViolations(page)).toEqual([]);
  }
});

test('axe finds nothing on pages that together contain each kind of element, in both color schemes', async () => {
  const page = await openPage('', PHONE);
  const pages = chooseExamples(await readDocuments(page, getSite().pages));
  expect(pages).toContain(`${getSite().home}project/releasing/`);
  const violations: string[] = [];
  for (const url of pages) {
    await page.goto(url);
    await page.waitForFunction('!document.querySelector("pre.mermaid")');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForSelector(`html[data-theme=${colorScheme}]`);
      violations.push(...(await findViolations(page)).map((violation) => `${url} ${colorScheme} ${violation}`));
    }
  }
  expect(violations).toEqual([]);
});

test.each(SCREENS)('"architecture/" shows its diagrams on a $screen screen', async (viewed) => {
  const { screen, options } = viewed;
  const page = await openPage('architecture/', options);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const diagrams = page.locator(`[data-scheme=${colorScheme}] > svg`);
    await diagrams.filter({ hasText: 'kube-apiserver' }).waitFor();
    await diagrams.filter({ hasText: 'cron-parser' }).waitFor();
    await diagrams.filter({ hasText: 'decide(facts)' }).waitFor();
    await page.getByRole('document', { name: 'From kubectl apply to a Job' }).waitFor();
    for (const [index, diagram] of (await diagrams.all()).entries()) {
      await diagram.screenshot({ path: join(SCREENSHOTS, `diagram-${index + 1}-${screen}-${colorScheme}.png`) });
    }
    expect(await findViolations(page)).toEqual([]);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});

test('only a page with a diagram loads Mermaid', async () => {
  const countScripts = async (path: string) => {
    const scripts: string[] = [];
    const page = await openPage('book/');
    page.on('request', (request) => scripts.push(request.url()));
    await page.goto(getSite().home + path, { waitUntil: 'networkidle' });
    return scripts.filter((url) => /mermaid/.test(url)).length;
  };
  expect(await countScripts('architecture/')).toBeGreaterThan(0);
  expect(await countScripts('install/')).toBe(0);
});

test('every link and image leads to a file of the site, and every fragment to an element', async () => {
  const { home, files, pages } = getSite();
  const page = await openPage('');
  const documents = await readDocuments(page, pages);
  const elements = new Map(documents.map(({ url, ids }) => [url, ids]));
  const isBroken = (target: string) => {
    const [address = '', fragment] = target.split('#');
    if (fragment === undefined || fragment === '_top') return !files.includes(address);
    return !elements.get(address)?.includes(decodeURIComponent(fragment));
  };
  const broken = documents.flatMap(({ url, targets }) => targets.filter(isBroken).map((target) => `${url}: ${target}`));
  expect(pages.length).toBeGreaterThan(90);
  expect(pages).toContain(`${home}cronjob-v1/`);
  expect(broken).toEqual([]);
});

test('the search finds a page', async () => {
  const page = await openPage('');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('dialog').getByPlaceholder('Search').fill('daylight saving');
  await page.getByRole('dialog').getByRole('link', { name: 'Schedules' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
});

test('the reader can choose the dark colors, also for the next page', async () => {
  const page = await openPage('');
  const readBackground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await readBackground();
  await page.getByRole('banner').getByLabel('Select theme').selectOption('dark');
  expect(await readBackground()).not.toBe(light);
  const dark = await readBackground();
  await page.goto(`${getSite().home}install/`);
  expect(await readBackground()).toBe(dark);
});

test('the sidebar leads to another version, and the header shows the version', async () => {
  const page = await openPage('');
  for (const version of [RELEASE, 'unreleased']) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: version, exact: true }).click();
    await page.getByRole('banner').getByText(version, { exact: true }).waitFor();
    const { href } = new URL('install/', page.url());
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Installing' }).click();
    await page.getByRole('heading', { level: 1, name: 'Installing' }).waitFor();
    expect(page.url()).toBe(href);
    expect(href).toBe(`${getSite().home}${version === RELEASE ? `${RELEASE}/` : ''}install/`);
  }
});

interface SiteDocument {
  readonly url: string;
  readonly ids: readonly string[];
  /** The different elements of the text, such as `ul contains-task-list`. */
  readonly kinds: readonly string[];
  /** The addresses on this server to which the page refers. */
  readonly targets: readonly string[];
}

/** Chooses pages that have all kinds of elements, the page with most kinds first: axe needs minutes for all pages. */
function chooseExamples(documents: readonly SiteDocument[]): readonly string[] {
  const seen = new Set<string>();
  return documents
    .toSorted((a, b) => b.kinds.length - a.kinds.length)
    .filter(({ kinds }) => {
      const countBefore = seen.size;
      for (const kind of kinds) seen.add(kind);
      return seen.size > countBefore;
    })
    .map(({ url }) => url);
}

/** Parses the pages as the browser does. */
const readDocuments = (page: Page, urls: readonly string[]): Promise<readonly SiteDocument[]> =>
  page.evaluate(`Promise.all(${JSON.stringify(urls)}.map(async (url) => {
    const parsed = new DOMParser().parseFromString(await (await fetch(url)).text(), 'text/html');
    const references = [...parsed.querySelectorAll('[href], [src]')].map(
      (element) => new URL(element.getAttribute('href') ?? element.getAttribute('src'), url));
    return {
      url,
      ids: [...parsed.querySelectorAll('[id]')].map(({ id }) => id),
      kinds: [...new Set([...parsed.querySelectorAll('main *')].map(({ localName, className }) => localName + ' ' + className))],
      targets: [...new Set(references.filter(({ origin }) => origin === location.origin).map(({ href }) => href))],
    };
  }))`);

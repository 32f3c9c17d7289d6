/** The page as its user sees it: tests find every element by its role and name, as a screen reader does. */
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { inject } from 'vitest';
import { SCENE_NOW } from './lively-scene.ts';
import { TestBrowser, type TestBrowserOptions } from './test-browser.ts';
import { type UiProcess, useUiProcess } from './ui-process.ts';

/** The cells of a row of `CronJobs, worst state first`. */
interface ListedRow {
  readonly name: string;
  readonly state: string;
  readonly last: string;
  readonly next: string;
}

export interface OpenOptions extends TestBrowserOptions {
  /** Suffix of the URL of the page, such as `?zone=utc`. */
  readonly query?: string;
}

export class UiPage {
  readonly page: Page;
  readonly context: BrowserContext;

  constructor(page: Page) {
    this.page = page;
    this.context = page.context();
  }

  /** A browser that has opened the URL from the command. It closes with the test. */
  static async open(testBrowser: TestBrowser, { link, origin }: UiProcess, options: OpenOptions = {}): Promise<UiPage> {
    const { query = '', ...browserOptions } = options;
    const context = await testBrowser.context(origin, browserOptions);
    const page = await context.newPage();
    await page.goto(link);
    const ui = new UiPage(page);
    if (query !== '') await ui.openQuery(query);
    return ui;
  }

  get rows(): Locator {
    return this.table.getByRole('row').filter({ has: this.page.getByRole('rowheader') });
  }

  get table(): Locator {
    return this.page.getByRole('table', { name: 'CronJobs, worst state first' });
  }

  row(name: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name, exact: true }) });
  }

  link(name: string): Locator {
    return this.table.getByRole('link', { name, exact: true });
  }

  /** The listed names, from the top. */
  async readNames(): Promise<readonly string[]> {
    return await this.rows.getByRole('link').allInnerTexts();
  }

  async readRows(): Promise<readonly ListedRow[]> {
    const rows = await this.rows.all();
    return await Promise.all(
      rows.map(async (row) => {
        const [state = '', last = '', next = ''] = await row.getByRole('cell').allInnerTexts();
        const name = await row.getByRole('rowheader').innerText();
        return { name, state: state.replace(/^\S+\s+/, ''), last, next };
      }),
    );
  }

  get textFilter(): Locator {
    return this.page.getByLabel('Name or schedule');
  }

  get namespaceFilter(): Locator {
    return this.page.getByLabel('Namespace');
  }

  get labelsFilter(): Locator {
    return this.page.getByLabel('Labels');
  }

  get timeRange(): Locator {
    return this.page.getByLabel('Time range', { exact: true });
  }

  get busyOnlyCheckbox(): Locator {
    return this.page.getByLabel('Only with runs in this time range');
  }

  get zoneSelect(): Locator {
    return this.page.getByLabel('Time zone');
  }

  /** A state filter such as `Failed 2`. */
  stateFilter(name: string): Locator {
    return this.page.getByRole('group', { name: 'State' }).getByRole('button', { name: new RegExp(`${name} \\d+$`) });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /** The tooltips in the timeline of a row, or of the only row: a text for each bar and each mark. */
  async readTooltips(within: Locator = this.page.getByRole('main')): Promise<readonly string[]> {
    const marks = await within.locator('svg.row-timeline [data-tooltip]').all();
    return await Promise.all(marks.map(async (mark) => (await mark.getAttribute('data-tooltip')) ?? ''));
  }

  /** @param query For example `?q=backup`. */
  async openQuery(query: string): Promise<void> {
    await this.page.goto(new URL(`/${query}`, this.page.url()).href);
  }
}

/**
 * A browser for the tests of a file, and a process for the lively scene. @returns a function that opens a page there, and waits for its
 * content.
 */
export function useLivelyScene() {
  const process = useUiProcess(() => inject('sceneKubeconfig'));
  const testBrowser = new TestBrowser();
  const open = async (query = '', options: TestBrowserOptions = {}) => {
    const ui = await UiPage.open(testBrowser, process(), { now: SCENE_NOW, query, ...options });
    const { page } = ui;
    // Details have conditions once the CronJob exists; a list without rows shows the reason.
    const content = ui.rows.or(page.getByRole('heading', { name: 'Conditions' })).or(page.getByText(/^None of the /));
    await content.first().waitFor();
    return ui;
  };
  return { testBrowser, process, open };
}

/** The part of the URL after the path. */
export function getQuery({ page }: UiPage): string {
  return new URL(page.url()).search;
}

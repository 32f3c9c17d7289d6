/** Chromium, one for all tests of a file, and the actions of the tests in it. */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import './provided.ts';

/** Timeout of an assertion of Playwright, the same as for `eventually`. Milliseconds. */
const TIMEOUT_MS = 30_000;

export interface TestBrowserOptions extends BrowserContextOptions {
  /** Fixed value of `new Date()` in the page. Default: the machine's time. */
  readonly now?: Date;
  /** Whether the test controls the timers of the page: `page.clock.runFor`. Default false. */
  readonly hasOwnTimers?: boolean;
  /** Origin of another server that the page may call. */
  readonly otherOrigin?: string;
  /** Whether the test is about the content security policy of the page. Default false: a violation fails it. */
  readonly mayViolatePolicy?: boolean;
}

interface BrowserVisit {
  readonly context: BrowserContext;
  /** URLs of requests to other servers. */
  readonly foreignRequests: string[];
  readonly errors: string[];
}

export class TestBrowser {
  #browser: Browser | undefined;
  readonly #visits: BrowserVisit[] = [];

  /** Starts Chromium before the tests of the file, and checks after each test that the page called no other server and had no error. */
  constructor() {
    beforeAll(async () => {
      this.#browser = await chromium.launch({ executablePath: inject('chromium'), args: ['--no-sandbox'] });
    });
    afterEach(async () => {
      const visits = this.#visits.splice(0);
      await Promise.all(visits.map(({ context }) => context.close()));
      expect(visits.flatMap(({ foreignRequests }) => foreignRequests)).toEqual([]);
      expect(visits.flatMap(({ errors }) => errors)).toEqual([]);
    });
    afterAll(() => this.#browser?.close());
  }

  /** A new browser context: no cookie, no history. @param origin The only server that it may call. */
  async context(origin: string, allOptions: TestBrowserOptions = {}): Promise<BrowserContext> {
    const { now, otherOrigin = origin, hasOwnTimers = false, mayViolatePolicy = false, ...options } = allOptions;
    if (this.#browser === undefined) throw new Error('the browser has not started');
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 760 },
      timezoneId: 'UTC',
      locale: 'en-GB',
      colorScheme: 'light',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    const visit: BrowserVisit = { context, foreignRequests: [], errors: [] };
    this.#visits.push(visit);
    context.on('request', (request) => {
      const url = request.url();
      const isOwn = [origin, otherOrigin].some((each) => url.startsWith(`${each}/`));
      if (!isOwn && !url.startsWith('data:')) visit.foreignRequests.push(url);
    });
    context.on('weberror', (error) => visit.errors.push(String(error.error().stack ?? error.error())));
    context.on('console', (message) => {
      if (!mayViolatePolicy && /Content.Security.Policy/i.test(message.text())) visit.errors.push(message.text());
    });
    if (hasOwnTimers) await context.clock.install();
    if (now !== undefined) await context.addInitScript(stopClock, now.getTime());
    return context;
  }
}

/** Runs in the page. Timers continue. */
function stopClock(nowMs: number): void {
  const RealDate = Date;
  const stopped = { nowMs };
  globalThis.Date = class extends RealDate {
    constructor(...args: []) {
      if (args.length === 0) super(stopped.nowMs);
      else super(...args);
    }
    static override now(): number {
      return stopped.nowMs;
    }
  } as DateConstructor;
  Object.assign(globalThis, { setStoppedClock: (ms: number) => (stopped.nowMs = ms) });
}

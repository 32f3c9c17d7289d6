/** Who can open the page, and what another page in the same browser can do with its server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TestBrowser } from './support/test-browser.ts';
import { UiPage } from './support/ui-page.ts';
import { openTestScene, UiProcess } from './support/ui-process.ts';

const testBrowser = new TestBrowser();

/** `kubectl tcj ui` in a namespace with one CronJob. */
async function openScene() {
  const scene = await openTestScene();
  const created = await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'archive');
  return { scene, created, process: await UiProcess.startInScene(scene) };
}

test('the link sets a cookie that scripts cannot read, and removes its token from the address', async () => {
  const { process } = await openScene();
  const ui = await UiPage.open(testBrowser, process);
  await ui.rows.first().waitFor();
  expect(ui.page.url()).toBe(`${process.origin}/`);
  const cookies = await ui.context.cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ domain: '127.0.0.1', httpOnly: true, sameSite: 'Lax', path: '/' });
  expect(await ui.page.evaluate('document.cookie')).toBe('');
  expect(await ui.page.evaluate('history.length')).toBeLessThanOrEqual(2);
  // The cookie gives access without the link, also after a reload.
  await ui.page.reload();
  await ui.rows.first().waitFor();
});

test.each(['127.0.0.1', 'localhost'])(
  'a page of %s on another port can neither read nor change anything',
  async (host) => {
    const { process, scene, created } = await openScene();
    const ui = await UiPage.open(testBrowser, process);
    await ui.rows.first().waitFor();
    await using foreign = await startForeignServer(host);
    const path = `${process.origin}/api/cronjobs/${scene.namespace}/archive`;
    const context = await testBrowser.context(process.origin, { otherOrigin: foreign.origin });
    // The other page has the cookie, like another tab of the same browser.
    await context.addCookies(await ui.context.cookies());
    const page = await context.newPage();
    await page.goto(foreign.origin);
    const fetchFromPage = (url: string, init: object) =>
      page.evaluate(
        ([address, options]) =>
          fetch(address, { credentials: 'include', ...options }).then(
            (answer) => `${answer.type} ${answer.status}`,
            () => 'failed',
          ),
        [url, init] as const,
      );
    const about = `${process.origin}/api/about`;
    const suspend = { method: 'POST', body: JSON.stringify({ until: null }) };
    const json = { headers: { 'content-type': 'application/json' } };
    expect(await fetchFromPage(about, {})).toBe('failed');
    expect(await fetchFromPage(`${path}/suspend`, { ...suspend, ...json })).toBe('failed');
    expect(await fetchFromPage(about, { mode: 'no-cors' })).toMatch(/^(failed|opaque 0)$/);
    expect(await fetchFromPage(`${path}/suspend`, { ...suspend, mode: 'no-cors' })).toMatch(/^(failed|opaque 0)$/);
    // A browser sends a form without a permission.
    await page.setContent(`<form method="post" action="${path}/suspend" enctype="text/plain"></form>`);
    await page.evaluate('document.forms[0].submit()');
    await page.waitForURL(`${path}/suspend`);
    expect(await page.locator('body').innerText()).toContain('Only the page of this server can send requests to it.');
    // A link of it also does not reach the requests of the page.
    await page.goto(foreign.origin);
    await page.evaluate(`location.href = ${JSON.stringify(about)}`);
    await page.waitForURL(about);
    expect(await page.locator('body').innerText()).toContain('Only the page of this server can send requests to it.');
    expect((await scene.cronJob('archive')).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  },
);

test('another site cannot show the page in a frame', async () => {
  const { process } = await openScene();
  await using foreign = await startForeignServer('localhost', `<iframe src="${process.link}"></iframe>`);
  const context = await testBrowser.context(process.origin, { otherOrigin: foreign.origin, mayViolatePolicy: true });
  const page = await context.newPage();
  const violation = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(foreign.origin);
  await violation;
});

/** A page of another origin. */
async function startForeignServer(host: string, body = '<p>Hello</p>') {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>Foreign</title><body>${body}</body>`);
  });
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Who may see the page, and what another page in the same browser can do with its server. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, inject, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { Browsing } from './support/browsing.ts';
import { UiPage } from './support/ui-page.ts';
import { UiProcess } from './support/ui-process.ts';

const browsing = new Browsing();

/** `kubectl tcj ui` in a namespace with one CronJob. */
async function openScene() {
  const scene = await Scene.open();
  const created = await scene.createCronJob({ schedule: '0 3 1 1 *' }, 'archive');
  const process = await UiProcess.start(inject('kubeconfig'), ['-n', scene.namespace]);
  return {
    scene,
    process,
    created,
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

test('the link lets in, with a cookie that scripts do not see, and its token leaves the address', async () => {
  await using opened = await openScene();
  const { process } = opened;
  const ui = await UiPage.open(browsing, process);
  await ui.link('archive').or(ui.rows.getByRole('link')).first().waitFor();
  expect(ui.page.url()).toBe(`${process.origin}/`);
  const cookies = await ui.context.cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ domain: '127.0.0.1', httpOnly: true, sameSite: 'Lax', path: '/' });
  expect(await ui.page.evaluate('document.cookie')).toBe('');
  expect(await ui.page.evaluate('history.length')).toBeLessThanOrEqual(2);
  // The cookie lets in without the link, also after a reload.
  await ui.page.reload();
  await ui.rows.first().waitFor();
});

test('who comes without the link is told where it is', async () => {
  await using opened = await openScene();
  const { process } = opened;
  const context = await browsing.context(process.origin);
  const page = await context.newPage();
  for (const path of ['/', '/?token=wrong', '/app.js', '/?cronjob=a/b']) {
    const answer = await page.goto(`${process.origin}${path}`);
    expect(answer?.status()).toBe(403);
    await page.getByRole('heading', { name: 'This page needs the link that the command has printed.' }).waitFor();
    await page.getByText('Open the link that "kubectl tcj ui" has printed in the terminal').waitFor();
  }
  const answer = await page.request.get(`${process.origin}/api/about`);
  expect(answer.status()).toBe(403);
  expect(await context.cookies()).toEqual([]);
});

test('another name of this machine is refused, as a name in the DNS of somebody else would be', async () => {
  await using opened = await openScene();
  const { process } = opened;
  const answered = async (host: string) => {
    const asked = request(process.link, { headers: { host } });
    const [answer] = await once(asked.end(), 'response');
    answer.resume();
    return answer.statusCode;
  };
  const { port } = new URL(process.origin);
  expect(await answered(`127.0.0.1:${port}`)).toBe(303);
  expect(await answered(`localhost:${port}`)).toBe(303);
  expect(await answered(`evil.example:${port}`)).toBe(421);
  expect(await answered('127.0.0.1')).toBe(421);
});

test.each(['127.0.0.1', 'localhost'])(
  'a page of %s with another port reads nothing and changes nothing',
  async (host) => {
    await using opened = await openScene();
    const { process, scene, created } = opened;
    const ui = await UiPage.open(browsing, process);
    await ui.rows.first().waitFor();
    await using foreign = await foreignServer(host);
    const path = `${process.origin}/api/cronjobs/${scene.namespace}/archive`;
    const context = await browsing.context(process.origin, { alsoAsks: foreign.origin });
    // It has the cookie, as another tab of the same browser.
    await context.addCookies(await ui.context.cookies());
    const page = await context.newPage();
    await page.goto(foreign.origin);
    const fetched = (url: string, init: object) =>
      page.evaluate(
        ([address, options]) =>
          fetch(address, { credentials: 'include', ...options }).then(
            (answer) => `${answer.type} ${answer.status}`,
            () => 'failed',
          ),
        [url, init] as const,
      );
    const about = `${process.origin}/api/about`;
    expect(await fetched(about, {})).toBe('failed');
    expect(await fetched(about, { mode: 'no-cors' })).toMatch(/^(failed|opaque 0)$/);
    expect(await fetched(`${path}/yaml`, {})).toBe('failed');
    const suspend = { method: 'POST', body: JSON.stringify({ until: null }) };
    const json = { headers: { 'content-type': 'application/json' } };
    expect(await fetched(`${path}/suspend`, { ...suspend, ...json })).toBe('failed');
    expect(await fetched(`${path}/suspend`, { ...suspend, mode: 'no-cors' })).toMatch(/^(failed|opaque 0)$/);
    // A form needs no permission to be sent.
    await page.setContent(`<form method="post" action="${path}/suspend" enctype="text/plain"></form>`);
    await page.evaluate('document.forms[0].submit()');
    await page.waitForURL(`${path}/suspend`);
    expect(await page.locator('body').innerText()).toContain('Only the page of this server may ask it.');
    // Nor does a link of it lead to what only the page asks for.
    await page.goto(foreign.origin);
    await page.evaluate(`location.href = ${JSON.stringify(about)}`);
    await page.waitForURL(about);
    expect(await page.locator('body').innerText()).toContain('Only the page of this server may ask it.');
    expect((await scene.cronJob('archive')).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  },
);

test('a page of somebody else cannot show this one in a frame', async () => {
  await using opened = await openScene();
  const { process } = opened;
  await using foreign = await foreignServer('localhost', `<iframe src="${process.link}"></iframe>`);
  const context = await browsing.context(process.origin, { alsoAsks: foreign.origin, mayViolatePolicy: true });
  const page = await context.newPage();
  const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(foreign.origin);
  await refused;
});

/** Somebody else's page. */
async function foreignServer(host: string, body = '<p>Hello</p>') {
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

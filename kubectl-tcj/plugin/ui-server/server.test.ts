import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { kubeconfigNowhere } from '../../../test/support/kubeconfig-nowhere.ts';
import { openUi, type Ui, UiClient } from '../../../test/support/ui.ts';

/** Of a cluster that is not there: whoever is refused is refused before it is asked. */
async function open(...words: readonly string[]): Promise<Ui> {
  const ui = await openUi(['-n', 'default', ...words], { kubeconfig: kubeconfigNowhere() });
  onTestFinished(() => ui[Symbol.asyncDispose]());
  return ui;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const RUN = '/api/cronjobs/default/backup/run';

describe('the link', () => {
  test('is exchanged for a cookie, and its token goes out of the address', async () => {
    const { link } = await open();
    expect(link.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    const anybody = new UiClient(Number(link.port));
    const { status, headers } = await anybody.ask(`/?a=1&token=${link.searchParams.get('token')}&cronjob=default%2Fx`);
    expect({ status, location: headers.location }).toEqual({ status: 303, location: '/?a=1&cronjob=default%2Fx' });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(`^kubectl-tcj-${link.port}=[\\w-]{43}; HttpOnly; SameSite=Lax; Path=/$`),
    ]);
  });

  test.each([
    '/.//evil.example/',
    '/..//evil.example/',
    '/%2e//evil.example/',
    '/a/..//evil.example/',
    '/.//evil.example/..//b',
    '/.\\\\evil.example/',
    '/\\evil.example/',
    '/./\\evil.example/',
    '//evil.example/',
    '///evil.example/',
    '/index.html/..//evil.example',
    'http://evil.example/',
  ])('with the path %s leads to no other server', async (path) => {
    const { link } = await open();
    const { host } = link;
    const { status, headers } = await new UiClient(Number(link.port)).ask(`${path}${link.search}`);
    expect({ status, to: new URL(headers.location ?? '/', link).host }).toEqual({
      status: headers.location === undefined ? 400 : 303,
      to: host,
    });
  });

  test('works again, as for another browser', async () => {
    const { link } = await open();
    const other = await UiClient.with(link);
    expect(await other.ask('/')).toMatchObject({ status: 200 });
  });

  test('of an earlier run works only for who is in already', async () => {
    const { link, browser } = await open();
    const anybody = new UiClient(Number(link.port));
    const stale = `/?token=${'a'.repeat(43)}`;
    expect(await anybody.ask(stale)).toMatchObject({ status: 403 });
    expect(await browser.ask(stale)).toMatchObject({ status: 303 });
  });

  test('no token lets anybody ask for data', async () => {
    const { link } = await open();
    const anybody = new UiClient(Number(link.port));
    expect(await anybody.ask(`/api/about${link.search}`)).toMatchObject({ status: 403 });
  });
});

describe('without the cookie', () => {
  test.each(['/', '/index.html', '/app.js', '/nonsense', '/?token=', '/?token=x'])(
    '%s is refused, in words',
    async (path) => {
      const { link } = await open();
      const { status, headers, body } = await new UiClient(Number(link.port)).ask(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 403, type: 'text/html; charset=utf-8' });
      expect(body).toContain('Open the link that "kubectl tcj ui" has printed');
    },
  );

  test.each([
    '/api/about',
    '/api/events',
    '/api/rights?namespace=a',
    '/api/cronjobs/a/b/yaml',
    '/api/cronjobs/a/b/logs?job=c',
  ])('%s is refused, as JSON', async (path) => {
    const { link } = await open();
    const { status, body } = await new UiClient(Number(link.port)).ask(path);
    expect({ status, ...JSON.parse(body) }).toMatchObject({
      status: 403,
      change: expect.stringContaining('Open the link'),
    });
  });

  test('nothing is run', async () => {
    const { link } = await open();
    expect(await new UiClient(Number(link.port)).post(RUN, {})).toMatchObject({ status: 403 });
  });

  test.each(['', '=', 'kubectl-tcj-1=x', ';;;'])('%j is no cookie of this server', async (cookie) => {
    const { link } = await open();
    expect(await new UiClient(Number(link.port), cookie).ask('/')).toMatchObject({ status: 403 });
  });
});

/** What a page of another site would make a browser send, which has the cookie. */
const FOREIGN = [
  { of: 'a name that leads here', path: '/', headers: { host: 'evil.example' }, status: 421 },
  { of: 'another port', path: '/api/about', headers: { host: '127.0.0.1:1' }, status: 421 },
  { of: 'another origin', path: '/api/about', headers: { origin: 'https://evil.example' }, status: 403 },
  { of: 'an origin that is none', path: '/', headers: { origin: 'null' }, status: 403 },
  { of: 'another site', path: '/api/about', headers: { 'sec-fetch-site': 'cross-site' }, status: 403 },
  { of: 'another port of this machine', path: '/api/about', headers: { 'sec-fetch-site': 'same-site' }, status: 403 },
  {
    of: 'another site',
    path: RUN,
    method: 'POST',
    headers: { ...JSON_TYPE, 'sec-fetch-site': 'cross-site' },
    status: 403,
  },
  { of: 'a form', path: RUN, method: 'POST', headers: { 'content-type': 'text/plain' }, status: 415 },
  { of: 'a form without a type', path: RUN, method: 'POST', headers: {}, status: 415 },
];

describe('a request that another site makes the browser send', () => {
  test.each(FOREIGN)('$of is refused: $method $path $headers', async ({ path, method, headers, status }) => {
    const { browser } = await open();
    const answer = await browser.ask(path, { ...(method && { method, body: '{}' }), headers });
    expect(answer.status).toBe(status);
  });
});

test.each([
  { of: 'the page itself', path: '/api/about', headers: { 'sec-fetch-site': 'same-origin' } },
  { of: 'somebody who types the address', path: '/api/about', headers: { 'sec-fetch-site': 'none' } },
  { of: 'a link on another site', path: '/?cronjob=a/b', headers: { 'sec-fetch-site': 'cross-site' } },
])('$of is let in', async ({ path, headers }) => {
  const { browser } = await open();
  expect(await browser.ask(path, { headers })).toMatchObject({ status: 200 });
});

test('localhost is this machine, too', async () => {
  const { browser } = await open();
  const host = `localhost:${browser.port}`;
  expect(await browser.ask('/api/about', { headers: { host, origin: `http://${host}` } })).toMatchObject({
    status: 200,
  });
});

test('no other address of this machine is listened on', async () => {
  const { browser } = await open();
  const socket = connect(browser.port, '127.0.0.2');
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
});

describe('every answer', () => {
  test.each(['/', '/nonsense', '/api/about', '/api/nonsense', '/?token=x'])(
    '%s has the headers that browsers obey',
    async (path) => {
      const { browser } = await open();
      const { headers } = await browser.ask(path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    },
  );

  test('HEAD is as GET, without the body', async () => {
    const { browser } = await open();
    const { status, headers, body } = await browser.ask('/', { method: 'HEAD' });
    expect({ status, body, length: headers['content-length'] }).toEqual({ status: 200, body: '', length: '38' });
    expect(await browser.ask('/api/events', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('%s is not allowed', async (method) => {
    const { browser } = await open();
    const { status, headers } = await browser.ask('/api/about', { method });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, POST' });
  });
});

test.each([
  '/../package.json',
  '/%2e%2e/package.json',
  '/..%2fpackage.json',
  '/app.js/../../x',
  '/__proto__',
  '/app.js%00',
])('%s leads nowhere', async (path) => {
  const { browser } = await open();
  expect(await browser.ask(path)).toMatchObject({ status: 404 });
});

test.each(['//evil.example/', 'http://evil.example/', '*'])('the address %s cannot be read', async (path) => {
  const { browser, link } = await open();
  expect(await browser.ask(`${path}${link.search}`)).toMatchObject({ status: 400 });
});

test.each([
  ['a body that is no JSON', '{', 400],
  ['a body that is no object', '[]', 400],
  ['a body that is too long', `{"a":"${'x'.repeat(64 * 1024)}"}`, 413],
])('%s is refused', async (_what, body, status) => {
  const { browser } = await open();
  const answer = await browser.ask(RUN, { method: 'POST', headers: JSON_TYPE, body });
  expect({ status: answer.status, ...JSON.parse(answer.body) }).toMatchObject({
    status,
    message: expect.stringMatching(/\.$/),
  });
});

test.each([
  '/api/cronjobs/a/B/yaml',
  '/api/cronjobs/a/../yaml',
  '/api/cronjobs/a/b/logs?job=c,d',
  '/api/cronjobs/a/b/logs',
])('%s has no name of an object', async (path) => {
  const { browser } = await open();
  expect([400, 404]).toContain((await browser.ask(path)).status);
});

test.each(['/api/cronjobs/a/b/toString', '/api/cronjobs/a/b/run/x', '/api/about'])(
  'POST %s is nothing',
  async (path) => {
    const { browser } = await open();
    expect(await browser.post(path, {})).toMatchObject({ status: 404 });
  },
);

test('a cluster that cannot be reached is told of, with its address', async () => {
  const { browser } = await open();
  const { status, body } = await browser.ask('/api/cronjobs/default/backup/yaml');
  expect({ status, ...JSON.parse(body) }).toEqual({
    status: 502,
    message: 'The API server https://127.0.0.1:1 cannot be reached (ECONNREFUSED).',
    change: expect.stringContaining('kubeconfig'),
  });
  await using events = await browser.events('/api/events');
  await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Unreachable' }));
});

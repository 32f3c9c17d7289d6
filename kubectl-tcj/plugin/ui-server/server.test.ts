import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from 'controller-runtime/testing';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openUi, type Ui, UiClient } from '../../../test/support/ui.ts';
import { createUnreachableKubeconfig } from '../../../test/support/unreachable-kubeconfig.ts';

/** The page of a cluster that does not exist: the server refuses a request before it connects to the cluster. */
let ui: Ui;
/** A client that has not opened the link. */
let anybody: UiClient;

beforeEach(async () => {
  ui = await openUi(['-n', 'default'], { kubeconfig: createUnreachableKubeconfig() });
  onTestFinished(() => ui[Symbol.asyncDispose]());
  anybody = new UiClient(Number(ui.link.port));
});

const JSON_TYPE = { 'content-type': 'application/json' };
const RUN = '/api/cronjobs/default/backup/run';
const MANY = 64 * 1024;

describe('the link', () => {
  test('is exchanged for a cookie, and its token is removed from the address', async () => {
    const { link } = ui;
    expect(link.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    const { status, headers } = await anybody.request(
      `/?a=1&token=${link.searchParams.get('token')}&cronjob=default%2Fx`,
    );
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
  ])('redirects to no other server with the path %s', async (path) => {
    const { host, search } = ui.link;
    const { status, headers } = await anybody.request(`${path}${search}`);
    expect({ status, to: new URL(headers.location ?? '/', ui.link).host }).toEqual({
      status: headers.location === undefined ? 400 : 303,
      to: host,
    });
  });

  test('works again, for example in another browser', async () => {
    const other = await UiClient.with(ui.link);
    expect(await other.request('/')).toMatchObject({ status: 200 });
  });

  test('of an earlier start works only with the cookie', async () => {
    const stale = `/?token=${'a'.repeat(43)}`;
    expect(await anybody.request(stale)).toMatchObject({ status: 403 });
    expect(await ui.browser.request(stale)).toMatchObject({ status: 303 });
  });
});

describe('without the cookie', () => {
  test.each(['/', '/index.html', '/app.js', '/nonsense', '/?token=', '/?token=x'])(
    'refuses %s with a page',
    async (path) => {
      const { status, headers, body } = await anybody.request(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 403, type: 'text/html; charset=utf-8' });
      expect(body).toContain('Open the link that "kubectl tcj ui" printed');
    },
  );

  test.each([
    '/api/about',
    '/api/events',
    '/api/permissions?namespace=a',
    '/api/cronjobs/a/b/yaml',
    '/api/cronjobs/a/b/logs?job=c',
  ])('refuses %s with JSON, even with the token', async (path) => {
    for (const asked of [path, `${path}${path.includes('?') ? '&' : '?'}${ui.link.search.slice(1)}`]) {
      const { status, body } = await anybody.request(asked);
      expect({ status, ...JSON.parse(body) }).toMatchObject({
        status: 403,
        change: expect.stringContaining('Open the link'),
      });
    }
  });

  test('starts no run', async () => {
    expect(await anybody.post(RUN, {})).toMatchObject({ status: 403 });
  });

  test.each(['', '=', 'kubectl-tcj-1=x', ';;;'])('rejects the cookie %j', async (cookie) => {
    expect(await new UiClient(anybody.port, cookie).request('/')).toMatchObject({ status: 403 });
  });
});

const post = (headers: Readonly<Record<string, string>>, body = '{}') => ({ method: 'POST', headers, body });

describe('with the cookie', () => {
  test.each<readonly [what: string, status: number, path: string, asked: Parameters<UiClient['request']>[1]]>([
    // Requests that a page of another site would make a browser send.
    ['a name that leads here', 421, '/', { headers: { host: 'evil.example' } }],
    ['another port', 421, '/api/about', { headers: { host: '127.0.0.1:1' } }],
    ['another origin', 403, '/api/about', { headers: { origin: 'https://evil.example' } }],
    ['an origin that is none', 403, '/', { headers: { origin: 'null' } }],
    ['another site', 403, '/api/about', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['another port of this machine', 403, '/api/about', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['another site that changes', 403, RUN, post({ ...JSON_TYPE, 'sec-fetch-site': 'cross-site' })],
    ['a form', 415, RUN, post({ 'content-type': 'text/plain' })],
    ['a form without a type', 415, RUN, post({})],
    // Requests that are allowed.
    ['the page itself', 200, '/api/about', { headers: { 'sec-fetch-site': 'same-origin' } }],
    ['a user who types the address', 200, '/api/about', { headers: { 'sec-fetch-site': 'none' } }],
    ['a link on another site', 200, '/?cronjob=a/b', { headers: { 'sec-fetch-site': 'cross-site' } }],
    // Paths that do not exist.
    ['the folder above', 404, '/../package.json', {}],
    ['the folder above, escaped', 404, '/%2e%2e/package.json', {}],
    ['the folder above, half escaped', 404, '/..%2fpackage.json', {}],
    ['the folder above a file', 404, '/app.js/../../x', {}],
    ['a property of objects', 404, '/__proto__', {}],
    ['a null byte', 404, '/app.js%00', {}],
    ['a method of objects', 404, '/api/cronjobs/a/b/toString', post(JSON_TYPE)],
    ['a path below an action', 404, '/api/cronjobs/a/b/run/x', post(JSON_TYPE)],
    ['a change of what is read', 404, '/api/about', post(JSON_TYPE)],
    ['a path without its namespace', 400, '/api/cronjobs/a/../yaml', {}],
    // Invalid requests.
    ['a name with a capital', 400, '/api/cronjobs/a/B/yaml', {}],
    ['two Jobs', 400, '/api/cronjobs/a/b/logs?job=c,d', {}],
    ['no Job', 400, '/api/cronjobs/a/b/logs', {}],
    ['a body that is not JSON', 400, RUN, post(JSON_TYPE, '{')],
    ['a body that is not an object', 400, RUN, post(JSON_TYPE, '[]')],
    ['a body that is too long', 413, RUN, post(JSON_TYPE, `{"a":"${'x'.repeat(MANY)}"}`)],
  ])('answers %s with %i', async (_, status, path, asked) => {
    const answer = await ui.browser.request(path, asked);
    expect(answer.status).toBe(status);
    if (status >= 400 && path.startsWith('/api/')) expect(JSON.parse(answer.body).message).toMatch(/\.$/);
  });

  test.each(['//evil.example/', 'http://evil.example/', '*'])('rejects the address %s', async (path) => {
    expect(await ui.browser.request(`${path}${ui.link.search}`)).toMatchObject({ status: 400 });
  });

  test('accepts localhost as this machine', async () => {
    const host = `localhost:${ui.browser.port}`;
    expect(await ui.browser.request('/api/about', { headers: { host, origin: `http://${host}` } })).toMatchObject({
      status: 200,
    });
  });
});

test('listens on no other address of this machine', async () => {
  const socket = connect(ui.browser.port, '127.0.0.2');
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
});

describe('every response', () => {
  test.each(['/', '/nonsense', '/api/about', '/api/nonsense', '/?token=x'])(
    '%s has the security headers',
    async (path) => {
      const { headers } = await ui.browser.request(path);
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

  test('answers HEAD as GET, without the body', async () => {
    const { status, headers, body } = await ui.browser.request('/', { method: 'HEAD' });
    expect({ status, body, length: headers['content-length'] }).toEqual({ status: 200, body: '', length: '38' });
    expect(await ui.browser.request('/api/events', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('rejects the method %s', async (method) => {
    const { status, headers } = await ui.browser.request('/api/about', { method });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, POST' });
  });
});

test('reports an unreachable cluster with its address', async () => {
  const { browser } = ui;
  const { status, body } = await browser.request('/api/cronjobs/default/backup/yaml');
  expect({ status, ...JSON.parse(body) }).toEqual({
    status: 502,
    message: 'The API server https://127.0.0.1:1 cannot be reached (ECONNREFUSED).',
    change: expect.stringContaining('kubeconfig'),
  });
  await using events = await browser.events('/api/events');
  await eventually(() => expect(events.watch).toMatchObject({ kind: 'Broken', reason: 'Unreachable' }));
});

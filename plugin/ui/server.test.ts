import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, FakeClock } from 'controller-runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { kubeconfigNowhere } from '../../test/support/kubeconfig-nowhere.ts';
import { openUi, type Ui, UiClient } from '../../test/support/ui.ts';

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

test.each(FOREIGN)('$of is refused: $method $path $headers', async ({ path, method, headers, status }) => {
  const { browser } = await open();
  const answer = await browser.ask(path, { ...(method && { method, body: '{}' }), headers });
  expect(answer.status).toBe(status);
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

test('an event stream tells every 15 seconds that it is still there', async () => {
  const clock = new FakeClock(new Date(0));
  await using ui = await openUi(['-n', 'default'], { kubeconfig: kubeconfigNowhere(), clock });
  const socket = connect(ui.browser.port, '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const { headers } = await new UiClient(ui.browser.port).ask(`/${ui.link.search}`);
  const cookie = headers['set-cookie']?.[0]?.split(';')[0];
  socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${ui.browser.port}\r\nCookie: ${cookie}\r\n\r\n`);
  await eventually(() => expect(said).toContain('Reading'));
  expect(said).not.toContain(': still here');
  await clock.advance(15_000);
  await eventually(() => expect(said).toContain(': still here'));
  socket.destroy();
});

describe('goes on after', () => {
  test('what is no HTTP, and what is too long of it', async () => {
    const { browser } = await open();
    const said = async (sent: string) => {
      const socket = connect(browser.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.end(sent);
      return await text(socket).catch(() => 'cut');
    };
    expect(await said('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request\r\nCache-Control: no-store\r\n/);
    expect(await said(`GET /${'x'.repeat(10_000_000)} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 |^cut$/);
    expect(await said(`GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(10_000_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 |^cut$/,
    );
    expect(await said('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).not.toContain('200');
    expect(await browser.ask('/')).toMatchObject({ status: 200 });
  });

  test('a thousand connections that go away', async () => {
    const { browser } = await open();
    const sockets = Array.from({ length: 1000 }, () => connect(browser.port, '127.0.0.1'));
    await Promise.all(
      sockets.map(async (socket, index) => {
        socket.on('error', () => {});
        if (index % 3 === 0) socket.write('GET /api/events HTTP/1.1\r\nHost:');
        socket[index % 2 === 0 ? 'destroySoon' : 'resetAndDestroy']();
        if (!socket.closed) await once(socket, 'close');
      }),
    );
    expect(await browser.ask('/')).toMatchObject({ status: 200 });
  });

  test('pages that are closed in the middle', async () => {
    const { browser } = await open();
    for (let count = 0; count < 20; count++) {
      await using events = await browser.events('/api/events');
      expect(events.hasEnded).toBe(false);
    }
    expect(await browser.ask('/')).toMatchObject({ status: 200 });
  });
});

describe('the port', () => {
  test('is another one where the usual one is taken, which is said', async () => {
    await eventually(async () => {
      // Another test may have it, and give it back in between.
      const taken = createServer();
      await new Promise((resolve) => taken.once('error', resolve).listen(8427, '127.0.0.1', () => resolve(undefined)));
      const { link, terminal } = await open().finally(() => taken.close());
      expect(link.port).not.toBe('8427');
      expect(terminal.texts.err).toBe('port 8427 is taken, so links to this page are for this run only\n');
    });
  });

  test('that was asked for and is taken is an error', async () => {
    const { link } = await open();
    await expect(open('--port', link.port)).rejects.toThrow(
      `ended with 1: kubectl tcj ui: port ${link.port} is taken; give another one\n`,
    );
  });

  test('that cannot be is an error', async () => {
    await expect(open('--port', '0')).rejects.toThrow('ended with 2: kubectl tcj ui: --port: "0" is not valid');
  });
});

test('Ctrl-C ends it with success, and every stream', async () => {
  const { browser, end, terminal } = await open();
  await using events = await browser.events('/api/events');
  expect(await end()).toBe(0);
  await eventually(() => expect(events.hasEnded).toBe(true));
  await expect(browser.ask('/')).rejects.toThrow('ECONNREFUSED');
  expect(terminal.texts.out).toMatch(/^http\S+\nCtrl-C ends it\n$/);
});

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually, FakeApiServer, FakeClock, findFreePort } from 'controller-runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openUi, type Ui, UiClient } from '../../../test/support/ui.ts';
import { createUnreachableKubeconfig } from '../../../test/support/unreachable-kubeconfig.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Opens the page of a cluster that does not exist. */
async function open(...words: readonly string[]): Promise<Ui> {
  const ui = await openUi(['-n', 'default', ...words], { kubeconfig: createUnreachableKubeconfig() });
  onTestFinished(() => ui[Symbol.asyncDispose]());
  return ui;
}

test('an event stream sends a comment every 15 seconds', async () => {
  const clock = new FakeClock(new Date(0));
  await using ui = await openUi(['-n', 'default'], { kubeconfig: createUnreachableKubeconfig(), clock });
  const socket = connect(ui.browser.port, '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const { headers } = await new UiClient(ui.browser.port).request(`/${ui.link.search}`);
  const cookie = headers['set-cookie']?.[0]?.split(';')[0];
  socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${ui.browser.port}\r\nCookie: ${cookie}\r\n\r\n`);
  await eventually(() => expect(said).toContain('Reading'));
  expect(said).not.toContain(': still here');
  await clock.advance(15_000);
  await eventually(() => expect(said).toContain(': still here'));
  socket.destroy();
});

describe('continues after', () => {
  test('invalid HTTP and oversized headers', async () => {
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
    expect(await browser.request('/')).toMatchObject({ status: 200 });
  });

  test('a thousand closed connections', async () => {
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
    expect(await browser.request('/')).toMatchObject({ status: 200 });
  });

  test('pages closed during a response', async () => {
    const { browser } = await open();
    for (let count = 0; count < 20; count++) {
      await using events = await browser.events('/api/events');
      expect(events.hasEnded).toBe(false);
    }
    expect(await browser.request('/')).toMatchObject({ status: 200 });
  });
});

test('prints once that the API server is unreachable, and once that it is back', async () => {
  await using server = await FakeApiServer.start();
  const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  await using ui = await openUi(['-n', 'default'], { kubeconfig });
  await using _ = await ui.browser.events('/api/events');
  await server.watchOpened();
  await server.goDown();
  await eventually(() => expect(ui.terminal.texts.err).toMatch(/Reconnecting\.\n$/));
  await server.comeBack();
  await server.watchOpened();
  await eventually(() => expect(ui.terminal.texts.err).toMatch(/Reconnected to the API server\.\n$/));
  expect(ui.terminal.texts.err.replace(/^port .*\n/, '')).toMatch(
    /^The API server \S+ cannot be reached \(\w+\)\. Reconnecting\.\nReconnected to the API server\.\n$/,
  );
});

describe('the page reports a watch that opens and then fails', () => {
  const errorEvent = (object: object) => `${JSON.stringify({ type: 'ERROR', object })}\n`;

  async function openPage() {
    const clock = new FakeClock(new Date(0));
    const server = await FakeApiServer.start();
    onTestFinished(() => server.close());
    const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig);
    const ui = await openUi(['-n', 'default'], { kubeconfig, clock });
    onTestFinished(() => ui[Symbol.asyncDispose]());
    const failWatches = (text: string, times: number) =>
      server.fail({ verb: 'watch' }, { kind: 'text', code: 200, text, headers: JSON_TYPE }, times);
    const until = (assertion: () => void) =>
      eventually(async () => {
        await clock.advance(100);
        assertion();
      });
    return { server, ui, failWatches, until };
  }

  test.each([
    ['an error', errorEvent({ code: 500, message: 'no quorum' }), / with 500: no quorum$/],
    ['an empty error', errorEvent({}), / with 500: the API server returned 500$/],
    ['HTML', '<html>\n', /: the watch returned a line that is not JSON\.$/],
    ['no data', '', /: the watch ended before its initial events were complete\.$/],
  ])('with %s', async (_, text, message) => {
    const { ui, failWatches, until } = await openPage();
    failWatches(text, 2);
    await using events = await ui.browser.events('/api/events');
    await until(() => expect(events.watch).toMatchObject({ kind: 'Broken', message: expect.stringMatching(message) }));
    await until(() => expect(events.watch).toEqual({ kind: 'Live' }));
  });

  test('until a watch continues', async () => {
    const { server, ui, failWatches, until } = await openPage();
    await using events = await ui.browser.events('/api/events');
    await until(() => expect(events.watch).toEqual({ kind: 'Live' }));
    failWatches(errorEvent({ code: 500, message: 'no quorum' }), 3);
    server.breakWatches({ kind: 'reset' });
    await until(() => expect(events.watch).toMatchObject({ kind: 'Broken' }));
    await until(() => expect(events.watch).toEqual({ kind: 'Live' }));
    expect(server.pendingFaults).toBe(0);
    expect(ui.terminal.texts.err.match(/Reconnect.*/g)).toEqual(['Reconnecting.', 'Reconnected to the API server.']);
  });
});

describe('the port', () => {
  test('is another one, with a warning, when the default port is in use', async () => {
    await eventually(async () => {
      // Another test may have the port, and release it in between.
      const taken = createServer();
      await new Promise((resolve) => taken.once('error', resolve).listen(8427, '127.0.0.1', () => resolve(undefined)));
      const { link, terminal } = await open().finally(() => taken.close());
      expect(link.port).not.toBe('8427');
      expect(terminal.texts.err).toBe(
        'port 8427 is in use; using a free port, so links to this page work only until you stop the command\n',
      );
    });
  });

  test('from --port that is in use is an error', async () => {
    const { link } = await open();
    await expect(open('--port', link.port)).rejects.toThrow(
      `ended with 1: kubectl tcj ui: port ${link.port} is in use; use another port\n`,
    );
  });

  test('that is invalid is an error', async () => {
    await expect(open('--port', '0')).rejects.toThrow('ended with 2: kubectl tcj ui: --port: "0" is not valid');
  });
});

test('Ctrl-C ends the command with exit code 0, and every stream', async () => {
  // Another test may take the default port as soon as it is free.
  const { browser, end, terminal } = await open('--port', String(await findFreePort()));
  await using events = await browser.events('/api/events');
  expect(await end()).toBe(0);
  await eventually(() => expect(events.hasEnded).toBe(true));
  await expect(browser.request('/')).rejects.toThrow('ECONNREFUSED');
  expect(terminal.texts.out).toMatch(/^http\S+\nPress Ctrl-C to stop\.\n$/);
});

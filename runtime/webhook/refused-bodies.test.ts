import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { colorValidator, serveWebhooks, VALIDATE_PATH } from '../test-support/served-webhooks.ts';

const MIB = 1024 * 1024;
const TOO_LARGE = /^HTTP\/1\.1 413 [\s\S]*"message":"the review is larger than 7340032 bytes"/;

async function open(port: number): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket.pause();
}

function head(headers: string, { method = 'POST', path = VALIDATE_PATH, type = 'application/json' } = {}): string {
  return `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\n${headers}\r\n\r\n`;
}

/** Sends everything before it reads, as simple clients do: after a reset of the connection, the answer is lost. */
async function sendThenRead(port: number, text: string, body: Iterable<Buffer>): Promise<string> {
  const socket = await open(port);
  const broken = new Promise<never>((_, reject) => socket.once('error', reject));
  broken.catch(() => {});
  const sent = async () => {
    socket.write(text);
    for (const chunk of body) await new Promise((resolve) => socket.write(chunk, resolve));
  };
  await Promise.race([sent(), broken]);
  return await Promise.race([read(socket), broken]);
}

/** The next answer. */
function read(socket: TLSSocket): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      text = `${text}${chunk}`.replace('HTTP/1.1 100 Continue\r\n\r\n', '');
      if (!/\r\n\r\n[\s\S]/.test(text)) return;
      socket.off('data', onData).pause();
      resolve(text);
    };
    socket.on('data', onData).resume();
  });
}

function* plain(mib: number): Iterable<Buffer> {
  for (let each = 0; each < mib; each++) yield Buffer.alloc(MIB, ' ');
}

function* chunked(mib: number): Iterable<Buffer> {
  for (const chunk of plain(mib)) yield Buffer.concat([Buffer.from('100000\r\n'), chunk, Buffer.from('\r\n')]);
  yield Buffer.from('0\r\n\r\n');
}

test.each([
  ['with its length', head(`content-length: ${9 * MIB}`), () => plain(9)],
  ['of many times the limit', head(`content-length: ${64 * MIB}`), () => plain(64)],
  ['without a length', head('transfer-encoding: chunked'), () => chunked(9)],
  ['without a length, of many times the limit', head('transfer-encoding: chunked'), () => chunked(64)],
  ['that is announced', head(`content-length: ${20 * MIB}\r\nexpect: 100-continue`), () => plain(20)],
  ['without a length that is announced', head('transfer-encoding: chunked\r\nexpect: 100-continue'), () => chunked(20)],
])('returns 413 and a message for a body %s that is too large', async (_, text, body) => {
  const { server } = await serveWebhooks({ validator: colorValidator });
  const answer = await sendThenRead(await server.port, text, body());
  expect(answer).toMatch(TOO_LARGE);
  expect(server.seats).toBe(1);
});

test.each([
  ['of another type', 415, head(`content-length: ${20 * MIB}`, { type: 'text/plain' }), plain],
  ['of another method', 405, head(`content-length: ${20 * MIB}`, { method: 'PUT' }), plain],
  ['for a path without a webhook', 404, head(`content-length: ${20 * MIB}`, { path: '/nothing' }), plain],
  ['with too many values', 413, head(`content-length: ${MIB * 2}`), () => [Buffer.alloc(2 * MIB, '[1,')]],
] as const)('a large body %s gets %i', async (_, code, text, body) => {
  const { server } = await serveWebhooks({ validator: colorValidator });
  expect(await sendThenRead(await server.port, text, body(20))).toContain(`HTTP/1.1 ${code} `);
});

test('a connection stays usable after a body that is too large', async () => {
  const { server } = await serveWebhooks({ validator: colorValidator });
  const socket = await open(await server.port);
  for (let each = 0; each < 3; each++) {
    socket.write(head(`content-length: ${9 * MIB}`));
    expect(await read(socket)).toMatch(TOO_LARGE);
    for (const chunk of plain(9)) await new Promise((resolve) => socket.write(chunk, resolve));
  }
  socket.write(head('content-length: 2'));
  socket.write('{}');
  expect(await read(socket)).toContain('HTTP/1.1 400 ');
});

import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { sendText } from '../http/http-server.ts';
import { serve as serveHttp } from '../test-support/http-harness.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { type SelfSignedCertificate, selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { ClientCaFile } from './client-ca-file.ts';
import { createSelfSignedKeyPair } from './self-signed-key-pair.ts';

const API_SERVER = selfSignedCertificate('kube-apiserver');
const NEXT_API_SERVER = selfSignedCertificate('next-kube-apiserver');
const STRANGER = selfSignedCertificate('stranger');

function setUp(content: string) {
  const path = join(createTemporaryFolder(), 'ca.crt');
  writeFileSync(path, content);
  const [clock, log] = [new FakeClock(), new RecordingLogger()];
  return { path, clock, log, file: new ClientCaFile({ path, clock, log }) };
}

/** Starts a server that accepts only clients with a certificate of a CA in the file. */
async function serve(content: string) {
  const { file, ...parts } = setUp(content);
  const requests: string[] = [];
  const { port } = await serveHttp({
    handler: ({ url }, response) => {
      requests.push(url ?? '');
      sendText(response, 200, 'hello');
    },
    keyPair: { load: () => createSelfSignedKeyPair(['127.0.0.1'], new Date()) },
    clientCa: file,
    clock: parts.clock,
    log: parts.log,
  });
  const sendRequest = async (client: Partial<SelfSignedCertificate>) => {
    const request = get({ port, host: '127.0.0.1', agent: false, rejectUnauthorized: false, ...client });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  return { ...parts, asked: requests, ask: sendRequest };
}

test('a server accepts clients with a certificate of the CA, and no request of others', async () => {
  const { ask, asked } = await serve(API_SERVER.cert);
  expect(await ask(API_SERVER)).toBe(200);
  await expect(ask({})).rejects.toThrow();
  await expect(ask(STRANGER)).rejects.toThrow();
  expect(asked).toEqual(['/']);
});

test('a server reloads the file', async () => {
  const { ask, clock, path } = await serve(API_SERVER.cert);
  writeFileSync(path, `${API_SERVER.cert}\n${NEXT_API_SERVER.cert}`);
  await eventually(async () => {
    await clock.advance(10_000);
    expect([await ask(API_SERVER), await ask(NEXT_API_SERVER)]).toEqual([200, 200]);
  });
  writeFileSync(path, NEXT_API_SERVER.cert);
  await eventually(async () => {
    await clock.advance(10_000);
    await expect(ask(API_SERVER)).rejects.toThrow();
  });
  expect(await ask(NEXT_API_SERVER)).toBe(200);
});

test('logs an invalid file once, and keeps trusting the earlier CA', async () => {
  const { ask, clock, path, log } = await serve(API_SERVER.cert);
  rmSync(path);
  await eventually(async () => {
    await clock.advance(10_000);
    expect(log.errors).toHaveLength(1);
  });
  for (let look = 0; look < 3; look++) await clock.advance(10_000);
  expect(log.errors).toMatchObject([{ message: 'could not load client CA, still using the old one' }]);
  expect(await ask(API_SERVER)).toBe(200);
  await expect(ask({})).rejects.toThrow();
});

test.each([
  ['nothing: a server without a CA of its own would trust every public one', '', /contains no PEM certificate/],
  ['a key', API_SERVER.key, /contains no PEM certificate/],
  [
    'what only looks like a certificate',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    /that cannot be parsed/,
  ],
])('rejects %s', async (_, content, message) => {
  await expect(setUp(content).file.load()).rejects.toThrow(message);
});

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Client } from '../client/client.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { writeCertificate } from '../testing/self-signed-certificate.ts';
import { createMetricsServer, type MetricsSecurity } from './metrics-server.ts';

/** Accepts the token `good` and knows the token `poor`. */
const create = async (_: unknown, object: unknown) => {
  const { kind, spec } = object as { kind: string; spec: { token?: string; user?: string } };
  if (kind === 'SubjectAccessReview') return { status: { allowed: spec.user === 'good' } };
  if (spec.token === 'failing') throw new Error('socket hang up');
  return { status: { authenticated: ['good', 'poor'].includes(spec.token ?? ''), user: { username: spec.token } } };
};
const client = { create: create as unknown as Client['create'] };

async function serve(security: MetricsSecurity): Promise<number> {
  const stop = new AbortController();
  const server = createMetricsServer({
    address: { kind: 'listen', host: '127.0.0.1', port: 0 },
    security,
    metrics: { render: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }) },
    clock: new FakeClock('2030-01-01'),
    log: discardLogger,
  });
  const stopped = server.start(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await stopped;
  });
  return (await server.listening).port;
}

async function scrape(
  port: number,
  { token, path = '/metrics', method = 'GET' }: { token?: string; path?: string; method?: string } = {},
) {
  const request = httpsRequest({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    rejectUnauthorized: false,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const subject = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
  const body = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, body, subject };
}

test('serves metrics over HTTP to every client if not secure', async () => {
  const port = await serve({ kind: 'none' });
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(await response.text()).toBe('up 1\n');
});

test('serves metrics over TLS, self-signed, to allowed clients', async () => {
  const port = await serve({ kind: 'tls', client });
  expect(await scrape(port, { token: 'good' })).toMatchObject({ status: 200, body: 'up 1\n', subject: 'localhost' });
});

test.each([
  ['without a token', {}, 401],
  ['with an unknown token', { token: 'fake' }, 401],
  ['with a token that may not', { token: 'poor' }, 403],
  ['when the API server does not say', { token: 'failing' }, 500],
  ['of another path', { token: 'good', path: '/' }, 404],
  ['by another method', { token: 'good', method: 'POST' }, 405],
])('rejects a scrape %s', async (_, request, status) => {
  const port = await serve({ kind: 'tls', client });
  const answer = await scrape(port, request);
  expect(answer.status).toBe(status);
  expect(answer.body).not.toContain('up 1');
});

test('answers 429 to a flood of unknown tokens, and still serves known tokens', async () => {
  const port = await serve({ kind: 'tls', client });
  expect(await scrape(port, { token: 'good' })).toMatchObject({ status: 200 });
  const statuses: unknown[] = [];
  for (let i = 0; i < 7; i++) statuses.push((await scrape(port, { token: `unknown-${i}` })).status);
  expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429]);
  expect(await scrape(port, { token: 'newcomer' })).toMatchObject({ headers: { 'retry-after': '1' } });
  expect(await scrape(port, { token: 'good' })).toMatchObject({ status: 200 });
});

test('serves the certificate of the options', async () => {
  const certFolder = createTemporaryFolder();
  writeCertificate(certFolder);
  const port = await serve({ kind: 'tls', client, certFolder });
  expect(await scrape(port, { token: 'good' })).toMatchObject({ status: 200, subject: 'webhooks' });
});

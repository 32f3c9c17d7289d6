import { expect, test } from 'vitest';
import { serve } from '../test-support/http-harness.ts';
import { createHealthHandler, type HealthCheck, HealthChecks } from './healthz.ts';

function checks(named: Readonly<Record<string, HealthCheck>>): HealthChecks {
  const all = new HealthChecks();
  for (const [name, check] of Object.entries(named)) all.add(name, check);
  return all;
}

interface CheckSet {
  readonly healthz?: Record<string, HealthCheck>;
  readonly readyz?: Record<string, HealthCheck>;
}

/** Starts a server with the endpoints, and sends a request to it. */
async function get(path: string, { healthz = {}, readyz = {} }: CheckSet, method = 'GET'): Promise<[number, string]> {
  const { url } = await serve({ handler: createHealthHandler({ healthz: checks(healthz), readyz: checks(readyz) }) });
  const response = await fetch(new URL(path, url), { method });
  return [response.status, await response.text()];
}

const fine: HealthCheck = () => undefined;
const silent: HealthCheck = async () => 'no event for 90 s';
const broken: HealthCheck = () => {
  throw new Error('out of order');
};

test.each<[name: string, path: string, given: CheckSet, status: number, text: string]>([
  ['is ok without any checks', '/healthz', {}, 200, 'ok'],
  ['is ok with a slash at its end', '/readyz/', {}, 200, 'ok'],
  ['is ok when every check is', '/readyz', { readyz: { watch: fine, cache: async () => undefined } }, 200, 'ok'],
  [
    'lists its checks when asked to be verbose',
    '/readyz?verbose',
    { readyz: { watch: fine } },
    200,
    '[+]ping ok\n[+]watch ok\nreadyz check passed\n',
  ],
  [
    'counts a check that throws as failed',
    '/healthz',
    { healthz: { broken } },
    500,
    '[+]ping ok\n[-]broken failed: out of order\nhealthz check failed\n',
  ],
  [
    'leaves out what is excluded',
    '/readyz?verbose&exclude=watch&exclude=cache',
    { readyz: { watch: silent, cache: silent, other: fine } },
    200,
    '[+]ping ok\n[+]other ok\nreadyz check passed\n',
  ],
  ['does not ask the checks of the other one', '/healthz', { readyz: { watch: silent } }, 200, 'ok'],
  ['has a path for each check', '/readyz/watch', { readyz: { watch: fine, broken } }, 200, 'ok'],
  ['says why one fails', '/readyz/watch', { readyz: { watch: silent } }, 500, 'watch failed: no event for 90 s\n'],
  ['does not send the name back of one that is not there', '/readyz/nope', {}, 404, 'no such check\n'],
  ['is at no other path', '/', {}, 404, 'not found\n'],
  ['has nothing below a check', '/healthz/ping/more', {}, 404, 'not found\n'],
])('an endpoint %s', async (_, path, given, status, text) => {
  expect(await get(path, given)).toEqual([status, text]);
});

test('answers 500 with the reason when a check fails', async () => {
  expect(await get('/readyz', { readyz: { watch: silent, cache: fine } })).toEqual([
    500,
    '[+]ping ok\n[-]watch failed: no event for 90 s\n[+]cache ok\nreadyz check failed\n',
  ]);
});

test('rejects other methods', async () => {
  expect(await get('/healthz', {}, 'POST')).toEqual([405, 'method not allowed\n']);
  expect(await get('/healthz', {}, 'HEAD')).toEqual([200, '']);
});

test.each(['ping', '', 'a/b'])('rejects a check with the name %j', (name) => {
  expect(() => new HealthChecks().add(name, fine)).toThrow(`health check "${name}"`);
});

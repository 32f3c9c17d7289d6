import { describe, expect, test } from 'vitest';
import { serve } from '../test-support/http-scene.ts';
import { type HealthCheck, HealthChecks, healthHandler } from './healthz.ts';

function checks(named: Readonly<Record<string, HealthCheck>>): HealthChecks {
  const all = new HealthChecks();
  for (const [name, check] of Object.entries(named)) all.add(name, check);
  return all;
}

/** Asks a server of these endpoints one thing. */
async function ask(
  path: string,
  { healthz = {}, readyz = {} }: { healthz?: Record<string, HealthCheck>; readyz?: Record<string, HealthCheck> } = {},
  method = 'GET',
): Promise<[number, string]> {
  const { url } = await serve({ handler: healthHandler({ healthz: checks(healthz), readyz: checks(readyz) }) });
  const response = await fetch(new URL(path, url), { method });
  return [response.status, await response.text()];
}

const fine: HealthCheck = () => undefined;
const silent: HealthCheck = async () => 'no event for 90 s';
const broken: HealthCheck = () => {
  throw new Error('out of order');
};

describe('an endpoint', () => {
  test('is ok without any checks', async () => {
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/readyz/')).toEqual([200, 'ok']);
  });

  test('is ok when every check is', async () => {
    expect(await ask('/readyz', { readyz: { watch: fine, cache: async () => undefined } })).toEqual([200, 'ok']);
  });

  test('lists its checks when asked to be verbose', async () => {
    expect(await ask('/readyz?verbose', { readyz: { watch: fine } })).toEqual([
      200,
      '[+]ping ok\n[+]watch ok\nreadyz check passed\n',
    ]);
  });

  test('answers 500 with the reason when a check fails', async () => {
    expect(await ask('/readyz', { readyz: { watch: silent, cache: fine } })).toEqual([
      500,
      '[+]ping ok\n[-]watch failed: no event for 90 s\n[+]cache ok\nreadyz check failed\n',
    ]);
  });

  test('counts a check that throws as failed', async () => {
    expect(await ask('/healthz', { healthz: { broken } })).toEqual([
      500,
      '[+]ping ok\n[-]broken failed: out of order\nhealthz check failed\n',
    ]);
  });

  test('leaves out what is excluded', async () => {
    const readyz = { watch: silent, cache: silent, other: fine };
    expect(await ask('/readyz?verbose&exclude=watch&exclude=cache', { readyz })).toEqual([
      200,
      '[+]ping ok\n[+]other ok\nreadyz check passed\n',
    ]);
  });

  test('does not ask the checks of the other one', async () => {
    expect(await ask('/healthz', { readyz: { watch: silent } })).toEqual([200, 'ok']);
  });
});

describe('a single check', () => {
  test('has a path of its own', async () => {
    expect(await ask('/readyz/watch', { readyz: { watch: fine, broken } })).toEqual([200, 'ok']);
    expect(await ask('/readyz/watch', { readyz: { watch: silent } })).toEqual([
      500,
      'watch failed: no event for 90 s\n',
    ]);
  });

  test('that nobody added is not found, and its name is not sent back', async () => {
    expect(await ask('/readyz/nope')).toEqual([404, 'there is no such check\n']);
  });
});

test('other paths are not found', async () => {
  expect(await ask('/')).toEqual([404, 'not found\n']);
  expect(await ask('/healthz/ping/more')).toEqual([404, 'not found\n']);
});

test('other methods are not allowed', async () => {
  expect(await ask('/healthz', {}, 'POST')).toEqual([405, 'method not allowed\n']);
  expect(await ask('/healthz', {}, 'HEAD')).toEqual([200, '']);
});

test.each(['ping', '', 'a/b'])('refuses to add a check named %j', (name) => {
  expect(() => new HealthChecks().add(name, fine)).toThrow(`health check "${name}"`);
});

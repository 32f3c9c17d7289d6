import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { ScrapeAccess } from './scrape-access.ts';

const scrape = { verb: 'get', path: '/metrics' };

/** An API server that knows the tokens `good` and `poor`, and lets the user of `good` scrape. */
function reviewing() {
  const reviews: { kind: string; spec: Record<string, unknown> }[] = [];
  const failures: unknown[] = [];
  const state = { isSilent: false };
  const create = async (_: unknown, object: unknown, options?: { signal?: AbortSignal }) => {
    // A copy of just what the answers depend on.
    const { kind, spec } = object as (typeof reviews)[number];
    reviews.push({ kind, spec });
    if (failures.length > 0) throw failures.shift();
    if (state.isSilent) {
      await new Promise((_, reject) =>
        options?.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
      );
    }
    if (kind === 'SubjectAccessReview') return { status: { allowed: spec['user'] === 'prometheus' } };
    const users: Record<string, unknown> = {
      good: { username: 'prometheus', uid: 'u1', groups: ['monitoring'], extra: { pod: ['p'] } },
      poor: { username: 'nobody' },
    };
    const user = users[String(spec['token'])];
    return { status: user === undefined ? { error: 'unknown' } : { authenticated: true, user } };
  };
  const clock = new FakeClock();
  const client = { create: create as unknown as Client['create'] };
  return { access: new ScrapeAccess({ client, clock }), clock, reviews, failures, state };
}

test('lets through whom the API server lets', async () => {
  const { access, reviews } = reviewing();
  expect(await access.check('Bearer good', scrape)).toEqual({ kind: 'allowed' });
  expect(reviews).toEqual([
    { kind: 'TokenReview', spec: { token: 'good' } },
    {
      kind: 'SubjectAccessReview',
      spec: {
        user: 'prometheus',
        uid: 'u1',
        groups: ['monitoring'],
        extra: { pod: ['p'] },
        nonResourceAttributes: { path: '/metrics', verb: 'get' },
      },
    },
  ]);
});

test('forbids it to a known user without the right', async () => {
  const { access } = reviewing();
  expect(await access.check('Bearer poor', scrape)).toEqual({ kind: 'forbidden', user: 'nobody' });
});

test('does not know strangers, and asks nothing more about them', async () => {
  const { access, reviews } = reviewing();
  expect(await access.check('Bearer fake', scrape)).toEqual({ kind: 'unauthenticated' });
  expect(reviews).toHaveLength(1);
});

test.each([undefined, '', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b'])('takes %j for no token', async (header) => {
  const { access, reviews } = reviewing();
  expect(await access.check(header, scrape)).toEqual({ kind: 'unauthenticated' });
  expect(reviews).toEqual([]);
});

describe('an answer', () => {
  test.each(['good', 'poor', 'fake'])('about the token %s is remembered for a minute', async (token) => {
    const { access, clock, reviews } = reviewing();
    const first = await access.check(`Bearer ${token}`, scrape);
    const asked = reviews.length;
    await clock.advance(59_999);
    expect(await access.check(`Bearer ${token}`, scrape)).toEqual(first);
    expect(reviews).toHaveLength(asked);
    await clock.advance(1);
    await access.check(`Bearer ${token}`, scrape);
    expect(reviews).toHaveLength(2 * asked);
  });

  test('is shared by those who ask at the same time', async () => {
    const { access, reviews } = reviewing();
    await Promise.all([access.check('Bearer good', scrape), access.check('Bearer good', scrape)]);
    expect(reviews).toHaveLength(2);
  });

  test('holds for one path only', async () => {
    const { access, reviews } = reviewing();
    await access.check('Bearer good', scrape);
    await access.check('Bearer good', { verb: 'get', path: '/debug' });
    expect(reviews).toHaveLength(4);
  });

  test('is forgotten when too many others came after it', async () => {
    const { access, reviews } = reviewing();
    await access.check('Bearer good', scrape);
    for (let stranger = 0; stranger < 256; stranger++) await access.check(`Bearer ${stranger}`, scrape);
    reviews.length = 0;
    await access.check('Bearer good', scrape);
    expect(reviews).toHaveLength(2);
  });
});

describe('without an answer', () => {
  test('rejects, and asks again the next time', async () => {
    const { access, failures } = reviewing();
    failures.push(new Error('socket hang up'));
    await expect(access.check('Bearer good', scrape)).rejects.toThrow('create TokenReview');
    expect(await access.check('Bearer good', scrape)).toEqual({ kind: 'allowed' });
  });

  test('rejects after ten seconds', async () => {
    const { access, clock, state } = reviewing();
    state.isSilent = true;
    const checked = expect(access.check('Bearer good', scrape)).rejects.toThrow('not done within 10000 ms');
    await clock.advance(10_000);
    await checked;
    expect(clock.pendingTimers).toBe(0);
  });
});

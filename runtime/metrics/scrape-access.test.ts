import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ScrapeAccess } from './scrape-access.ts';

const scrape = { verb: 'get', path: '/metrics' };

/** An API server that knows the tokens `good` and `poor`, and lets the user of `good` scrape. */
function reviewing({
  audiences,
  answered,
}: {
  audiences?: readonly string[];
  answered?: readonly string[] | undefined;
} = {}) {
  const reviews: { kind: string; spec: Record<string, unknown> }[] = [];
  const failures: unknown[] = [];
  const state = { isSilent: false };
  const create = async (_: unknown, object: unknown, options?: { signal?: AbortSignal }) => {
    // A copy of only the fields that determine the answers.
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
      poor: { username: 'jane' },
    };
    const user = users[String(spec['token'])];
    return { status: user === undefined ? { error: 'unknown' } : { authenticated: true, user, audiences: answered } };
  };
  const clock = new FakeClock();
  const client = { create: create as unknown as Client['create'] };
  return {
    access: new ScrapeAccess({ client, clock, ...(audiences && { audiences }) }),
    clock,
    reviews,
    failures,
    state,
  };
}

test('allows a user that the API server allows', async () => {
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

test('forbids a known user without the permission', async () => {
  const { access } = reviewing();
  expect(await access.check('Bearer poor', scrape)).toEqual({ kind: 'forbidden', user: 'jane' });
});

test('rejects an unknown token after one review', async () => {
  const { access, reviews } = reviewing();
  expect(await access.check('Bearer fake', scrape)).toEqual({ kind: 'unauthenticated' });
  expect(reviews).toHaveLength(1);
});

test.each([undefined, '', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b'])('treats %j as no token', async (header) => {
  const { access, reviews } = reviewing();
  expect(await access.check(header, scrape)).toEqual({ kind: 'unauthenticated' });
  expect(reviews).toEqual([]);
});

describe('an answer', () => {
  test.each(['good', 'poor', 'fake'])('about the token %s is cached for a minute', async (token) => {
    const { access, clock, reviews } = reviewing();
    const first = await access.check(`Bearer ${token}`, scrape);
    const reviewCount = reviews.length;
    await clock.advance(59_999);
    expect(await access.check(`Bearer ${token}`, scrape)).toEqual(first);
    expect(reviews).toHaveLength(reviewCount);
    await clock.advance(1);
    await access.check(`Bearer ${token}`, scrape);
    expect(reviews).toHaveLength(2 * reviewCount);
  });

  test('is shared by concurrent checks', async () => {
    const { access, reviews } = reviewing();
    await Promise.all([access.check('Bearer good', scrape), access.check('Bearer good', scrape)]);
    expect(reviews).toHaveLength(2);
  });

  test('is cached per path', async () => {
    const { access, reviews } = reviewing();
    await access.check('Bearer good', scrape);
    await access.check('Bearer good', { verb: 'get', path: '/debug' });
    expect(reviews).toHaveLength(4);
  });

  test('about an allowed token stays cached during a flood, about an unknown token does not', async () => {
    const { access, clock, reviews } = reviewing();
    await access.check('Bearer good', scrape);
    await access.check('Bearer first', scrape);
    for (let stranger = 0; stranger < 280; stranger++) {
      await clock.advance(200);
      await access.check(`Bearer ${stranger}`, scrape);
    }
    reviews.length = 0;
    await access.check('Bearer good', scrape);
    expect(reviews).toEqual([]);
    await clock.advance(1000);
    await access.check('Bearer first', scrape);
    expect(reviews).toHaveLength(1);
  });
});

describe('a flood of unknown tokens', () => {
  test('causes five reviews a second, and does not affect an allowed token', async () => {
    const { access, clock, reviews } = reviewing();
    await access.check('Bearer good', scrape);
    reviews.length = 0;
    for (let second = 0; second < 120; second++) {
      await clock.advance(1000);
      const before = reviews.filter(({ spec }) => spec['token'] !== 'good' && 'token' in spec).length;
      for (let i = 0; i < 20; i++) await access.check(`Bearer ${second}-${i}`, scrape);
      const after = reviews.filter(({ spec }) => spec['token'] !== 'good' && 'token' in spec).length;
      expect(after - before).toBe(5);
      expect(await access.check('Bearer newcomer', scrape)).toEqual({ kind: 'busy' });
      expect(await access.check('Bearer good', scrape)).toEqual({ kind: 'allowed' });
    }
  });

  test('has four reviews in flight, and does not delay an allowed token', async () => {
    const { access, clock, reviews, state } = reviewing();
    await access.check('Bearer good', scrape);
    await clock.advance(60_000);
    state.isSilent = true;
    const reviewCount = Array.from({ length: 4 }, (_, i) =>
      access.check(`Bearer ${i}`, scrape).catch(() => 'no answer'),
    );
    expect(await access.check('Bearer 5', scrape)).toEqual({ kind: 'busy' });
    state.isSilent = false;
    expect(await access.check('Bearer good', scrape)).toEqual({ kind: 'allowed' });
    const count = reviews.length;
    expect(await access.check('Bearer 5', scrape)).toEqual({ kind: 'busy' });
    expect(reviews).toHaveLength(count);
    await clock.advance(10_000);
    expect(await Promise.all(reviewCount)).toEqual(Array(4).fill('no answer'));
    expect(await access.check('Bearer 5', scrape)).toEqual({ kind: 'unauthenticated' });
  });
});

describe('with an audience', () => {
  const audiences = ['metrics', 'other'];
  test.each([
    ['is let through', ['metrics'], 'allowed'],
    ['for another audience is refused', ['https://kubernetes.default.svc'], 'unauthenticated'],
    ['of an API server that knows no audiences is refused', undefined, 'unauthenticated'],
  ])('a token %s', async (_, answered, want) => {
    const { access, reviews } = reviewing({ audiences, answered });
    expect(await access.check('Bearer good', scrape)).toMatchObject({ kind: want });
    expect(reviews[0]).toEqual({ kind: 'TokenReview', spec: { token: 'good', audiences } });
  });
});

describe('without an answer', () => {
  test('rejects, and reviews again the next time', async () => {
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

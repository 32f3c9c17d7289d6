import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { RateLimiter } from './rate-limiter.ts';

const NO_OVERALL_LIMIT = { burst: Number.MAX_SAFE_INTEGER };

/** The waits of the limiter after `count` failures in a row. */
function next(limiter: RateLimiter, count: number, keyOf: (index: number) => string = () => 'a'): number[] {
  return Array.from({ length: count }, (_, index) => limiter.nextDelayMs(keyOf(index)));
}

describe('the back-off of one key', () => {
  test('doubles from 5 ms to 1000 s, as in controller-runtime', () => {
    const limiter = new RateLimiter(new FakeClock(), NO_OVERALL_LIMIT);
    expect(next(limiter, 20)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 40_960, 81_920, 163_840, 327_680, 655_360,
      1_000_000, 1_000_000,
    ]);
    expect(next(limiter, 5000).at(-1)).toBe(1_000_000);
  });

  test('does not depend on other keys', () => {
    const limiter = new RateLimiter(new FakeClock());
    next(limiter, 10);
    expect([limiter.nextDelayMs('b'), limiter.getFailureCount('a'), limiter.getFailureCount('b')]).toEqual([5, 10, 1]);
  });

  test('restarts after forget', () => {
    const limiter = new RateLimiter(new FakeClock());
    next(limiter, 10);
    limiter.forget('a');
    expect([limiter.getFailureCount('a'), limiter.nextDelayMs('a')]).toEqual([0, 5]);
  });

  test('is about a second after shortenNextDelay, if it was longer', () => {
    const limiter = new RateLimiter(new FakeClock(), NO_OVERALL_LIMIT);
    next(limiter, 3);
    limiter.shortenNextDelay('a');
    expect(limiter.nextDelayMs('a')).toBe(40);
    next(limiter, 20);
    limiter.shortenNextDelay('a');
    expect(next(limiter, 2)).toEqual([1280, 2560]);
    const slow = new RateLimiter(new FakeClock(), { ...NO_OVERALL_LIMIT, baseDelayMs: 60_000 });
    next(slow, 5);
    slow.shortenNextDelay('a');
    expect(slow.nextDelayMs('a')).toBe(60_000);
  });
});

describe('for all keys of a namespace', () => {
  const eachItsOwn = (index: number) => `key ${index}`;

  test('allows 100 retries at once, then 10 per second, as in controller-runtime', () => {
    const limiter = new RateLimiter(new FakeClock());
    expect(next(limiter, 103, eachItsOwn)).toEqual([...Array.from({ length: 100 }, () => 5), 100, 200, 300]);
  });

  test('refills up to the burst', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(clock, { burst: 3, retriesPerSecond: 10, baseDelayMs: 1 });
    expect(next(limiter, 5, eachItsOwn)).toEqual([1, 1, 1, 100, 200]);
    await clock.advance(350);
    expect(limiter.nextDelayMs('one and a half were left')).toBe(1);
    expect(limiter.nextDelayMs('half was left')).toBe(50);
    await clock.advance(3_600_000);
    expect(next(limiter, 4, eachItsOwn).filter((delayMs) => delayMs >= 100)).toEqual([100]);
  });

  test('a key waits for the longer of its back-off and the bucket', () => {
    const limiter = new RateLimiter(new FakeClock(), { burst: 1, retriesPerSecond: 10, baseDelayMs: 150 });
    expect([limiter.nextDelayMs('a'), limiter.nextDelayMs('b'), limiter.nextDelayMs('c')]).toEqual([150, 150, 200]);
  });

  test('a wall clock that is set back has no effect', () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const limiter = new RateLimiter(clock, { burst: 1, retriesPerSecond: 10, baseDelayMs: 1 });
    limiter.nextDelayMs('a');
    clock.jumpTo('2025-01-01T00:00:00Z');
    expect(limiter.nextDelayMs('b')).toBe(100);
  });

  test('failures in one namespace do not delay another', () => {
    const limiter = new RateLimiter(new FakeClock());
    next(limiter, 1000, (index) => `bad/${index}`);
    expect([limiter.nextDelayMs('good/a'), limiter.nextDelayMs('bad/one more')]).toEqual([5, 90_100]);
  });

  test('no key waits longer than the maximum back-off', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(clock);
    next(limiter, 20_000, eachItsOwn);
    expect(limiter.nextDelayMs('a')).toBe(1_000_000);
    await clock.advance(1_010_000);
    expect(limiter.nextDelayMs('b')).toBe(5);
  });
});

import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import {
  MAX_BACK_OFF_MS,
  MAX_MISSING_KIND_WAIT_MS,
  REPEATED_ERROR_INTERVAL_MS,
  WatchRetries,
} from './watch-retries.ts';

const unserved = new ApiError(404, {});
const forbidden = new ApiError(403, { message: 'pods is forbidden' });
const broken = new ApiError(500, {});
const expired = new ApiError(410, { reason: 'Expired' });
const DOUBLING = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000];

function scene(random = 0, optional = false) {
  const log = new RecordingLogger();
  const clock = new FakeClock();
  const retries = new WatchRetries({ log, clock, random: () => random, optional });
  /**
   * The waits after this many failures in a row, of a watch from a version, or of a watch that reads everything again.
   */
  const fail = (error: unknown, times = 1, from: 'version' | 'start' = 'version') =>
    Array.from({ length: times }, () =>
      retries.recordFailure({ error, resourceVersion: from === 'version' ? '7' : undefined }),
    );
  return { log, clock, retries, fail };
}

test('doubles the wait up to the limit, with jitter, and restarts after progress', () => {
  expect(scene().fail(broken, 9)).toEqual(DOUBLING);
  expect(scene(0.75).fail(broken, 9)).toEqual(DOUBLING.map((waitMs) => waitMs * 1.75));
  const { retries, fail } = scene();
  fail(broken, 9);
  retries.reset();
  expect(fail(broken, 2)).toEqual([800, 1600]);
});

test('waits as long as the server requests, and logs each wait', () => {
  const { log, fail } = scene();
  expect([...fail(broken), ...fail(new ApiError(429, {}, 7000)), ...fail(expired)]).toEqual([800, 7000, 800]);
  expect(log.records.map(({ fields }) => fields['retryAfterMs'])).toEqual([800, 7000, 800]);
});

test('does not wait for hours, which a proxy may request', () => {
  expect(scene().fail(new ApiError(503, {}, 86_400_000))).toEqual([MAX_BACK_OFF_MS]);
});

test('retries after a few seconds while the API server fills its cache of the kind, whatever Retry-After says', () => {
  const uninitialized = (seconds: number) => new ApiError(429, { reason: 'TooManyRequests' }, seconds * 1000);
  const { fail } = scene();
  fail(broken, 9);
  expect([...fail(uninitialized(14), 2, 'start'), ...fail(uninitialized(30))]).toEqual(
    Array(3).fill(MAX_MISSING_KIND_WAIT_MS),
  );
  expect(scene().fail(uninitialized(2))).toEqual([2000]);
});

test('logs a repeated failure once, and again after progress', () => {
  const { log, retries, fail } = scene();
  fail(broken, 3);
  retries.reset();
  fail(broken);
  expect(log.records.map(({ level }) => level)).toEqual(['info', 'debug', 'debug', 'info']);
});

describe.each([
  ['a kind that is not served', unserved],
  ['a kind that the manager may not watch', forbidden],
])('%s', (_, error) => {
  test('is an error in the log, once and then rarely', async () => {
    const { log, clock, fail } = scene();
    fail(error, 3);
    await clock.advance(REPEATED_ERROR_INTERVAL_MS);
    fail(error, 2);
    expect(log.records.map(({ level }) => level)).toEqual(['error', 'debug', 'debug', 'error', 'debug']);
    expect(log.errors[0]?.error).toBe(error);
  });

  test('is not an error if the kind is optional', async () => {
    const { log, clock, fail } = scene(0, true);
    fail(error, 2);
    await clock.advance(REPEATED_ERROR_INTERVAL_MS);
    fail(error);
    expect(log.records.map(({ level }) => level)).toEqual(['info', 'debug', 'debug']);
  });
});

describe('a kind that is not served', () => {
  test('is requested every few seconds, with jitter', () => {
    expect(MAX_MISSING_KIND_WAIT_MS).toBeLessThan(5000);
    expect(Math.max(...scene().fail(unserved, 40))).toBe(MAX_MISSING_KIND_WAIT_MS);
    expect(Math.max(...scene(0.75).fail(unserved, 40))).toBe(1.75 * MAX_MISSING_KIND_WAIT_MS);
  });

  test('is requested soon after an outage and soon after its CRD is installed', () => {
    const { fail } = scene();
    fail(broken, 9);
    expect(fail(unserved)).toEqual([MAX_MISSING_KIND_WAIT_MS]);
    expect(fail(new ApiError(429, { reason: 'TooManyRequests' }, 1000), 5)).toEqual(
      Array(5).fill(MAX_MISSING_KIND_WAIT_MS),
    );
  });

  test('is logged again when it is served again', () => {
    const { log, retries, fail } = scene();
    fail(unserved, 5);
    retries.recordWatchOpened();
    const lines = log.records.filter(({ level }) => level !== 'debug');
    expect(lines.map(({ level, message, fields }) => [level, message, fields['retryAfterMs']])).toEqual([
      ['error', 'the API server does not serve this kind, will retry; install its CustomResourceDefinition', 800],
      ['info', 'the API server serves this kind again', undefined],
    ]);
  });
});

describe('after an outage with long waits', () => {
  test.each([
    ['an expired version', ({ fail }: ReturnType<typeof scene>) => fail(expired)],
    [
      'a watch that breaks as soon as it is open',
      ({ retries, fail }: ReturnType<typeof scene>) => {
        retries.recordWatchOpened();
        return fail(broken);
      },
    ],
  ])('waits briefly after %s', (_, fail) => {
    const given = scene();
    given.fail(broken, 9);
    expect(fail(given)).toEqual([800]);
  });

  test('waits longer each time a watch ends immediately', () => {
    const { retries, fail } = scene();
    fail(broken, 9);
    const waits = Array.from({ length: 5 }, () => {
      retries.recordWatchOpened();
      return fail(broken)[0];
    });
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800]);
  });

  test('waits longer each time a relist gets 410', () => {
    const { fail } = scene();
    fail(broken, 9);
    expect([...fail(expired), ...fail(expired, 4, 'start')]).toEqual([800, 1600, 3200, 6400, 12_800]);
  });
});

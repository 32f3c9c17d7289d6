import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { Attempts } from './attempts.ts';

const KEY = 'default/hello';

function scene() {
  const clock = new FakeClock();
  return { clock, attempts: new Attempts<string>(clock, { baseDelayMs: 1000, maxDelayMs: 4000 }) };
}

test('a call that has not failed needs no other attempt', () => {
  const { attempts } = scene();
  expect([attempts.failure(KEY), attempts.remainingMs(KEY)]).toEqual([undefined, undefined]);
});

test('after each failure the next attempt waits longer, and as long as the server asks', async () => {
  const { clock, attempts } = scene();
  expect([attempts.failed(KEY, 'first'), attempts.failed(KEY, 'second')]).toEqual([1000, 2000]);
  await clock.advance(2000);
  expect([attempts.failure(KEY), attempts.remainingMs(KEY)]).toEqual(['second', 0]);
  expect(attempts.failed(KEY, 'third', 7000)).toBe(7000);
});

test('the end of a wait is no success', () => {
  const { attempts } = scene();
  attempts.failed(KEY, 'first');
  attempts.endWait(KEY);
  expect([attempts.failure(KEY), attempts.remainingMs(KEY)]).toEqual(['first', undefined]);
  expect(attempts.failed(KEY, 'second')).toBe(2000);
});

test('after a success the next failure is the first one', () => {
  const { attempts } = scene();
  attempts.failed(KEY, 'first');
  attempts.forget(KEY);
  expect([attempts.failure(KEY), attempts.remainingMs(KEY)]).toEqual([undefined, undefined]);
  expect(attempts.failed(KEY, 'second')).toBe(1000);
});

import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { BackOff } from './back-off.ts';

function scene() {
  const clock = new FakeClock();
  return { clock, backOff: new BackOff<string>(clock, { baseDelayMs: 1000, maxDelayMs: 3000 }) };
}

test('a key without a failure has no wait', () => {
  const { backOff } = scene();
  expect([backOff.lastFailure('a'), backOff.remainingMs('a')]).toEqual([undefined, undefined]);
});

test('each failure doubles the wait of its key, up to the limit', async () => {
  const { clock, backOff } = scene();
  const waits = ['first', 'second', 'third', 'fourth'].map((failure) => backOff.recordFailure('a', failure));
  expect(waits).toEqual([1000, 2000, 3000, 3000]);
  expect(backOff.lastFailure('a')).toBe('fourth');
  expect([backOff.lastFailure('b'), backOff.remainingMs('b')]).toEqual([undefined, undefined]);
  await clock.advance(2000);
  expect(backOff.remainingMs('a')).toBe(1000);
  await clock.advance(2000);
  expect([backOff.lastFailure('a'), backOff.remainingMs('a')]).toEqual(['fourth', 0]);
});

test('waits at least as long as the server requests', () => {
  const { backOff } = scene();
  expect(backOff.recordFailure('a', 'busy', 7000)).toBe(7000);
  expect(backOff.remainingMs('a')).toBe(7000);
});

test('after a success, the next failure counts as the first', () => {
  const { backOff } = scene();
  backOff.recordFailure('a', 'first');
  backOff.recordFailure('a', 'second');
  backOff.forget('a');
  expect([backOff.lastFailure('a'), backOff.remainingMs('a')]).toEqual([undefined, undefined]);
  expect(backOff.recordFailure('a', 'third')).toBe(1000);
});

test('the end of a wait does not reset the back-off', () => {
  const { backOff } = scene();
  backOff.recordFailure('a', 'first');
  backOff.endWait('a');
  expect([backOff.lastFailure('a'), backOff.remainingMs('a')]).toEqual(['first', undefined]);
  expect(backOff.recordFailure('a', 'second')).toBe(2000);
});

import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { BackOff } from './back-off.ts';

function scene() {
  const clock = new FakeClock();
  return { clock, backOff: new BackOff(clock, { baseDelayMs: 1000, maxDelayMs: 3000 }) };
}

test('what has not failed may be tried', () => {
  expect(scene().backOff.remainingMs('a')).toBeUndefined();
});

test('each failure doubles the wait, to the longest there is, and concerns one key', async () => {
  const { clock, backOff } = scene();
  const waits = [];
  for (let failure = 1; failure <= 4; failure++) {
    backOff.failed('a');
    waits.push(backOff.remainingMs('a'));
  }
  expect(waits).toEqual([1000, 2000, 3000, 3000]);
  expect(backOff.failures('a')).toBe(4);
  expect(backOff.remainingMs('b')).toBeUndefined();
  await clock.advance(2000);
  expect(backOff.remainingMs('a')).toBe(1000);
  await clock.advance(2000);
  expect(backOff.remainingMs('a')).toBe(0);
});

test('a wait that the server asked for is kept', () => {
  const { backOff } = scene();
  backOff.failed('a', 7000);
  expect(backOff.remainingMs('a')).toBe(7000);
});

test('what works again begins anew', () => {
  const { backOff } = scene();
  backOff.failed('a');
  backOff.failed('a');
  backOff.forget('a');
  expect([backOff.remainingMs('a'), backOff.failures('a')]).toEqual([undefined, 0]);
  backOff.failed('a');
  expect(backOff.remainingMs('a')).toBe(1000);
});

test('a wait that is lifted is over, and the next failure waits longer all the same', () => {
  const { backOff } = scene();
  backOff.failed('a');
  backOff.lift('a');
  expect([backOff.remainingMs('a'), backOff.failures('a')]).toEqual([undefined, 1]);
  backOff.failed('a');
  expect(backOff.remainingMs('a')).toBe(2000);
});

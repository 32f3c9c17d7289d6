/** Delayed starts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delayedStart, lastStartedTime, stableDelayMs } from './index.ts';
import { parseValidSchedule } from './testing/valid-schedule.ts';

const at = (text: string) => new Date(`2026-01-01T${text}Z`);

describe('a delay', () => {
  test('is the same for a key, and within its limit', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 86_400 }), (key, max) => {
        const delayMs = stableDelayMs(key, max);
        expect(delayMs).toBe(stableDelayMs(key, max));
        expect(delayMs % 1000).toBe(0);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(max * 1000);
      }),
    );
  });

  test.each([9, 59, 599, 3599])('spreads a thousand UIDs evenly over %i seconds', (max) => {
    const counts = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 1000; index++) {
      const uid = `2e5f1c3a-9d1b-4c7e-8a43-${String(index).padStart(12, '0')}`;
      const tenth = Math.floor((stableDelayMs(uid, max) / 1000 / (max + 1)) * 10);
      counts[tenth] = (counts[tenth] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(140);
  });
});

test('a start comes at least a second before the next instant', () => {
  const hourly = parseValidSchedule('0 * * * *');
  expect(delayedStart(hourly, at('01:00:00'), 90_000)).toEqual(at('01:01:30'));
  expect(delayedStart(hourly, at('01:00:00'), 7_200_000)).toEqual(at('01:59:59'));
  expect(delayedStart(parseValidSchedule('@every 1s'), at('01:00:00'), 5_000)).toEqual(at('01:00:00'));
});

test('an instant has started once its delay has passed, not earlier', () => {
  const hourly = parseValidSchedule('0 * * * *');
  const isStarted = (slot: string, now: string, delayMs: number) =>
    at(slot) <= lastStartedTime(hourly, at(now), delayMs);
  expect(isStarted('01:00:00', '01:01:29', 90_000)).toBe(false);
  expect(isStarted('01:00:00', '01:01:30', 90_000)).toBe(true);
  expect(isStarted('00:00:00', '01:00:00', 90_000)).toBe(true);
  expect(isStarted('01:00:00', '01:00:00', 0)).toBe(true);
});

test('at every time, lastStartedTime covers exactly the instants whose delayed start has passed', () => {
  const texts = fc.constantFrom('* * * * *', '*/7 * * * *', '0,1,50 * * * *', '@every 90s', '30 2 * * *', '0 0 31 2 *');
  fc.assert(
    fc.property(texts, fc.nat(86_400), fc.nat(7_200), (text, second, delay) => {
      const schedule = parseValidSchedule(text);
      const now = new Date(at('12:00:00').getTime() + second * 1000);
      const through = lastStartedTime(schedule, now, delay * 1000);
      expect(through <= now).toBe(true);
      const since = new Date(now.getTime() - 2 * 7_200_000);
      const started = schedule.between(since, now).filter((slot) => delayedStart(schedule, slot, delay * 1000) <= now);
      expect(schedule.between(since, through)).toEqual(started);
    }),
  );
});

import { parseSchedule, type Schedule } from 'kubernetes-cron-schedule';
import { expect, test } from 'vitest';
import { findUnmetSlots } from './unmet-slots.ts';

function scheduleOf(text: string): Schedule {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

const minutely = scheduleOf('* * * * *');
const now = new Date('2026-01-01T12:00:30Z');
const [noon, minuteBefore] = [new Date('2026-01-01T12:00:00Z'), new Date('2026-01-01T11:59:00Z')];

test.each([
  ['2026-01-01T12:00:00Z', { count: 0 }],
  ['2026-01-01T11:59:59Z', { newest: noon, oldest: noon, count: 1 }],
  ['2026-01-01T11:58:00Z', { newest: noon, oldest: minuteBefore, count: 2 }],
  ['2025-01-01T00:00:00Z', { newest: noon, oldest: new Date('2026-01-01T10:20:00Z'), count: 101 }],
])('above %s', (floor, want) => {
  expect(findUnmetSlots(minutely, new Date(floor), now, 101)).toEqual(want);
});

test('an uneven schedule loses no slot', () => {
  const uneven = scheduleOf('*/45 * * * *');
  const floor = new Date('2026-01-01T11:45:00Z');
  expect(findUnmetSlots(uneven, floor, noon, 101)).toEqual({ newest: noon, oldest: noon, count: 1 });
});

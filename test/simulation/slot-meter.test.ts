import { expect, test } from 'vitest';
import { parseSchedule } from '../../api/v1/schedule.ts';
import { countSlots } from './slot-meter.ts';

test.each(['* * * * *', '@every 1m'])('counts the slots of %s for the work that computes them', async (text) => {
  const [first, second] = [{ slotsComputed: 0 }, { slotsComputed: 0 }];
  const parsed = parseSchedule(text);
  if (parsed.kind !== 'ok') throw new Error('the schedule is valid');
  const now = new Date('2026-03-01T00:00:00Z');
  await countSlots(first, async () => {
    parsed.schedule.next(now);
    countSlots(second, () => parsed.schedule.previous(now));
    await Promise.resolve();
    parsed.schedule.next(now);
  });
  parsed.schedule.next(now);
  expect([first.slotsComputed, second.slotsComputed]).toEqual([2, 1]);
});

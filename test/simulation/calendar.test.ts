import { expect, test } from 'vitest';
import { readSchedule, type Slots } from './calendar.ts';

const ANCHOR = new Date('2026-03-01T00:00:30.5Z');

function slots(text: string, zone = 'UTC'): Slots {
  const reading = readSchedule(text, zone, ANCHOR);
  if (reading.kind !== 'ok') throw new Error(`${text} cannot be read`);
  return reading.slots;
}

const between = (schedule: Slots, from: string, until: string) =>
  schedule.between(new Date(from), new Date(until), { limit: 10 }).map((slot) => slot.toISOString().slice(5, 16));

test.each([
  ['0 2 * * *', 'America/New_York', ['03-07T07:00', '03-09T06:00']],
  ['30 1 * * *', 'America/New_York', ['03-07T06:30', '03-08T06:30', '03-09T05:30']],
])('in spring, what the clock of %s in %s skips does not come', (text, zone, expected) => {
  expect(between(slots(text, zone), '2026-03-07T05:00:00Z', '2026-03-09T20:00:00Z')).toEqual(expected);
});

test.each([
  ['0 2 * * *', ['11-01T07:00']],
  ['0 1 * * *', ['11-01T05:00', '11-01T06:00']],
  ['*/30 1 * * *', ['11-01T05:00', '11-01T05:30', '11-01T06:00', '11-01T06:30']],
])('in autumn, what the clock of New York shows twice comes twice: %s', (text, expected) => {
  expect(between(slots(text, 'America/New_York'), '2026-11-01T04:00:00Z', '2026-11-02T04:00:00Z')).toEqual(expected);
});

test('where day and weekday both say something, either is enough', () => {
  const schedule = slots('0 0 13 * 5');
  expect(between(schedule, '2026-03-01T00:00:00Z', '2026-03-21T00:00:00Z')).toEqual([
    '03-06T00:00',
    '03-13T00:00',
    '03-20T00:00',
  ]);
});

test('lists, ranges and steps are those of the field', () => {
  expect(between(slots('3-59/20 8,10 * * *'), '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z')).toEqual(
    ['08:03', '08:23', '08:43', '10:03', '10:23', '10:43'].map((time) => `03-01T${time}`),
  );
});

test('the next and the last slot are far away where there are few', () => {
  const leapDay = slots('0 0 29 2 *');
  expect(leapDay.next(new Date('2026-03-01T00:00:00Z'))).toEqual(new Date('2028-02-29T00:00:00Z'));
  expect(leapDay.previous(new Date('2026-03-01T00:00:00Z'))).toEqual(new Date('2024-02-29T00:00:00Z'));
  expect(leapDay.previous(new Date('2024-02-29T00:00:00Z'))).toEqual(new Date('2024-02-29T00:00:00Z'));
  expect(slots('0 0 31 2 *').next(ANCHOR)).toBeUndefined();
  expect(slots('0 0 31 2 *').previous(ANCHOR)).toBeUndefined();
});

test('@every counts whole seconds from its anchor', () => {
  const schedule = slots('@every 1h30m');
  expect(between(schedule, '2026-02-01T00:00:00Z', '2026-03-01T03:00:30Z')).toEqual(['03-01T01:30', '03-01T03:00']);
  expect(schedule.next(ANCHOR)).toEqual(new Date('2026-03-01T01:30:30Z'));
  expect(schedule.previous(new Date('2026-03-01T01:30:29Z'))).toBeUndefined();
});

test.each([
  ['61 * * * *', 'UTC', 'UnparseableSchedule'],
  ['0 0 * * 7', 'UTC', 'UnparseableSchedule'],
  ['* * * * * *', 'UTC', 'UnparseableSchedule'],
  ['hourly', 'UTC', 'UnparseableSchedule'],
  ['@every 1ms', 'UTC', 'UnparseableSchedule'],
  ['@daily', 'Europe/Atlantis', 'UnknownTimeZone'],
])('%s in %s cannot be read', (text, zone, reason) => {
  expect(readSchedule(text, zone, ANCHOR)).toEqual({ kind: 'invalid', reason });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf } from '../../plugin/report/zoned-time.ts';
import { fieldValue } from './date-field.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
] as const;

test.each([
  { name: 'in winter', text: '2026-11-23T02:00', zone: 'Europe/Berlin', want: '2026-11-23T01:00:00.000Z' },
  { name: 'in summer', text: '2026-07-01T02:00', zone: 'Europe/Berlin', want: '2026-07-01T00:00:00.000Z' },
  { name: 'the first of two', text: '2026-10-25T02:30', zone: 'Europe/Berlin', want: '2026-10-25T00:30:00.000Z' },
  { name: 'before there are two', text: '2026-10-25T01:59', zone: 'Europe/Berlin', want: '2026-10-24T23:59:00.000Z' },
  { name: 'after there were two', text: '2026-10-25T03:00', zone: 'Europe/Berlin', want: '2026-10-25T02:00:00.000Z' },
  {
    name: 'one that does not exist',
    text: '2026-03-29T02:30',
    zone: 'Europe/Berlin',
    want: '2026-03-29T01:30:00.000Z',
  },
  { name: 'before the gap', text: '2026-03-29T01:59', zone: 'Europe/Berlin', want: '2026-03-29T00:59:00.000Z' },
  { name: 'after the gap', text: '2026-03-29T03:00', zone: 'Europe/Berlin', want: '2026-03-29T01:00:00.000Z' },
  {
    name: 'west of Greenwich, the first of two',
    text: '2026-11-01T01:30',
    zone: 'America/New_York',
    want: '2026-11-01T05:30:00.000Z',
  },
  {
    name: 'half an hour of two',
    text: '2026-04-05T01:45',
    zone: 'Australia/Lord_Howe',
    want: '2026-04-04T14:45:00.000Z',
  },
])('reads $name', ({ text, zone, want }) => {
  expect(instantOf(text, zone)?.toISOString()).toBe(want);
});

test.each(['', 'tomorrow', '2026-13-01T00:00'])('%j is no time', (text) => {
  expect(instantOf(text, 'UTC')).toBeUndefined();
});

test('what a field shows is read as an instant that it shows', () => {
  const minutes = fc.integer({ min: 29_000_000, max: 32_000_000 }).map((minute) => new Date(minute * 60_000));
  fc.assert(
    fc.property(minutes, fc.constantFrom(...ZONES), (instant, zone) => {
      const text = fieldValue(instant, zone);
      const read = instantOf(text, zone);
      expect(read && fieldValue(read, zone)).toBe(text);
      // The first of two.
      expect(read?.getTime()).toBeLessThanOrEqual(instant.getTime());
    }),
  );
});

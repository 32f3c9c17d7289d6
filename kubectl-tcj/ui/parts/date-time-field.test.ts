import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLocalTime } from '../../plugin/report/time-of-day.ts';
import { formatDateTimeField } from './date-time-field.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
] as const;

test.each([
  { name: 'the first of two possible times', text: '2026-10-25T02:30', want: '2026-10-25T00:30:00.000Z' },
  { name: 'a time that does not exist', text: '2026-03-29T02:30', want: '2026-03-29T01:30:00.000Z' },
])('reads $name in Berlin', ({ text, want }) => {
  expect(parseLocalTime(text, 'Europe/Berlin')?.toISOString()).toBe(want);
});

test.each(['', 'tomorrow', '2026-13-01T00:00'])('rejects the time %j', (text) => {
  expect(parseLocalTime(text, 'UTC')).toBeUndefined();
});

test('parses the text of a field to an instant with the same text', () => {
  const minutes = fc.integer({ min: 29_000_000, max: 32_000_000 }).map((minute) => new Date(minute * 60_000));
  fc.assert(
    fc.property(minutes, fc.constantFrom(...ZONES), (instant, zone) => {
      const text = formatDateTimeField(instant, zone);
      const parsed = parseLocalTime(text, zone);
      expect(parsed && formatDateTimeField(parsed, zone)).toBe(text);
      // If a clock change repeats the local time, the field means the earlier instant.
      expect(parsed?.getTime()).toBeLessThanOrEqual(instant.getTime());
    }),
  );
});

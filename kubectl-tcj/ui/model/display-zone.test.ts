import { expect, test } from 'vitest';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { formatLocalTime } from '../../plugin/report/sentences.ts';
import { withDisplayZone } from './display-zone.ts';

const NOON = new Date('2026-01-01T12:00:00Z');

test('formats the times of sentences in the chosen zone', () => {
  const original = cronJob({ timeZone: 'Asia/Tokyo' });
  expect(formatLocalTime(original, NOON)).toBe('Thu 2026-01-01 21:00 Asia/Tokyo');
  expect(formatLocalTime(withDisplayZone(original, 'Europe/Berlin'), NOON)).toBe('Thu 2026-01-01 13:00 Europe/Berlin');
});

test('returns the same object for the same zone, and a new one for another zone', () => {
  const original = cronJob();
  const copy = withDisplayZone(original, 'Europe/Berlin');
  expect(withDisplayZone(original, 'Europe/Berlin')).toBe(copy);
  expect(withDisplayZone(original, 'UTC')).not.toBe(copy);
});

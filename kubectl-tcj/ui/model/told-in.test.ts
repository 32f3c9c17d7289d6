import { expect, test } from 'vitest';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { timeOf } from '../../plugin/report/sentences.ts';
import { toldIn } from './told-in.ts';

const NOON = new Date('2026-01-01T12:00:00Z');

test('its sentences have times in the zone that is chosen', () => {
  const given = cronJob({ timeZone: 'Asia/Tokyo' });
  expect(timeOf(given, NOON)).toBe('Thu 2026-01-01 21:00 Asia/Tokyo');
  expect(timeOf(toldIn(given, 'Europe/Berlin'), NOON)).toBe('Thu 2026-01-01 13:00 Europe/Berlin');
});

test('it stays the same object, until it is shown in another zone', () => {
  const given = cronJob();
  const told = toldIn(given, 'Europe/Berlin');
  expect(toldIn(given, 'Europe/Berlin')).toBe(told);
  expect(toldIn(given, 'UTC')).not.toBe(told);
});

import { expect, test } from 'vitest';
import { parseLatestTime, parseNextTime } from './time-of-day.ts';

const NOW = new Date('2026-11-23T16:38:10Z');

test.each([
  ['16:38', 'UTC', '2026-11-23T16:38:00Z', '2026-11-24T16:38:00Z'],
  ['16:38:10', 'UTC', '2026-11-23T16:38:10Z', '2026-11-24T16:38:10Z'],
  ['16:38:11', 'UTC', '2026-11-22T16:38:11Z', '2026-11-23T16:38:11Z'],
  ['2:00', 'Europe/Berlin', '2026-11-23T01:00:00Z', '2026-11-24T01:00:00Z'],
  ['2026-11-23 16:38', 'Europe/Berlin', '2026-11-23T15:38:00Z', '2026-11-23T15:38:00Z'],
  ['2026-11-23T16:38', 'UTC', '2026-11-23T16:38:00Z', '2026-11-23T16:38:00Z'],
  ['2026-11-23 16:38:05', 'UTC', '2026-11-23T16:38:05Z', '2026-11-23T16:38:05Z'],
  ['2026-11-23 16:38', 'Nowhere/City', '2026-11-23T16:38:00Z', '2026-11-23T16:38:00Z'],
])('%s in %s', (text, zone, latest, next) => {
  expect(parseLatestTime(text, zone, NOW)).toEqual(new Date(latest));
  expect(parseNextTime(text, zone, NOW)).toEqual(new Date(next));
});

test.each(['2am', '24:00', '2026-02-30 02:00', '2026-13-01 02:00', '2026-11-23', '2026-11-23T02:00:00Z'])(
  'rejects %s',
  (text) => {
    expect(parseLatestTime(text, 'UTC', NOW)).toBeUndefined();
    expect(parseNextTime(text, 'UTC', NOW)).toBeUndefined();
  },
);

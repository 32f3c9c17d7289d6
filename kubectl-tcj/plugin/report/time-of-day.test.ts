import { expect, test } from 'vitest';
import { describeSkippedTime, parseLatestTime, parseNextTime } from './time-of-day.ts';

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

test.each([
  [
    '2026-03-29 02:30',
    'Europe/Berlin',
    'In Europe/Berlin, 2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00.',
  ],
  [
    '2026-10-04T02:15',
    'Australia/Lord_Howe',
    'In Australia/Lord_Howe, 2026-10-04 02:15 is skipped: the clock goes from 02:00 to 02:30.',
  ],
  [
    '2026-09-06 00:00:30',
    'America/Santiago',
    'In America/Santiago, 2026-09-06 00:00 is skipped: the clock goes from 00:00 to 01:00.',
  ],
  ['2026-03-29 03:00', 'Europe/Berlin', undefined],
  ['2026-10-25 02:30', 'Europe/Berlin', undefined],
  ['2026-03-29 02:30', 'UTC', undefined],
  ['2026-03-29 02:30', 'Nowhere/City', undefined],
  ['2026-03-29T02:30:00Z', 'Europe/Berlin', undefined],
  ['02:30', 'Europe/Berlin', undefined],
])('explains that a clock change skips a local time: %s in %s', (text, zone, sentence) => {
  expect(describeSkippedTime(text, zone)).toBe(sentence);
});

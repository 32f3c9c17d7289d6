/** Our schedules against robfig/cron in Go, row by row of the golden files that the oracle writes. */
import { describe, expect, test } from 'vitest';
import { parseSchedule, type Schedule } from './index.ts';
import { FIRINGS, goldenEvery, goldenFaults, goldenHeader, goldenInstants, type Row } from './testing/golden.ts';
import { formatInZone, timeZoneOf } from './testing/schedule-of.ts';
import { shown } from './testing/shown.ts';
import { isKnownToIntl, ZoneData } from './testing/zone-data.ts';

/** Every zone's offsets are read from Intl, years of them: seconds, and minutes on a machine that does much else. */
const TIMEOUT_MS = 1_200_000;
/** Of all rows, so many may be left to a difference of zone data. */
const MAX_EXCLUDED = 0.03;
/** A search ends after five years. */
const HORIZON_SECONDS = 6 * 366 * 24 * 60 * 60;

const header = goldenHeader();
const oracle = `robfig/cron ${header.cron}, ${header.go} with tzdata ${header.tzdata}`;
const zoneData = new ZoneData();

describe(`fires when Kubernetes does (${oracle}; Node has tzdata ${process.versions['tz']})`, () => {
  test('at every instant of the golden rows', { timeout: TIMEOUT_MS }, () => {
    expectAgreement('instants', goldenInstants(), firingsOf);
  });

  test('going back meets the same instants', { timeout: TIMEOUT_MS }, () => {
    const some = goldenInstants().filter((_, index) => index % 4 === 0);
    expectAgreement('instants, backwards', some, firingsBackwards);
  });

  test('@every, from its anchor', () => {
    expectAgreement('@every', goldenEvery(), firingsOf);
    expectAgreement('@every, backwards', goldenEvery(), firingsBackwards);
  });
});

/** Where robfig breaks the rule that an instant fires when its local time matches, the rule holds here. One row for each way. */
describe("does not copy robfig's faults", () => {
  test.each<[name: string, text: string, timeZone: string, start: string, firings: readonly string[]]>([
    [
      'Pacific/Apia: the search ends across the skipped 30 December 2011',
      '1 0 31 12 *',
      'Pacific/Apia',
      '2011-12-28T23:59:59-10:00',
      ['2011-12-31T00:01:00+14:00', '2012-12-31T00:01:00+14:00'],
    ],
    [
      'Pacific/Apia: what is due on the skipped day waits a year',
      '0 0 30 12 *',
      'Pacific/Apia',
      '2011-12-01T00:00:00-10:00',
      ['2012-12-30T00:00:00+14:00'],
    ],
    [
      'Australia/Lord_Howe: a daily schedule loses no day after the half-hour change',
      '0 0 * * *',
      'Australia/Lord_Howe',
      '2010-04-04T01:00:00+11:00',
      ['2010-04-05T00:00:00+10:30', '2010-04-06T00:00:00+10:30'],
    ],
    [
      'Australia/Lord_Howe: an hourly schedule loses no half hour on the day of the change',
      '* 3 * * *',
      'Australia/Lord_Howe',
      '2010-04-04T01:30:01+10:30',
      ['2010-04-04T03:00:00+10:30', '2010-04-04T03:01:00+10:30'],
    ],
    [
      'Asia/Pyongyang: a zone that moves by half an hour loses no firing',
      '*/30 1 * * *',
      'Asia/Pyongyang',
      '2015-08-14T23:30:00+09:00',
      ['2015-08-15T01:00:00+08:30', '2015-08-15T01:30:00+08:30'],
    ],
    [
      'America/Caracas: a zone that moves by half an hour loses no day',
      '0 0 * * *',
      'America/Caracas',
      '2016-04-30T02:29:59-04:30',
      ['2016-05-01T00:00:00-04:30', '2016-05-02T00:00:00-04:00'],
    ],
    [
      'Africa/Cairo: a day without a midnight is not lost',
      '0 13 10 * *',
      'Africa/Cairo',
      '2010-09-09T23:00:00+02:00',
      ['2010-09-10T13:00:00+03:00', '2010-10-10T13:00:00+02:00'],
    ],
    [
      'America/Asuncion: a month that begins without a midnight does not end the search',
      '0 0 29 2 *',
      'America/Asuncion',
      '2013-10-05T22:59:59-04:00',
      [
        '2016-02-29T00:00:00-03:00',
        '2020-02-29T00:00:00-03:00',
        '2024-02-29T00:00:00-03:00',
        '2028-02-29T00:00:00-03:00',
      ],
    ],
    [
      'America/Havana: a month that begins without a midnight shifts no later one',
      '7 0,20 * DEC *',
      'America/Havana',
      '2012-03-27T09:37:21-05:00',
      ['2012-12-01T00:07:00-05:00'],
    ],
    [
      'America/Havana: Saturdays do not run on the Sunday that has no midnight',
      '0 9 * * 6',
      'America/Havana',
      '2016-03-12T23:00:00-05:00',
      ['2016-03-19T09:00:00-04:00'],
    ],
    [
      'America/St_Johns: a gap within an hour moves nothing into the next',
      '33 0 * * *',
      'America/St_Johns',
      '2010-03-13T23:01:00-03:30',
      ['2010-03-15T00:33:00-02:30'],
    ],
    [
      'America/St_Johns: what happens twice around midnight fires twice',
      '56 23 * * 6',
      'America/St_Johns',
      '2010-11-06T07:08:44-02:30',
      ['2010-11-06T23:56:00-02:30', '2010-11-06T23:56:00-03:30'],
    ],
    [
      'Pacific/Chatham: a firing never comes again and again',
      '46 3 * * *',
      'Pacific/Chatham',
      '2012-04-01T03:44:00+13:45',
      ['2012-04-01T03:46:00+12:45', '2012-04-02T03:46:00+12:45'],
    ],
    [
      'Antarctica/Troll: of two hours that come twice, both count',
      '*/30 2 * * *',
      'Antarctica/Troll',
      '2016-10-30T01:00:00+02:00',
      [
        '2016-10-30T02:00:00+02:00',
        '2016-10-30T02:30:00+02:00',
        '2016-10-30T02:00:00+00:00',
        '2016-10-30T02:30:00+00:00',
      ],
    ],
    [
      'Antarctica/Casey: a clock that goes back over midnight has that evening twice',
      '0 23 4 * *',
      'Antarctica/Casey',
      '2010-03-05T01:59:00+11:00',
      ['2010-03-04T23:00:00+08:00', '2010-04-04T23:00:00+08:00'],
    ],
  ])('%s', (_, text, timeZone, start, firings) => {
    const limit = firings.length;
    const got = scheduleOf({ text, timeZone, start: 0 }).between(new Date(start), new Date('2030-01-01'), { limit });
    // UTC is written as Z.
    expect(got.map((instant) => formatInZone(instant, timeZone).replace('Z', '+00:00'))).toEqual(firings);
  });

  test('in any row of which one is known', () => {
    const faults = goldenFaults();
    expect(faults.length).toBeGreaterThan(300);
    expectAgreement("robfig's faults", faults, firingsOf);
    expectAgreement("robfig's faults, backwards", faults, firingsBackwards);
  });
});

type Answer = readonly number[] | string;

/** Compares all rows, tells how many there were, and shows the first that disagree. */
function expectAgreement(name: string, rows: readonly Row[], answer: (row: Row) => Answer): void {
  const wrong = rows
    .map((row) => ({ row, got: answer(row) }))
    .filter(({ row, got }) => typeof got === 'string' || !isSame(row.firings, got));
  const excluded = wrong.filter(({ row, got }) => isZoneDataToBlame(row, got));
  console.info(
    `${name}: ${rows.length} rows, ${wrong.length - excluded.length} disagree${leftOut(excluded.map(({ row }) => row))}`,
  );
  const faults = wrong.filter((each) => !excluded.includes(each));
  expect(shown(faults.map(({ row, got }) => disagreement(row, got)))).toBe('');
  expect(excluded.length).toBeLessThanOrEqual(rows.length * MAX_EXCLUDED);
}

function scheduleOf({ text, timeZone, start }: Pick<Row, 'text' | 'timeZone' | 'start'>): Schedule {
  const parsed = parseSchedule(text, { timeZone: timeZoneOf(timeZone), anchor: instantOf(start) });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

function firingsOf(row: Row): Answer {
  const parsed = parseSchedule(row.text, { timeZone: timeZoneOf(row.timeZone), anchor: instantOf(row.start) });
  if (parsed.kind === 'invalid') return parsed.message;
  const firings: number[] = [];
  let at: Date | undefined = instantOf(row.start);
  while (at !== undefined && firings.length < FIRINGS) {
    at = parsed.schedule.next(at);
    if (at) firings.push(at.getTime() / 1000);
  }
  return firings;
}

/** The same firings, but found from behind: each from the second before the one after it. */
function firingsBackwards(row: Row): Answer {
  const parsed = parseSchedule(row.text, { timeZone: timeZoneOf(row.timeZone), anchor: instantOf(row.start) });
  if (parsed.kind === 'invalid') return parsed.message;
  const last = row.firings.at(-1);
  const firings: number[] = [];
  let at = last === undefined ? undefined : parsed.schedule.previous(instantOf(last));
  while (at !== undefined && at.getTime() > row.start * 1000) {
    firings.unshift(at.getTime() / 1000);
    at = parsed.schedule.previous(new Date(at.getTime() - 1000));
  }
  return firings;
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

function isZoneDataToBlame({ timeZone, start, firings }: Row, got: Answer): boolean {
  if (typeof got === 'string') return !isKnownToIntl(timeZone);
  const isShort = firings.length < FIRINGS || got.length < FIRINGS;
  const last = Math.max(start, ...firings, ...got);
  return zoneData.differsBetween(timeZone, start, isShort ? last + HORIZON_SECONDS : last);
}

/** Which rows were left out: zone, how many, from when on. */
function leftOut(rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const zones = Map.groupBy(rows, ({ timeZone }) => timeZone);
  const lines = [...zones].map(([timeZone, inZone]) => {
    const years = inZone.map(({ start, firings }) => instantOf(firings.at(-1) ?? start).getUTCFullYear());
    return `\n  ${timeZone}: ${inZone.length} rows, ${Math.min(...years)}-${Math.max(...years)}`;
  });
  return `; ${rows.length} more are left out, because Node's zone data differ from Go's:${lines.join('')}`;
}

function disagreement({ text, timeZone, start, firings }: Row, got: Answer): string {
  const told = typeof got === 'string' ? got : listed(got, timeZone);
  return `${JSON.stringify(text)} in ${timeZone} after ${listed([start], timeZone)}\n  want ${listed(firings, timeZone)}\n  got  ${told}`;
}

/** In the zone and in UTC. */
function listed(seconds: readonly number[], timeZone: string): string {
  if (seconds.length === 0) return 'never';
  const texts = seconds.map((at) => `${formatInZone(instantOf(at), timeZone)} (${formatInZone(instantOf(at))})`);
  return texts.join(', ') + (seconds.length > 1 && seconds.length < FIRINGS ? ', then never' : '');
}

function instantOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

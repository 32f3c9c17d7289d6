/** Compares schedules with robfig/cron in Go, row by row of the golden files that the oracle writes. */
import { describe, expect, test } from 'vitest';
import { parseSchedule } from './index.ts';
import { formatProblems } from './testing/format-problems.ts';
import {
  FIRINGS_PER_ROW,
  type FiringRow,
  readGoldenEvery,
  readGoldenFaults,
  readGoldenHeader,
  readGoldenInstants,
} from './testing/golden.ts';
import { formatInZone } from './testing/valid-schedule.ts';
import { isKnownToIntl, ZoneData } from './testing/zone-data.ts';

/** The test reads years of every zone's offsets from Intl: this takes seconds, or minutes on a busy machine. */
const TIMEOUT_MS = 1_200_000;
/** Largest share of rows that may be excluded because of different zone data. */
const MAX_EXCLUDED = 0.03;
/** A search ends after five years. */
const HORIZON_SECONDS = 6 * 366 * 24 * 60 * 60;

const header = readGoldenHeader();
const oracle = `robfig/cron ${header.cron}, ${header.go} with tzdata ${header.tzdata}`;
const zoneData = new ZoneData();

describe(`fires at the same instants as Kubernetes (${oracle}; Node has tzdata ${process.versions['tz']})`, () => {
  test('at every instant of the golden rows', { timeout: TIMEOUT_MS }, () => {
    expectAgreement('instants', readGoldenInstants(), computeFirings);
  });

  test('previous returns the same instants', { timeout: TIMEOUT_MS }, () => {
    const some = readGoldenInstants().filter((_, index) => index % 4 === 0);
    expectAgreement('instants, backwards', some, firingsBackwards);
  });

  test('@every, from its anchor', () => {
    expectAgreement('@every', readGoldenEvery(), computeFirings);
    expectAgreement('@every, backwards', readGoldenEvery(), firingsBackwards);
  });
});

/**
 * If robfig violates the rule that an instant fires when its local time matches, this package follows the rule: see
 * oracle/README.md.
 */
test("does not copy robfig's faults", () => {
  const faults = readGoldenFaults();
  expect(faults.length).toBeGreaterThan(300);
  expectAgreement("robfig's faults", faults, computeFirings);
  expectAgreement("robfig's faults, backwards", faults, firingsBackwards);
});

type Answer = readonly number[] | string;

/** Compares all rows, reports their number, and shows the first that differ. */
function expectAgreement(name: string, rows: readonly FiringRow[], answer: (row: FiringRow) => Answer): void {
  const wrong = rows
    .map((row) => ({ row, got: answer(row) }))
    .filter(({ row, got }) => typeof got === 'string' || !isSame(row.firings, got));
  const excluded = wrong.filter(({ row, got }) => isZoneDataToBlame(row, got));
  console.info(
    `${name}: ${rows.length} rows, ${wrong.length - excluded.length} disagree${leftOut(excluded.map(({ row }) => row))}`,
  );
  const faults = wrong.filter((each) => !excluded.includes(each));
  expect(formatProblems(faults.map(({ row, got }) => disagreement(row, got)))).toBe('');
  expect(excluded.length).toBeLessThanOrEqual(rows.length * MAX_EXCLUDED);
}

function computeFirings(row: FiringRow): Answer {
  const parsed = parseSchedule(row.text, { timeZone: row.timeZone, anchor: toDate(row.start) });
  if (parsed.kind === 'invalid') return parsed.message;
  const firings: number[] = [];
  let at: Date | undefined = toDate(row.start);
  while (at !== undefined && firings.length < FIRINGS_PER_ROW) {
    at = parsed.schedule.next(at);
    if (at) firings.push(at.getTime() / 1000);
  }
  return firings;
}

/** The same firings, found backwards: each from the second before the next one. */
function firingsBackwards(row: FiringRow): Answer {
  const parsed = parseSchedule(row.text, { timeZone: row.timeZone, anchor: toDate(row.start) });
  if (parsed.kind === 'invalid') return parsed.message;
  const last = row.firings.at(-1);
  const firings: number[] = [];
  let at = last === undefined ? undefined : parsed.schedule.previous(toDate(last));
  while (at !== undefined && at.getTime() > row.start * 1000) {
    firings.unshift(at.getTime() / 1000);
    at = parsed.schedule.previous(new Date(at.getTime() - 1000));
  }
  return firings;
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

function isZoneDataToBlame({ timeZone, start, firings }: FiringRow, got: Answer): boolean {
  if (typeof got === 'string') return !isKnownToIntl(timeZone);
  const isShort = firings.length < FIRINGS_PER_ROW || got.length < FIRINGS_PER_ROW;
  const last = Math.max(start, ...firings, ...got);
  return zoneData.differsBetween(timeZone, start, isShort ? last + HORIZON_SECONDS : last);
}

/** The excluded rows: zone, number, and start. */
function leftOut(rows: readonly FiringRow[]): string {
  if (rows.length === 0) return '';
  const zones = Map.groupBy(rows, ({ timeZone }) => timeZone);
  const lines = [...zones].map(([timeZone, inZone]) => {
    const years = inZone.map(({ start, firings }) => toDate(firings.at(-1) ?? start).getUTCFullYear());
    return `\n  ${timeZone}: ${inZone.length} rows, ${Math.min(...years)}-${Math.max(...years)}`;
  });
  return `; ${rows.length} more are left out, because Node's zone data differ from Go's:${lines.join('')}`;
}

function disagreement({ text, timeZone, start, firings }: FiringRow, got: Answer): string {
  const answer = typeof got === 'string' ? got : listed(got, timeZone);
  return `${JSON.stringify(text)} in ${timeZone} after ${listed([start], timeZone)}\n  want ${listed(firings, timeZone)}\n  got  ${answer}`;
}

/** In the zone and in UTC. */
function listed(seconds: readonly number[], timeZone: string): string {
  if (seconds.length === 0) return 'never';
  const texts = seconds.map((at) => `${formatInZone(toDate(at), timeZone)} (${formatInZone(toDate(at))})`);
  return texts.join(', ') + (seconds.length > 1 && seconds.length < FIRINGS_PER_ROW ? ', then never' : '');
}

function toDate(seconds: number): Date {
  return new Date(seconds * 1000);
}

/**
 * Measures how long schedules take to parse, to compute times, and to do both once in a time zone by its name, compared with cron-parser and croner.
 * Prints the table in schedule/README.md, which also has the cost of a description and the sizes of bundles, compared with cronstrue.
 *
 *     npm run bench:schedule
 *
 * All libraries get the same starts, in turn, for several rounds; the table shows medians. Fails when a bound of the project is broken.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { loadTimeZone, parseSchedule, parseScheduleOrThrow, TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { findUnmetSlots } from '../../api/v1/unmet-slots.ts';
import { computeMedian } from './performance/figures.ts';
import {
  bundleLibraries,
  type Figures,
  formatTable,
  measureFirstInZone,
  readCpuMicroseconds,
} from './schedule-figures.ts';

const SCHEDULES = ['*/5 * * * *', '0 0 * * *', '30 6 1,15 * 1-5', '0 0 29 2 *'];
const ZONES = ['UTC', 'America/New_York'];
const ROUNDS = 7;
/** Minimum CPU time of one measurement, which repeats its work. */
const MIN_MICROSECONDS = 15_000;
/** Number of calls between two clock reads, so that the reads do not affect the result. */
const CALLS_PER_CLOCK_READ = 50;
const YEAR_MS = 365 * 86_400_000;
const MIN_CRON_PARSER_TO_NEXT = 10;
/** Maximum ratio of the duration of a parse to the duration in cron-parser. */
const MAX_PARSE_TO_CRON_PARSER = 3;
/** All libraries except cron-parser have loaded the time zone before, and parsing takes most of their time. */
const MAX_FIRST_TO_CRON_PARSER = 3;
const MAX_NEXTS_FOR_NEWEST = 25;

const CALLS = ['next', 'parse', 'first'] as const;

const FIRST_START_MS = Date.UTC(2024, 0, 1);
const SPAN_OF_STARTS_MS = Date.UTC(2031, 0, 1) - FIRST_START_MS;
const START_COUNT = 1000;
/** Coprime with the count: a library that is too slow for all starts in a round gets some from every year. */
const START_STRIDE = 617;
const STARTS = Array.from({ length: START_COUNT }, (_, index) => {
  const share = (((index * START_STRIDE) % START_COUNT) + 0.5) / START_COUNT;
  return new Date(FIRST_START_MS + Math.floor((share * SPAN_OF_STARTS_MS) / 1000) * 1000);
});

/** Spares cron-parser the read of the clock in the zone, which takes most of its parse time. */
const SOME_DATE = new Date(FIRST_START_MS);

/** The measured operations of a library, each call with another start or another spelling. */
type LibraryCalls = Readonly<Record<(typeof CALLS)[number], () => unknown>>;

interface ScheduleCase {
  readonly schedule: string;
  readonly timeZone: string;
}

async function main(): Promise<void> {
  // Before all other measurements, because each time zone is loaded once.
  const zone = measureFirstInZone(
    FIRST_CALLS,
    TIME_ZONE_NAMES.filter((name) => /^(?:America|Asia|Europe)\/\w+$/.test(name)),
  );
  const rows = ZONES.flatMap((timeZone) => SCHEDULES.map((schedule) => ({ schedule, timeZone })));
  const subjects = rows.map(createLibraries);
  const medians: Record<string, Readonly<Record<string, readonly number[]>>> = {};
  const brokenBounds = CALLS.flatMap((call) => {
    const rounds = Array.from({ length: ROUNDS + 1 }, () => subjects.map((each) => measure(each, call)));
    const times = rows.map((_, row) => computeMedians(rounds.slice(1).map((round) => round[row] ?? {})));
    medians[call] = collectByLibrary(times);
    console.log(`µs per ${call}`);
    console.table(Object.fromEntries(rows.map((row, index) => [`${row.schedule} ${row.timeZone}`, times[index]])));
    return rows.flatMap((row, index) => checkBound(row, call, times[index] ?? {}));
  });
  const newest = measureNewest();
  console.log(
    `the newest of a year of missed minutes costs ${newest.toFixed(1)} nexts, at most ${MAX_NEXTS_FOR_NEWEST}`,
  );
  if (newest > MAX_NEXTS_FOR_NEWEST) brokenBounds.push('the newest of a year of missed minutes costs too much');
  const home = mkdtempSync(join(tmpdir(), 'bench-schedule-'));
  try {
    const { describeWithCronstrue, nodeSize, ...sizes } = await bundleLibraries(home);
    const describe = collectByLibrary(SCHEDULES.map((schedule) => measureDescription(schedule, describeWithCronstrue)));
    const figures: Figures = { ...medians, zone, describe, ...sizes };
    console.log(`\nschedule/README.md, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}:\n`);
    console.log(formatTable(figures));
    console.log(`A bundle for Node has ${Math.round(nodeSize)} KB.`);
  } finally {
    rmSync(home, { recursive: true });
  }
  for (const bound of brokenBounds) console.log(`BROKEN  ${bound}`);
  if (brokenBounds.length > 0) process.exitCode = 1;
}

function collectByLibrary(
  rows: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, readonly number[]>> {
  const libraries = Object.keys(rows[0] ?? {});
  return Object.fromEntries(libraries.map((name) => [name, rows.map((row) => row[name] ?? Number.NaN)]));
}

/** Parses outside of the measurement for this package, whose schedules are stored; cronstrue takes only the text. */
function measureDescription(schedule: string, describeWithCronstrue: (schedule: string) => string) {
  const parsed = parseScheduleOrThrow(schedule);
  const measureMedian = (work: () => unknown) =>
    computeMedian(Array.from({ length: ROUNDS }, () => measureMicroseconds(work)));
  return {
    ours: measureMedian(() => parsed.describe()),
    cronstrue: measureMedian(() => describeWithCronstrue(schedule)),
  };
}

/** Parses a schedule in a time zone given by name, and computes one time. */
const FIRST_CALLS: Readonly<Record<string, (timeZone: string) => unknown>> = {
  ours: (timeZone) => parseScheduleOrThrow('30 6 1,15 * 1-5', { timeZone }).next(SOME_DATE),
  'cron-parser': (timeZone) =>
    CronExpressionParser.parse('30 6 1,15 * 1-5', { tz: timeZone, currentDate: SOME_DATE }).next(),
  croner: (timeZone) => new Cron('30 6 1,15 * 1-5', { timezone: timeZone, paused: true }).nextRun(SOME_DATE),
};

function checkBound(
  { schedule, timeZone }: ScheduleCase,
  call: keyof LibraryCalls,
  times: Readonly<Record<string, number>>,
): string[] {
  const ratio = (times['ours'] ?? Number.NaN) / (times['cron-parser'] ?? Number.NaN);
  return ratio <= MAX_RATIOS[call]
    ? []
    : [`${schedule} in ${timeZone}: ${call} takes ${ratio.toFixed(2)} × that of cron-parser`];
}

const MAX_RATIOS = {
  next: 1 / MIN_CRON_PARSER_TO_NEXT,
  parse: MAX_PARSE_TO_CRON_PARSER,
  first: MAX_FIRST_TO_CRON_PARSER,
};

function createLibraries({ schedule, timeZone }: ScheduleCase): Readonly<Record<string, LibraryCalls>> {
  const zone = { timeZone: loadTimeZone(timeZone) };
  const text = cycle(createSpellings(schedule));
  const parsedSchedule = parseScheduleOrThrow(schedule, { timeZone });
  const cronParser = CronExpressionParser.parse(schedule, { tz: timeZone });
  const croner = new Cron(schedule, { timezone: timeZone, paused: true });
  const [ourStart, cronParserStart, cronerStart] = [cycle(STARTS), cycle(STARTS), cycle(STARTS)];
  const nextOfCronParser = () => {
    cronParser.reset(cronParserStart());
    return cronParser.next().toDate();
  };
  return {
    ours: {
      next: () => parsedSchedule.next(ourStart()),
      parse: () => parseSchedule(text(), zone),
      first: () => parseScheduleOrThrow(text(), { timeZone }).next(ourStart()),
    },
    'cron-parser': {
      next: nextOfCronParser,
      parse: () => CronExpressionParser.parse(text(), { tz: timeZone, currentDate: SOME_DATE }),
      first: () => CronExpressionParser.parse(text(), { tz: timeZone, currentDate: cronParserStart() }).next(),
    },
    croner: {
      next: () => croner.nextRun(cronerStart()),
      parse: () => new Cron(text(), { timezone: timeZone, paused: true }),
      first: () => new Cron(text(), { timezone: timeZone, paused: true }).nextRun(cronerStart()),
    },
  };
}

function measure(libraries: Readonly<Record<string, LibraryCalls>>, call: keyof LibraryCalls): Record<string, number> {
  return Object.fromEntries(Object.entries(libraries).map(([name, calls]) => [name, measureMicroseconds(calls[call])]));
}

function computeMedians(rounds: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, Number(computeMedian(rounds.map((round) => round[name] ?? Number.NaN)).toFixed(3))]),
  );
}

/** Many texts for one schedule, which differ in white space, so that no library can cache its result. */
function createSpellings(schedule: string): readonly string[] {
  const [first = '', ...others] = schedule.split(' ');
  const gaps = [' ', '\t'].flatMap((a) => ['', ' ', '\t'].flatMap((b) => ['', ' ', '\t'].map((c) => a + b + c)));
  return others.reduce<readonly string[]>(
    (texts, field) => texts.flatMap((text) => gaps.map((gap) => text + gap + field)),
    [first],
  );
}

/** The items in turn, repeatedly. */
function cycle<T>(items: readonly T[]): () => T {
  let index = 0;
  return () => items[index++ % items.length] as T; // the index is always in range
}

/** CPU time of one call of `work`. */
function measureMicroseconds(work: () => unknown): number {
  const start = readCpuMicroseconds();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < MIN_MICROSECONDS) {
    for (let call = 0; call < CALLS_PER_CLOCK_READ; call++) work();
    calls += CALLS_PER_CLOCK_READ;
    elapsed = readCpuMicroseconds() - start;
  }
  return elapsed / calls;
}

/** Cost of the search for the newest slot of a year of missed minutes, as a multiple of one `next`. */
function measureNewest(): number {
  const schedule = parseScheduleOrThrow('* * * * *', { timeZone: 'America/New_York' });
  const now = cycle(STARTS);
  const newest = () => {
    const end = now();
    return findUnmetSlots(schedule, new Date(end.getTime() - YEAR_MS), end, 1);
  };
  const ratio = () => measureMicroseconds(newest) / measureMicroseconds(() => schedule.next(now()));
  return computeMedian(Array.from({ length: ROUNDS }, ratio));
}

await main();

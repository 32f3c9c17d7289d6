/**
 * How long schedules take to parse and to answer, side by side with cron-parser, croner and Kubernetes' own robfig/cron in Go.
 *
 *     npm run bench:schedule
 *
 * All get the same starts, in turn, for several rounds; the table shows medians. Fails when a bound of the project is broken,
 * or when two of them that ought to agree do not find the same instants.
 */
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { loadTimeZone, parseSchedule, type Schedule } from 'kubernetes-cron-schedule';
import { parseSchedule as parseCached } from '../../api/v1/schedule.ts';
import { unmetSlots } from '../../api/v1/unmet-slots.ts';
import { buildGo, type GoProgram } from './schedule-go/go-program.ts';

const SCHEDULES = ['*/5 * * * *', '0 0 * * *', '30 6 1,15 * 1-5', '0 0 29 2 *'];
const ZONES = ['UTC', 'America/New_York'];
const ROUNDS = 7;
/** One measurement repeats its work for at least so long. */
const MIN_MS = 15;
/** The clock is looked at only after so many calls, so that it costs nothing itself. */
const CALLS_PER_LOOK = 50;
const YEAR_MS = 365 * 86_400_000;
const MAX_NEXT_TO_GO = 3;
const MIN_CRON_PARSER_TO_NEXT = 10;
const MAX_PARSE_TO_CRON_PARSER = 1.5;
const MAX_NEXTS_FOR_NEWEST = 25;

const FIRST_START_MS = Date.UTC(2024, 0, 1);
const SPAN_OF_STARTS_MS = Date.UTC(2031, 0, 1) - FIRST_START_MS;
const START_COUNT = 1000;
/** No factor in common with the count: whoever is too slow to see all starts in a round sees some of every year. */
const START_STRIDE = 617;
const STARTS = Array.from({ length: START_COUNT }, (_, index) => {
  const share = (((index * START_STRIDE) % START_COUNT) + 0.5) / START_COUNT;
  return new Date(FIRST_START_MS + Math.floor((share * SPAN_OF_STARTS_MS) / 1000) * 1000);
});

/** Spares cron-parser to read the clock in the zone, which takes it most of a parse. */
const SOME_DATE = new Date(FIRST_START_MS);

interface Row {
  readonly schedule: string;
  readonly timeZone: string;
}

/** Microseconds. */
interface Measured {
  readonly next: number;
  readonly parse: number;
}

interface Subject {
  readonly name: string;
  measure(): Promise<Measured> | Measured;
}

async function main(): Promise<void> {
  await using go = await buildGo();
  if (go.kind === 'missing') console.log(`no column for Go, and its bound is not checked: ${go.reason}\n`);
  const rows = ZONES.flatMap((timeZone) => SCHEDULES.map((schedule) => ({ schedule, timeZone })));
  const subjects = rows.map((row) => [...inProcess(row), ...(go.kind === 'ready' ? [inGo(go, row)] : [])]);
  const rounds: Measured[][][] = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await inTurn(subjects));
  const results = rows.map((row, index) => ({
    ...row,
    byName: medians(subjects[index] ?? [], rounds.slice(1), index),
  }));
  for (const line of table(results)) console.log(line);
  const newest = nextsForNewest();
  console.log(`\nthe newest of a year of missed minutes costs ${newest.toFixed(1)} nexts\n`);
  const broken = [...results.flatMap(brokenBounds), ...(newest > MAX_NEXTS_FOR_NEWEST ? [NEWEST_BOUND] : [])];
  for (const bound of broken) console.log(`BROKEN  ${bound}`);
  if (broken.length > 0) process.exitCode = 1;
  else console.log('all bounds hold');
}

/** One round, in which everybody is measured once for each row. */
async function inTurn(subjects: readonly (readonly Subject[])[]): Promise<Measured[][]> {
  const round: Measured[][] = [];
  for (const ofRow of subjects) {
    const measured: Measured[] = [];
    for (const subject of ofRow) measured.push(await subject.measure());
    round.push(measured);
  }
  return round;
}

const OURS = 'ours';
const CACHED = 'by api/v1';
const CRON_PARSER = 'cron-parser';
const CRONER = 'croner';
const GO = 'robfig (Go)';

function inProcess({ schedule, timeZone }: Row): readonly Subject[] {
  const zone = { timeZone: loadTimeZone(timeZone) };
  const nextText = cycle(respellings(schedule));
  const ours = ourSchedule({ schedule, timeZone });
  const ourNext = cycle(STARTS);
  const cronParser = CronExpressionParser.parse(schedule, { tz: timeZone });
  const cronParserNext = cycle(STARTS);
  const croner = new Cron(schedule, { timezone: timeZone, paused: true });
  const cronerNext = cycle(STARTS);
  return [
    {
      name: OURS,
      measure: () => ({
        next: microseconds(() => ours.next(ourNext())),
        parse: microseconds(() => parseSchedule(nextText(), zone)),
      }),
    },
    {
      name: CACHED,
      measure: () => ({ next: Number.NaN, parse: microseconds(() => parseCached(schedule, { timeZone })) }),
    },
    {
      name: CRON_PARSER,
      measure: () => ({
        next: microseconds(() => {
          cronParser.reset(cronParserNext());
          return cronParser.next().toDate();
        }),
        parse: microseconds(() => CronExpressionParser.parse(nextText(), { tz: timeZone, currentDate: SOME_DATE })),
      }),
    },
    {
      name: CRONER,
      measure: () => ({
        next: microseconds(() => croner.nextRun(cronerNext())),
        parse: microseconds(() => new Cron(nextText(), { timezone: timeZone, paused: true })),
      }),
    },
  ];
}

function inGo(go: GoProgram, row: Row): Subject {
  const startsMs = STARTS.map((start) => start.getTime());
  const ours = ourSchedule(row);
  const ourSumSeconds = STARTS.reduce((sum, start) => sum + (ours.next(start)?.getTime() ?? 0) / 1000, 0);
  return {
    name: GO,
    measure: async () => {
      const { nextNs, parseNs, sumSeconds } = await go.measure({ ...row, startsMs, minMs: MIN_MS });
      if (sumSeconds !== ourSumSeconds) throw new Error(`${row.schedule} in ${row.timeZone}: Go finds other instants`);
      return { next: nextNs / 1000, parse: parseNs / 1000 };
    },
  };
}

function ourSchedule({ schedule, timeZone }: Row): Schedule {
  const parsed = parseSchedule(schedule, { timeZone });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

/** Many texts for one schedule, so that nobody can keep what it read: the white space differs. */
function respellings(schedule: string): readonly string[] {
  const [first = '', ...others] = schedule.split(' ');
  const gaps = [' ', '\t'].flatMap((a) => ['', ' ', '\t'].flatMap((b) => ['', ' ', '\t'].map((c) => a + b + c)));
  return others.reduce<readonly string[]>(
    (texts, field) => texts.flatMap((text) => gaps.map((gap) => text + gap + field)),
    [first],
  );
}

/** The items in turn, over and over. */
function cycle<T>(items: readonly T[]): () => T {
  let index = 0;
  return () => {
    const item = items[index];
    index = index + 1 === items.length ? 0 : index + 1;
    return item as T; // the index is always within
  };
}

/** What one call of `work` takes. */
function microseconds(work: () => unknown): number {
  const startedMs = performance.now();
  let calls = 0;
  let elapsedMs = 0;
  while (elapsedMs < MIN_MS) {
    for (let call = 0; call < CALLS_PER_LOOK; call++) work();
    calls += CALLS_PER_LOOK;
    elapsedMs = performance.now() - startedMs;
  }
  return (elapsedMs * 1000) / calls;
}

type Result = Row & { readonly byName: ReadonlyMap<string, Measured> };

function medians(subjects: readonly Subject[], rounds: readonly Measured[][][], row: number): Result['byName'] {
  const of = (column: number, value: keyof Measured) =>
    median(rounds.map((round) => round[row]?.[column]?.[value] ?? Number.NaN));
  return new Map(subjects.map(({ name }, column) => [name, { next: of(column, 'next'), parse: of(column, 'parse') }]));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function table(results: readonly Result[]): readonly string[] {
  const lines: string[] = [];
  for (const value of ['next', 'parse'] as const) {
    const names = [...(results[0]?.byName.keys() ?? [])].filter((name) => value === 'parse' || name !== CACHED);
    lines.push('', [`µs per ${value}`.padEnd(36), ...names.map((name) => name.padStart(13))].join(''));
    for (const { schedule, timeZone, byName } of results) {
      const cells = names.map((name) => (byName.get(name)?.[value] ?? Number.NaN).toFixed(3).padStart(13));
      lines.push([`${schedule.padEnd(18)}${timeZone.padEnd(18)}`, ...cells].join(''));
    }
  }
  return lines;
}

const NEWEST_BOUND = `the newest of a year of missed minutes costs at most ${MAX_NEXTS_FOR_NEWEST} nexts`;

function brokenBounds({ schedule, timeZone, byName }: Result): readonly string[] {
  const ours = byName.get(OURS);
  const cronParser = byName.get(CRON_PARSER);
  const go = byName.get(GO);
  if (!ours || !cronParser) throw new Error('not everybody was measured');
  const bounds: readonly (readonly [name: string, ratio: number, max: number])[] = [
    ['next to that of cron-parser', ours.next / cronParser.next, 1 / MIN_CRON_PARSER_TO_NEXT],
    ['parse to that of cron-parser', ours.parse / cronParser.parse, MAX_PARSE_TO_CRON_PARSER],
    ...(go ? [['next to that of Go', ours.next / go.next, MAX_NEXT_TO_GO] as const] : []),
  ];
  return bounds
    .filter(([, ratio, max]) => !(ratio <= max))
    .map(([name, ratio, max]) => `${schedule} in ${timeZone}: ${name} is ${ratio.toFixed(2)}, may be ${max}`);
}

/** How many times as long as one `next` it takes to find the newest slot of a year in which every minute was missed. */
function nextsForNewest(): number {
  const schedule = ourSchedule({ schedule: '* * * * *', timeZone: 'America/New_York' });
  const now = cycle(STARTS);
  const next = () => microseconds(() => schedule.next(now()));
  const newest = () =>
    microseconds(() => {
      const end = now();
      return unmetSlots(schedule, new Date(end.getTime() - YEAR_MS), end, 1);
    });
  const rounds = Array.from({ length: ROUNDS }, () => newest() / next());
  return median(rounds);
}

await main();

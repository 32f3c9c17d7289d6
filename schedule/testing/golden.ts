/**
 * Reads the golden files of schedule/oracle, which record how Go's robfig/cron parses expressions and when the
 * expressions fire.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const GOLDEN_FOLDER = join(import.meta.dirname, '../oracle/golden');

export interface GoldenHeader {
  readonly go: string;
  readonly tzdata: string;
  readonly cron: string;
}

/** The maximum number of instants in a row at which the expression fires. */
export const FIRINGS_PER_ROW = 4;

/** Instants at which an expression fires, in Unix seconds. */
export interface FiringRow {
  readonly text: string;
  readonly timeZone: string;
  readonly start: number;
  /** The list is shorter than {@link FIRINGS_PER_ROW} if the expression never fires again. */
  readonly firings: readonly number[];
}

/**
 * A row in which robfig/cron violates the rule: an expression fires at exactly the instants whose local time matches.
 * The instants in `firings` follow the rule.
 */
export interface FaultRow extends FiringRow {
  readonly robfig: readonly number[];
  /** Whether robfig/cron hangs when it searches for the instant after the last instant in `robfig`. */
  readonly hangs: boolean;
}

export interface AcceptanceRow {
  readonly text: string;
  readonly isAccepted: boolean;
  /** The error message of robfig/cron, or an empty string. */
  readonly error: string;
  /** The period of an accepted `@every` expression. */
  readonly nanoseconds: number | undefined;
}

/** The UTC offset of a time zone from the instant `from` on, in seconds. */
export interface OffsetChange {
  readonly from: number;
  readonly offset: number;
}

export function readGoldenHeader(): GoldenHeader {
  return readGoldenLines('zones')[0] as GoldenHeader;
}

/** Returns the rows whose robfig/cron results are correct by the rule of {@link FaultRow}. */
export function readGoldenInstants(): readonly FiringRow[] {
  const [, texts, ...zones] = readGoldenLines('instants') as [
    GoldenHeader,
    string[],
    ...{ zone: string; rows: number[][] }[],
  ];
  return zones.flatMap(({ zone, rows }) => {
    let start = 0;
    return rows.map(([text = 0, sinceLast = 0, ...steps]) => {
      start += sinceLast;
      return { text: texts[text] ?? '', timeZone: zone, start, firings: addSteps(start, steps) };
    });
  });
}

export function readGoldenFaults(): readonly FaultRow[] {
  type Line = { zone: string; text: string; start: number; rule: number[]; robfig: number[]; hangs?: boolean };
  const lines = readGoldenLines('faults').slice(1) as Line[];
  return lines.map(({ zone, text, start, rule, robfig, hangs = false }) => {
    return { text, timeZone: zone, start, firings: rule, robfig, hangs };
  });
}

/** Returns rows of `@every` expressions. The anchor of each expression is `start`. */
export function readGoldenEvery(): readonly FiringRow[] {
  const lines = readGoldenLines('every').slice(1) as [string, number, ...number[]][];
  return lines.map(([text, start, ...steps]) => ({ text, timeZone: 'UTC', start, firings: addSteps(start, steps) }));
}

export function readAcceptanceRows(): readonly AcceptanceRow[] {
  const lines = readGoldenLines('acceptance').slice(1) as [string, 0 | 1, (string | number)?][];
  return lines.map(([text, accepted, more]) => ({
    text,
    isAccepted: accepted === 1,
    error: typeof more === 'string' ? more : '',
    nanoseconds: typeof more === 'number' ? more : undefined,
  }));
}

/** For each time zone of Go, returns the UTC offset at the beginning of 2009 and all changes until 2050. */
export function readGoldenOffsets(): ReadonlyMap<string, readonly OffsetChange[]> {
  type Line = { names: string[]; offset: number; transitions: [number, number][] };
  const lines = readGoldenLines('zones').slice(1) as Line[];
  return new Map(
    lines.flatMap(({ names, offset, transitions }) => {
      const changeTimes = addSteps(
        0,
        transitions.map(([sinceLast]) => sinceLast),
      );
      const changes = transitions.map(([, offset], index) => ({ from: changeTimes[index] ?? 0, offset }));
      const table = [{ from: Number.NEGATIVE_INFINITY, offset }, ...changes];
      return names.map((name) => [name, table] as const);
    }),
  );
}

function readGoldenLines(name: string): readonly unknown[] {
  const text = gunzipSync(readFileSync(join(GOLDEN_FOLDER, `${name}.jsonl.gz`))).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** For each step, returns the sum of `start`, the earlier steps and this step. */
function addSteps(start: number, steps: readonly number[]): readonly number[] {
  let sum = start;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}

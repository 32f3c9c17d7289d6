/**
 * The five fields of a cron expression.
 *
 * What is accepted is decided here, as `ParseStandard` of github.com/robfig/cron/v3 decides it, because that is what
 * Kubernetes asks. cron-parser, which accepts other things, then only sees items that both read alike, and says which values
 * they stand for.
 */
import { CronExpressionParser } from 'cron-parser';
import { quoted } from './quoted.ts';

/** The values of each field, ascending. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6. */
  readonly daysOfWeek: readonly number[];
  /** A star leaves a day field out of account: `*`, `?`, either with step 1, or a list that contains one of them. */
  readonly isDayOfMonthStar: boolean;
  readonly isDayOfWeekStar: boolean;
  /** Items that mean one value although they have a step. Absent when there are none. */
  readonly unreachedSteps?: readonly UnreachedStep[];
}

/** An item whose step is longer than its range, such as the minute `0/90`: only the first value of the range matches. */
export interface UnreachedStep {
  readonly field: 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';
  /** As it is written. */
  readonly item: string;
  /** More than 1. */
  readonly step: number;
  /** The one that matches. */
  readonly value: number;
  /** The range is that of the field. */
  readonly isWhole: boolean;
}

export type ParsedCronFields =
  | { readonly kind: 'ok'; readonly fields: CronFields }
  | { readonly kind: 'invalid'; readonly message: string };

interface Field {
  readonly name: UnreachedStep['field'];
  readonly min: number;
  readonly max: number;
  /** Lower case; the first stands for `min`. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 6, names: WEEKDAYS },
];

/** White space as Go's `strings.Fields` knows it, and so not quite `\s`. */
const WHITE_SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Reads five fields. Never throws; does work in proportion to the length of `text`. */
export function parseCronFields(text: string): ParsedCronFields {
  const parts = text.split(WHITE_SPACE).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return invalid(`must have 5 fields (minute, hour, day of month, month, day of week), not ${parts.length}`);
  }
  const lists: ParsedList[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const list = parseList(parts[index] ?? '', field);
    if (list.kind === 'invalid') return list;
    lists.push(list);
  }
  return { kind: 'ok', fields: expand(lists) };
}

interface ParsedList {
  readonly kind: 'ok';
  /** In cron-parser's dialect, without one that comes twice. Single values are one item together. */
  readonly items: readonly string[];
  readonly isStar: boolean;
  readonly unreachedSteps: readonly UnreachedStep[];
}

type Invalid = { readonly kind: 'invalid'; readonly message: string };

function invalid(message: string): Invalid {
  return { kind: 'invalid', message };
}

function parseList(text: string, field: Field): ParsedList | Invalid {
  const singles = new Set<number>();
  const items = new Set<string>();
  const unreachedSteps: UnreachedStep[] = [];
  let isStar = false;
  // What is missing between two commas is passed over, as robfig does.
  for (const item of text.split(',').filter((each) => each !== '')) {
    const range = parseItem(item, field);
    if (range.kind === 'invalid') return range;
    const { start, end, step } = range;
    isStar ||= range.isStar;
    if (step > end - start) {
      singles.add(start);
      unreachedSteps.push(...unreachedStep(item, range, field));
    } else items.add(spanText(range, field) + (step === 1 ? '' : `/${step}`));
  }
  if (singles.size > 0) items.add([...singles].join(','));
  if (items.size === 0) return invalid(`${field.name} must not be empty; ${hint(field)}`);
  return { kind: 'ok', items: [...items], isStar, unreachedSteps };
}

function unreachedStep(item: string, range: Range, field: Field): readonly UnreachedStep[] {
  const { start, step } = range;
  return step === 1 ? [] : [{ field: field.name, item, step, value: start, isWhole: isWhole(range, field) }];
}

/** A star where that means the same: cron-parser reads it in half the time. Its star of weekdays also means 7. */
function spanText(range: Range, field: Field): string {
  return isWhole(range, field) && field.names !== WEEKDAYS ? '*' : `${range.start}-${range.end}`;
}

function isWhole({ start, end }: Range, { min, max }: Field): boolean {
  return start === min && end === max;
}

interface Range {
  readonly kind: 'ok';
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isStar: boolean;
}

/** `*`, `?`, `a`, `a-b`, each with or without `/step`; a single value with a step goes on to the end. */
function parseItem(item: string, field: Field): Range | Invalid {
  return isStarText(item) ? everything(field, 1) : parseRange(item, field);
}

function isStarText(text: string): boolean {
  return text === '*' || text === '?';
}

function everything({ min, max }: Field, step: number): Range {
  return { kind: 'ok', start: min, end: max, step, isStar: step === 1 };
}

function parseRange(item: string, field: Field): Range | Invalid {
  const [span = '', stepText, ...slashes] = item.split('/');
  if (slashes.length > 0) return invalid(`${field.name} ${quoted(item)} has more than one "/"`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (step === undefined || step === 0) {
    return invalid(`${field.name} ${quoted(item)}: the step after "/" must be a whole number from 1`);
  }
  if (isStarText(span)) return everything(field, step);
  const [startText = '', endText, ...hyphens] = span.split('-');
  if (hyphens.length > 0) return invalid(`${field.name} ${quoted(item)} has more than one "-"`);
  const start = parseValue(startText, field);
  const last = stepText === undefined ? start : field.max;
  const end = endText === undefined ? last : parseValue(endText, field);
  if (start === undefined || end === undefined) return invalid(`${hint(field)}, not ${quoted(item)}`);
  if (start > end) return invalid(`${field.name} ${quoted(item)} runs backwards; give two ranges instead`);
  return { kind: 'ok', start, end, step, isStar: false };
}

function parseValue(text: string, field: Field): number | undefined {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named >= 0 ? field.min + named : parseNumber(text);
  return value !== undefined && value >= field.min && value <= field.max ? value : undefined;
}

/** Go's largest `int`. */
const MAX_INT = 2n ** 63n - 1n;
const MAX_INT_DIGITS = 19;

/** As Go's `Atoi` without a minus sign. */
function parseNumber(text: string): number | undefined {
  if (!/^\+?\d+$/.test(text)) return undefined;
  const isTooBig = text.length >= MAX_INT_DIGITS && BigInt(text.replace('+', '')) > MAX_INT;
  return isTooBig ? undefined : Number(text);
}

function hint({ name, min, max, names }: Field): string {
  return `${name} must be ${min}-${max}${names ? ` or ${names[0]}-${names.at(-1)}` : ''}`;
}

function expand(lists: readonly ParsedList[]): CronFields {
  const [minutes = [], hours = [], daysOfMonth = [], months = [], daysOfWeek = []] = valuesOfLists(lists);
  const isDayOfMonthStar = lists[2]?.isStar ?? false;
  const isDayOfWeekStar = lists[4]?.isStar ?? false;
  const unreachedSteps = lists.flatMap((list) => list.unreachedSteps);
  return {
    ...{ minutes, hours, daysOfMonth, months, daysOfWeek, isDayOfMonthStar, isDayOfWeekStar },
    ...(unreachedSteps.length > 0 && { unreachedSteps }),
  };
}

/** Asks for the first item of each field together, then for the second of each, and so on: most expressions are one question. */
function valuesOfLists(lists: readonly ParsedList[]): Values {
  const rounds = Math.max(...lists.map(({ items }) => items.length));
  let values = valuesOf(lists.map(({ items }) => items[0] ?? ''));
  for (let round = 1; round < rounds; round++) {
    const more = valuesOf(lists.map(({ items }) => items[round] ?? items[0] ?? ''));
    values = values.map((known, index) => union(known, more[index] ?? []));
  }
  return values;
}

type Values = readonly (readonly number[])[];

/** One item of each field → its values, in the order of {@link FIELDS}. */
function valuesOf(items: readonly string[]): Values {
  const [minute, hour, dayOfMonth, month, dayOfWeek] = items;
  return askCronParser(`${minute} ${hour} ${dayOfMonth} ${month} ${dayOfWeek}`);
}

/** Where cron-parser is to begin a search that nobody asks it for; without this it would read the clock. */
const SOME_DATE = { currentDate: new Date(0), tz: 'UTC' };

function askCronParser(expression: string): number[][] {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(expression, SOME_DATE).fields;
  // Letters such as L never get here, so that all values are numbers.
  return [minute, hour, dayOfMonth, month, dayOfWeek].map(({ values }) => values as number[]);
}

function union(left: readonly number[], right: readonly number[]): readonly number[] {
  return [...new Set([...left, ...right])].sort((a, b) => a - b);
}

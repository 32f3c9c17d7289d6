/**
 * Parses the five fields of a cron expression with cron-parser.
 *
 * Kubernetes parses cron expressions with `ParseStandard` of github.com/robfig/cron/v3. This file therefore rejects
 * syntax that only cron-parser accepts, such as `L` or the weekday 7. Syntax that only robfig/cron accepts is converted
 * to the syntax of cron-parser.
 */
import { CronExpressionParser } from 'cron-parser';
import { quote } from './quote.ts';

/** The matching values of each cron field, in ascending order. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** From 0 (Sunday) to 6 (Saturday). */
  readonly daysOfWeek: readonly number[];
  /**
   * Whether the day-of-month field matches every day, because it contains `*`, `?`, `*\/1` or `?/1`, alone or in a list.
   */
  readonly isDayOfMonthStar: boolean;
  readonly isDayOfWeekStar: boolean;
  /** The list items that have a step but match only one value, or `undefined` if there are none. */
  readonly unreachedSteps?: readonly UnreachedStep[];
}

/** A list item whose step exceeds its range, such as the minute `0/90`, which matches only minute 0. */
export interface UnreachedStep {
  readonly field: 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';
  /** The list item, unchanged from the expression. */
  readonly item: string;
  /** At least 2. */
  readonly step: number;
  /** The only value that the list item matches. */
  readonly value: number;
  /** Whether the list item covers the full range of the field. */
  readonly isFullRange: boolean;
}

export type ParsedCronFields =
  | { readonly kind: 'ok'; readonly fields: CronFields }
  | { readonly kind: 'invalid'; readonly message: string };

interface FieldRange {
  readonly name: UnreachedStep['field'];
  readonly min: number;
  readonly max: number;
  /** The names of the values in ascending order, such as `jan` to `dec`. */
  readonly names: readonly string[];
  /** Matches a single value in the syntax of robfig/cron, even a value that is out of range. */
  readonly valueRegExp: RegExp;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NUMBER_PATTERN = String.raw`\+?\d+`;
/** robfig/cron rejects the weekday 7, which cron-parser accepts as Sunday. */
const WEEKDAY_NUMBER_PATTERN = String.raw`\+?0*[0-6]`;

const FIELDS: readonly FieldRange[] = [
  { name: 'minute', min: 0, max: 59, names: [], valueRegExp: toValueRegExp(NUMBER_PATTERN) },
  { name: 'hour', min: 0, max: 23, names: [], valueRegExp: toValueRegExp(NUMBER_PATTERN) },
  { name: 'day of month', min: 1, max: 31, names: [], valueRegExp: toValueRegExp(NUMBER_PATTERN) },
  { name: 'month', min: 1, max: 12, names: MONTHS, valueRegExp: toValueRegExp(NUMBER_PATTERN, ...MONTHS) },
  {
    name: 'day of week',
    min: 0,
    max: 6,
    names: WEEKDAYS,
    valueRegExp: toValueRegExp(WEEKDAY_NUMBER_PATTERN, ...WEEKDAYS),
  },
];

function toValueRegExp(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})$`, 'i');
}

/**
 * The white space at which Go's `strings.Fields` splits a string. JavaScript's `\s` matches a different set of
 * characters.
 */
const WHITE_SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Parses five cron fields in time proportional to the length of `text`. Never throws. */
export function parseCronFields(text: string): ParsedCronFields {
  const fieldTexts = text.split(WHITE_SPACE).filter((each) => each !== '');
  if (fieldTexts.length !== FIELDS.length) {
    return toInvalidResult(
      `must have 5 fields (minute, hour, day of month, month, day of week), not ${fieldTexts.length}`,
    );
  }
  const lists = FIELDS.map((field, index) => splitList(fieldTexts[index] ?? '', field));
  const fault = lists.map(findListFault).find((each) => each !== undefined);
  if (fault !== undefined) return toInvalidResult(fault);
  const values = parseLists(lists.map(toParserList));
  return values === undefined ? parseItemByItem(lists) : { kind: 'ok', fields: buildFields(lists, values) };
}

/** Parses each list item separately, because cron-parser rejects lists with overlapping items and robfig/cron accepts them. */
function parseItemByItem(lists: readonly FieldList[]): ParsedCronFields {
  const values: (readonly number[])[] = [];
  for (const { items, field } of lists) {
    const uniqueValues = new Set<number>();
    for (const item of new Set(items)) {
      const itemValues = parseItemValues(item, field);
      if (itemValues === undefined) return toInvalidResult(explainRangeFault(item, field));
      for (const value of itemValues) uniqueValues.add(value);
    }
    values.push([...uniqueValues].sort((a, b) => a - b));
  }
  return { kind: 'ok', fields: buildFields(lists, values) };
}

function toInvalidResult(message: string): ParsedCronFields {
  return { kind: 'invalid', message };
}

interface FieldList {
  readonly field: FieldRange;
  /** The list items as in the expression. robfig/cron ignores empty list items between two commas. */
  readonly items: readonly string[];
}

function splitList(text: string, field: FieldRange): FieldList {
  return { field, items: text.split(',').filter((item) => item !== '') };
}

function findListFault({ field, items }: FieldList): string | undefined {
  if (items.length === 0) return `${field.name} must not be empty; ${describeRange(field)}`;
  for (const item of items) {
    const fault = findItemFault(item, field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findItemFault(item: string, field: FieldRange): string | undefined {
  const [range = '', step, ...slashes] = item.split('/');
  if (slashes.length > 0) return `${field.name} ${quote(item)} has more than one "/"`;
  if (step !== undefined && !isValidStep(step)) {
    return `${field.name} ${quote(item)}: the step after "/" must be a whole number from 1`;
  }
  if (isStar(range)) return undefined;
  const bounds = range.split('-');
  if (bounds.length > 2) return `${field.name} ${quote(item)} has more than one "-"`;
  return bounds.every((bound) => field.valueRegExp.test(bound))
    ? undefined
    : `${describeRange(field)}, not ${quote(item)}`;
}

function describeRange({ name, min, max, names }: FieldRange): string {
  return `${name} must be ${min}-${max}${names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : ''}`;
}

/** The largest `int` of Go. */
const MAX_INT = 2n ** 63n - 1n;

/** Returns true for a positive number that Go's `strconv.Atoi` accepts. */
function isValidStep(text: string): boolean {
  const digits = /^\+?0*([1-9]\d*)$/.exec(text)?.[1];
  return digits !== undefined && digits.length <= `${MAX_INT}`.length && BigInt(digits) <= MAX_INT;
}

function isStar(text: string): boolean {
  return text === '*' || text === '?';
}

/** Returns the reason why cron-parser rejects an item with valid syntax. */
function explainRangeFault(item: string, field: FieldRange): string {
  const [start, end] = item.split('/')[0]?.split('-') ?? [];
  const isBackwards = end !== undefined && parseItemValues(`${end}-${start}`, field) !== undefined;
  return isBackwards
    ? `${field.name} ${quote(item)} runs backwards; use two ranges instead`
    : `${describeRange(field)}, not ${quote(item)}`;
}

function toParserList({ items, field }: FieldList): string {
  return [...new Set(items.map((item) => toParserItem(item, field)))].join(',');
}

/** Converts a list item to the syntax of cron-parser, which rejects plus signs and accepts the weekday 7. */
function toParserItem(item: string, { min, max, names }: FieldRange): string {
  const [range = '', step] = item.replaceAll(/\+?0*(\d+)/g, '$1').split('/');
  const hasOpenEnd = step !== undefined && !range.includes('-');
  const fullRange = names === WEEKDAYS ? `${min}-${max}` : '*';
  const completeRange = isStar(range) ? fullRange : `${range}${hasOpenEnd ? `-${max}` : ''}`;
  return step === undefined ? completeRange : `${completeRange}/${step}`;
}

function parseItemValues(item: string, field: FieldRange): readonly number[] | undefined {
  const index = FIELDS.indexOf(field);
  return parseLists(FIELDS.map((each) => (each === field ? toParserItem(item, field) : '*')))?.[index];
}

/** The options set `currentDate`, because cron-parser otherwise reads the system clock. */
const PARSER_OPTIONS = { currentDate: new Date(0), tz: 'UTC' };

type FieldValues = readonly (readonly number[])[];

function parseLists(lists: readonly string[]): FieldValues | undefined {
  try {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(
      lists.join(' '),
      PARSER_OPTIONS,
    ).fields;
    // All values are numbers, because parseCronFields rejects letters such as L.
    return [minute, hour, dayOfMonth, month, dayOfWeek].map(({ values }) => values as number[]);
  } catch {
    return undefined; // cron-parser throws for invalid input
  }
}

function buildFields(lists: readonly FieldList[], values: FieldValues): CronFields {
  const [minutes = [], hours = [], daysOfMonth = [], months = [], daysOfWeek = []] = values;
  const [, , isDayOfMonthStar = false, , isDayOfWeekStar = false] = lists.map(({ items }) => items.some(isStarItem));
  const unreachedSteps = lists.flatMap((list, index) => findUnreachedSteps(list, values[index] ?? []));
  return {
    ...{ minutes, hours, daysOfMonth, months, daysOfWeek, isDayOfMonthStar, isDayOfWeekStar },
    ...(unreachedSteps.length > 0 && { unreachedSteps }),
  };
}

function isStarItem(item: string): boolean {
  return /^[*?](?:\/\+?0*1)?$/.test(item);
}

function findUnreachedSteps({ field, items }: FieldList, listValues: readonly number[]): readonly UnreachedStep[] {
  return items.flatMap((item) => {
    const [range = '', stepText] = item.split('/');
    const step = Number(stepText ?? 1);
    if (step === 1 || (items.length === 1 && listValues.length > 1)) return [];
    const [value, ...others] = parseItemValues(item, field) ?? [];
    if (value === undefined || others.length > 0) return [];
    const rangeValues = parseItemValues(`${range}/1`, field) ?? [];
    return [{ field: field.name, item, step, value, isFullRange: rangeValues.length === field.max - field.min + 1 }];
  });
}

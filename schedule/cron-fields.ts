/**
 * The five fields of a cron expression.
 *
 * cron-parser reads them. Kubernetes reads them with `ParseStandard` of github.com/robfig/cron/v3, so this file first
 * rejects syntax that only cron-parser accepts, such as `L` or the weekday 7, and rewrites syntax that only robfig
 * accepts.
 */
import { CronExpressionParser } from 'cron-parser';
import { quote } from './quote.ts';

/** The values of each field, ascending. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6. */
  readonly daysOfWeek: readonly number[];
  /**
   * Whether the day field is a star and thus does not restrict the days: `*`, `?`, either with step 1, or a list that
   * contains one of them.
   */
  readonly isDayOfMonthStar: boolean;
  readonly isDayOfWeekStar: boolean;
  /** Items that mean one value despite a step. Absent without such items. */
  readonly unreachedSteps?: readonly UnreachedStep[];
}

/** An item whose step is longer than its range, such as the minute `0/90`: only the first value of the range matches. */
export interface UnreachedStep {
  readonly field: 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';
  /** The item as written. */
  readonly item: string;
  /** More than 1. */
  readonly step: number;
  /** The matching value. */
  readonly value: number;
  /** Whether the range is the whole range of the field. */
  readonly isWhole: boolean;
}

export type ParsedCronFields =
  | { readonly kind: 'ok'; readonly fields: CronFields }
  | { readonly kind: 'invalid'; readonly message: string };

interface FieldRange {
  readonly name: UnreachedStep['field'];
  readonly min: number;
  readonly max: number;
  /** Names of the values, starting at `min`. */
  readonly names: readonly string[];
  /** One value in robfig's syntax. May be out of range. */
  readonly value: RegExp;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NUMBER = String.raw`\+?\d+`;
/** cron-parser accepts 7 as Sunday, robfig does not. */
const WEEKDAY_NUMBER = String.raw`\+?0*[0-6]`;

const FIELDS: readonly FieldRange[] = [
  { name: 'minute', min: 0, max: 59, names: [], value: valuePattern(NUMBER) },
  { name: 'hour', min: 0, max: 23, names: [], value: valuePattern(NUMBER) },
  { name: 'day of month', min: 1, max: 31, names: [], value: valuePattern(NUMBER) },
  { name: 'month', min: 1, max: 12, names: MONTHS, value: valuePattern(NUMBER, ...MONTHS) },
  { name: 'day of week', min: 0, max: 6, names: WEEKDAYS, value: valuePattern(WEEKDAY_NUMBER, ...WEEKDAYS) },
];

function valuePattern(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})$`, 'i');
}

/** White space of Go's `strings.Fields`, which differs slightly from `\s`. */
const WHITE_SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Parses five fields. Never throws; its work is proportional to the length of `text`. */
export function parseCronFields(text: string): ParsedCronFields {
  const parts = text.split(WHITE_SPACE).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return invalid(`must have 5 fields (minute, hour, day of month, month, day of week), not ${parts.length}`);
  }
  const lists = FIELDS.map((field, index) => splitList(parts[index] ?? '', field));
  const fault = lists.map(findListFault).find((each) => each !== undefined);
  if (fault !== undefined) return invalid(fault);
  const values = parse(lists.map(rewriteList));
  return values === undefined ? parseItems(lists) : { kind: 'ok', fields: buildFields(lists, values) };
}

/**
 * Parses lists item by item if cron-parser rejects them as a whole: it rejects overlapping items, which robfig accepts.
 */
function parseItems(lists: readonly FieldList[]): ParsedCronFields {
  const values: (readonly number[])[] = [];
  for (const { items, field } of lists) {
    const found = new Set<number>();
    for (const item of new Set(items)) {
      const itemValues = parseItemValues(item, field);
      if (itemValues === undefined) return invalid(explainRangeFault(item, field));
      for (const value of itemValues) found.add(value);
    }
    values.push([...found].sort((a, b) => a - b));
  }
  return { kind: 'ok', fields: buildFields(lists, values) };
}

function invalid(message: string): ParsedCronFields {
  return { kind: 'invalid', message };
}

interface FieldList {
  readonly field: FieldRange;
  /** The items as written. Empty items between two commas are ignored, as in robfig. */
  readonly items: readonly string[];
}

function splitList(text: string, field: FieldRange): FieldList {
  return { field, items: text.split(',').filter((item) => item !== '') };
}

/** Returns the fault in the syntax of an item or of the list. */
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
  if (step !== undefined && !isStep(step)) {
    return `${field.name} ${quote(item)}: the step after "/" must be a whole number from 1`;
  }
  if (isStar(range)) return undefined;
  const ends = range.split('-');
  if (ends.length > 2) return `${field.name} ${quote(item)} has more than one "-"`;
  return ends.every((end) => field.value.test(end)) ? undefined : `${describeRange(field)}, not ${quote(item)}`;
}

function describeRange({ name, min, max, names }: FieldRange): string {
  return `${name} must be ${min}-${max}${names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : ''}`;
}

/** Go's largest `int`. */
const MAX_INT = 2n ** 63n - 1n;

/** Matches numbers from 1 that Go's `Atoi` accepts without a minus sign. */
function isStep(text: string): boolean {
  const digits = /^\+?0*([1-9]\d*)$/.exec(text)?.[1];
  return digits !== undefined && digits.length <= `${MAX_INT}`.length && BigInt(digits) <= MAX_INT;
}

function isStar(text: string): boolean {
  return text === '*' || text === '?';
}

/** Returns why cron-parser rejects an item with valid syntax. */
function explainRangeFault(item: string, field: FieldRange): string {
  const [start, end] = item.split('/')[0]?.split('-') ?? [];
  const isBackwards = end !== undefined && parseItemValues(`${end}-${start}`, field) !== undefined;
  return isBackwards
    ? `${field.name} ${quote(item)} runs backwards; use two ranges instead`
    : `${describeRange(field)}, not ${quote(item)}`;
}

function rewriteList({ items, field }: FieldList): string {
  return [...new Set(items.map((item) => rewriteItem(item, field)))].join(',');
}

/** Rewrites `item` for cron-parser, which does not accept a plus sign and has weekdays up to 7. */
function rewriteItem(item: string, { min, max, names }: FieldRange): string {
  const [range = '', step] = item.replaceAll(/\+?0*(\d+)/g, '$1').split('/');
  const isOpen = step !== undefined && !range.includes('-');
  const whole = names === WEEKDAYS ? `${min}-${max}` : '*';
  const completeRange = isStar(range) ? whole : `${range}${isOpen ? `-${max}` : ''}`;
  return step === undefined ? completeRange : `${completeRange}/${step}`;
}

function parseItemValues(item: string, field: FieldRange): readonly number[] | undefined {
  const index = FIELDS.indexOf(field);
  return parse(FIELDS.map((each) => (each === field ? rewriteItem(item, field) : '*')))?.[index];
}

/** Start of a search that is never used; without it, cron-parser would read the clock. */
const SOME_DATE = { currentDate: new Date(0), tz: 'UTC' };

type FieldValues = readonly (readonly number[])[];

/** Parses one list for each field to its values, in the order of {@link FIELDS}. */
function parse(lists: readonly string[]): FieldValues | undefined {
  try {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(
      lists.join(' '),
      SOME_DATE,
    ).fields;
    // Letters such as L are rejected before, so all values are numbers.
    return [minute, hour, dayOfMonth, month, dayOfWeek].map(({ values }) => values as number[]);
  } catch {
    return undefined; // cron-parser throws for invalid input
  }
}

function buildFields(lists: readonly FieldList[], values: FieldValues): CronFields {
  const [minutes = [], hours = [], daysOfMonth = [], months = [], daysOfWeek = []] = values;
  const [, , isDayOfMonthStar = false, , isDayOfWeekStar = false] = lists.map(({ items }) => items.some(isAnyValue));
  const unreachedSteps = lists.flatMap((list, index) => findUnreachedSteps(list, values[index] ?? []));
  return {
    ...{ minutes, hours, daysOfMonth, months, daysOfWeek, isDayOfMonthStar, isDayOfWeekStar },
    ...(unreachedSteps.length > 0 && { unreachedSteps }),
  };
}

/** Whether the item is a star, also with a step of 1. */
function isAnyValue(item: string): boolean {
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
    return [{ field: field.name, item, step, value, isWhole: rangeValues.length === field.max - field.min + 1 }];
  });
}

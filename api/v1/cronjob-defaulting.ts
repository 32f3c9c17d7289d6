/** Fills in defaults. The CRD does the same, from the same schema: this is for an API server that has another CRD of the kind. */
import { parseTime } from '../time.ts';
import { FAILED_START_REASONS, MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';
import { RUN_RESULTS } from './cronjob-status.ts';
import { CronJob, type CronJobSpec, type CronJobStatus } from './cronjob-types.ts';
import { isRecord, valueAt } from './raw-object.ts';

/** Sets fields that are absent or null to their defaults, as the CRD does. A wrong value stays: validation reports it. */
export function defaultCronJob<Draft extends { readonly spec?: unknown }>(cronJob: Draft): Draft {
  return CronJob.schema.withDefaults(cronJob);
}

/**
 * The stored CronJob, made to fit its type. Another CRD of the same group and kind, such as the kubebuilder tutorial's, has no
 * defaults and may require less. A field that is missing or of another type gets its default. One without a default becomes empty,
 * and is then reported as invalid. A CronJob that fits already is returned unchanged.
 */
export function completeCronJob(cronJob: CronJob): CronJob {
  const spec = completeSpec(cronJob.spec);
  const status = completeStatus(cronJob.status);
  if (spec === cronJob.spec && status === cronJob.status) return cronJob;
  const { status: _, ...rest } = cronJob;
  return { ...rest, spec, ...(status === undefined ? {} : { status }) };
}

function completeSpec(given: CronJobSpec): CronJobSpec {
  const spec = isRecord(given) ? given : EMPTY_SPEC;
  // The common case, of each object that comes in: nothing to complete.
  if (REQUIRED_FIELDS.every((field) => isFit(spec, field)) && OPTIONAL_FIELDS.every((field) => isFit(spec, field))) {
    return spec;
  }
  const missing = REQUIRED_FIELDS.filter((field) => !isFit(spec, field)).map(({ name, value }) => [name, value]);
  const unfit = OPTIONAL_FIELDS.filter((field) => !isFit(spec, field)).map(({ name }) => name);
  return {
    ...(without(spec, unfit) as CronJobSpec), // these are optional
    ...Object.fromEntries(missing),
    ...(unfit.includes('timeZone') && { timeZone: '' }), // it is then reported as unknown
  };
}

interface SpecField {
  readonly name: keyof CronJobSpec;
  readonly fits: (value: unknown) => boolean;
}

function isFit(spec: CronJobSpec, { name, fits }: SpecField): boolean {
  return fits(fieldOf(spec, name));
}

/** Null counts as missing. */
function fieldOf<T extends object>(object: T, name: keyof T): unknown {
  return object[name] ?? undefined;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const orAbsent = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value);

/** Fields that may be absent. One of another type is as if it were absent. */
const OPTIONAL_FIELDS: readonly SpecField[] = [
  { name: 'timeZone', fits: orAbsent(isText) },
  { name: 'startingDeadlineSeconds', fits: orAbsent(isNumber) },
  { name: 'suspendUntil', fits: orAbsent(isText) },
  { name: 'recentRunsLimit', fits: orAbsent(isNumber) },
  { name: 'startTimeoutSeconds', fits: orAbsent(isNumber) },
  { name: 'expectSuccessWithinSeconds', fits: orAbsent(isNumber) },
  { name: 'pauseAfterFailures', fits: orAbsent(isNumber) },
  { name: 'runContext', fits: orAbsent(isText) },
];

function without(given: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

const EMPTY_SPEC: CronJobSpec = defaultCronJob({ spec: { schedule: '', jobTemplate: {} } }).spec as CronJobSpec;
const REQUIRED_FIELDS: readonly (SpecField & { readonly value: unknown })[] = Object.entries(EMPTY_SPEC).map(
  ([name, value]) => ({ name: name as keyof CronJobSpec, value, fits: isLike(value) }),
);

function isLike(sample: unknown): SpecField['fits'] {
  return isRecord(sample) ? isRecord : (value) => typeof value === typeof sample;
}

function completeStatus(given: CronJobStatus | undefined): CronJobStatus | undefined {
  if (!isRecord(given)) return undefined;
  if (LISTS.every((field) => isFitList(given, field)) && VALUES.every((field) => isFitValue(given, field)))
    return given;
  const unfitLists = LISTS.filter((field) => !isFitList(given, field));
  const changed = [...unfitLists, ...VALUES.filter((field) => !isFitValue(given, field))].map(({ name }) => name);
  const lists = unfitLists.map((list) => [list.name, fitItems(fieldOf(given, list.name), list)] as const);
  return { ...without(given, changed), ...Object.fromEntries(lists.filter(([, list]) => list !== undefined)) };
}

interface StatusField {
  readonly name: keyof CronJobStatus;
  readonly fits: (value: unknown) => boolean;
}

interface StatusList extends StatusField {
  /** What differs between any two items that fit. */
  readonly key?: string;
}

/** Lists, with the test of their items. */
const LISTS: readonly StatusList[] = [
  { name: 'active', fits: isReference },
  { name: 'conditions', fits: isCondition, key: 'type' },
  { name: 'reported', fits: isText },
  { name: 'recentRuns', fits: isLine },
  { name: 'recentSkips', fits: isLine },
];

function isFitList(status: CronJobStatus, { name, fits, key }: StatusList): boolean {
  const list = fieldOf(status, name);
  return list === undefined || (Array.isArray(list) && list.every(fits) && areUnique(list, key));
}

function areUnique(list: readonly unknown[], key: string | undefined): boolean {
  return key === undefined || new Set(list.map((item) => valueAt(item, key))).size === list.length;
}

/**
 * Other fields that are read as what they are, or stored again in parts: the API server would refuse the whole status for what is wrong in
 * one. Times that are computed anew are parsed with care wherever they are read.
 */
const VALUES: readonly StatusField[] = [
  { name: 'failedStart', fits: isFailedStartLike },
  { name: 'consecutiveFailures', fits: isCount },
  { name: 'lastRun', fits: isLastRun },
  { name: 'paused', fits: (value) => isText(valueAt(value, 'reason')) && isTime(valueAt(value, 'since')) },
  { name: 'lastResume', fits: isText },
];

/** A whole number of 32 bits, and not negative. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value === (value | 0);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && parseTime(value) !== undefined;
}

const orAbsentTime = orAbsent(isTime);

function isLastRun(value: unknown): boolean {
  const isKnown = RUN_RESULTS.some((result) => result === valueAt(value, 'result'));
  const areTimes = ['scheduledTime', 'startTime', 'completionTime'].every((name) => orAbsentTime(valueAt(value, name)));
  return isKnown && areTimes && isText(valueAt(value, 'jobName')) && orAbsent(isText)(valueAt(value, 'reason'));
}

function isFitValue(status: CronJobStatus, { name, fits }: StatusField): boolean {
  const value = fieldOf(status, name);
  return value === undefined || fits(value);
}

/** `undefined` for what is no list. Of items with the same key the first. */
function fitItems(list: unknown, { fits, key }: StatusList): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = list.filter(fits);
  if (key === undefined) return items;
  const keys = new Set<unknown>();
  return items.filter((item) => keys.size < keys.add(valueAt(item, key)).size);
}

/** One that is too long, of a CRD without the bound, would keep the list from ever being stored again. */
function isLine(item: unknown): boolean {
  return typeof item === 'string' && item.length <= MAX_RECENT_LINE_LENGTH;
}

function isReference(item: unknown): boolean {
  const name = valueAt(item, 'name');
  return typeof name === 'string' && name !== '';
}

function isCondition(item: unknown): boolean {
  return isRecord(item) && isText(item['type']) && isText(item['message']);
}

function isFailedStartLike(given: unknown): boolean {
  const isNamed =
    typeof valueAt(given, 'jobName') === 'string' &&
    FAILED_START_REASONS.some((reason) => reason === valueAt(given, 'reason'));
  return isNamed && ['string', 'undefined'].includes(typeof valueAt(given, 'message'));
}

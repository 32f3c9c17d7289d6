/** Fills in defaults. The CRD does the same, from the same schema: this is for an API server that has another CRD of the kind. */
import { FAILED_START_REASONS } from './cronjob-defaults.ts';
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
  const missing = REQUIRED_FIELDS.filter(([name, value]) => !isLike(valueAt(spec, name), value));
  const isZone = ['string', 'undefined'].includes(typeof spec.timeZone);
  const unfit = OPTIONAL_FIELDS.filter(([name, type]) => ![type, 'undefined'].includes(typeof valueAt(spec, name)));
  // The common case, in every pass: nothing to complete.
  if (missing.length === 0 && isZone && unfit.length === 0) return spec;
  return {
    ...(without(spec, unfit) as CronJobSpec), // these are optional
    ...Object.fromEntries(missing),
    ...(isZone ? {} : { timeZone: '' }),
  };
}

/** Fields that may be absent, with the types of their values. One of another type is as if it were absent. */
const OPTIONAL_FIELDS = [
  ['startingDeadlineSeconds', 'number'],
  ['suspendUntil', 'string'],
  ['recentRunsLimit', 'number'],
  ['startTimeoutSeconds', 'number'],
  ['expectSuccessWithinSeconds', 'number'],
  ['pauseAfterFailures', 'number'],
  ['runContext', 'string'],
] as const satisfies readonly (readonly [keyof CronJobSpec, string])[];

function without(given: object, fields: readonly (readonly [string, unknown])[]): object {
  const dropped = new Set(fields.map(([name]) => name));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !dropped.has(name)));
}

const EMPTY_SPEC: CronJobSpec = defaultCronJob({ spec: { schedule: '', jobTemplate: {} } }).spec as CronJobSpec;
const REQUIRED_FIELDS = Object.entries(EMPTY_SPEC);

function isLike(value: unknown, sample: unknown): boolean {
  return isRecord(sample) ? isRecord(value) : typeof value === typeof sample;
}

function completeStatus(given: CronJobStatus | undefined): CronJobStatus | undefined {
  if (!isRecord(given)) return undefined;
  const lists = LISTS.map(([name, fits]) => [name, itemsThat(fits, valueAt(given, name))] as const);
  const changed = [
    ...lists.filter(([name, list]) => list !== valueAt(given, name)),
    ...VALUES.filter(([name, fits]) => valueAt(given, name) !== undefined && !fits(valueAt(given, name))),
  ];
  if (changed.length === 0) return given;
  return { ...without(given, changed), ...Object.fromEntries(lists.filter(([, list]) => list !== undefined)) };
}

type StatusField = readonly [name: keyof CronJobStatus, fits: (value: unknown) => boolean];

const isText = (value: unknown) => typeof value === 'string';

/** Lists, with the test of their items. */
const LISTS: readonly StatusField[] = [
  ['active', isReference],
  ['conditions', isCondition],
  ['reported', isText],
  ['recentRuns', isText],
  ['recentSkips', isText],
];

/** Other fields that are read as what they are; times are parsed with care wherever they are read. */
const VALUES: readonly StatusField[] = [
  ['failedStart', isFailedStartLike],
  ['consecutiveFailures', (value) => typeof value === 'number'],
  ['paused', (value) => isText(valueAt(value, 'reason')) && isText(valueAt(value, 'since'))],
  ['lastResume', isText],
];

/** The items that fit; the list itself when all do. */
function itemsThat(fits: (item: unknown) => boolean, list: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.every(fits) ? list : list.filter(fits);
}

function isReference(item: unknown): boolean {
  const name = valueAt(item, 'name');
  return typeof name === 'string' && name !== '';
}

function isCondition(item: unknown): boolean {
  return ['type', 'message'].every((field) => typeof valueAt(item, field) === 'string');
}

function isFailedStartLike(given: unknown): boolean {
  const isNamed =
    typeof valueAt(given, 'jobName') === 'string' &&
    FAILED_START_REASONS.some((reason) => reason === valueAt(given, 'reason'));
  return isNamed && ['string', 'undefined'].includes(typeof valueAt(given, 'message'));
}

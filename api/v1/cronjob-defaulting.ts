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
  const isDeadline = ['number', 'undefined'].includes(typeof spec.startingDeadlineSeconds);
  // The common case, in every pass: nothing to complete.
  if (missing.length === 0 && isZone && isDeadline) return spec;
  const { timeZone, startingDeadlineSeconds, ...rest } = spec;
  return {
    ...rest,
    ...Object.fromEntries(missing),
    ...(timeZone !== undefined && { timeZone: isZone ? timeZone : '' }),
    ...(startingDeadlineSeconds !== undefined && isDeadline && { startingDeadlineSeconds }),
  };
}

const EMPTY_SPEC: CronJobSpec = defaultCronJob({ spec: { schedule: '', jobTemplate: {} } }).spec as CronJobSpec;
const REQUIRED_FIELDS = Object.entries(EMPTY_SPEC);

function isLike(value: unknown, sample: unknown): boolean {
  return isRecord(sample) ? isRecord(value) : typeof value === typeof sample;
}

function completeStatus(given: CronJobStatus | undefined): CronJobStatus | undefined {
  if (!isRecord(given)) return undefined;
  const active = itemsThat(isReference, given.active);
  const conditions = itemsThat(isCondition, given.conditions);
  const reported = itemsThat((key) => typeof key === 'string', given.reported);
  const isFailedStart = given.failedStart === undefined || isFailedStartLike(given.failedStart);
  const isWhole = active === given.active && conditions === given.conditions && reported === given.reported;
  if (isWhole && isFailedStart) return given;
  const { active: _, conditions: __, reported: ___, failedStart, ...rest } = given;
  return {
    ...rest,
    ...(active && { active }),
    ...(conditions && { conditions }),
    ...(reported && { reported }),
    ...(failedStart !== undefined && isFailedStart && { failedStart }),
  };
}

/** The items that fit; the list itself when all do. */
function itemsThat<T>(fits: (item: unknown) => boolean, list: readonly T[] | undefined): readonly T[] | undefined {
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

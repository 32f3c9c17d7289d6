/** What a CronJob must be to be stored. */

import { type FieldError, invalid, notSupported, required, tooLong } from '../../runtime/kubernetes/field-error.ts';
import {
  CONCURRENCY_POLICIES,
  MAX_NAME_LENGTH,
  MAX_SCHEDULE_LENGTH,
  MAX_TIME_ZONE_LENGTH,
} from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { isChanged, isRecord, valueAt } from './raw-object.ts';
import { parseSchedule, type ScheduleOptions } from './schedule.ts';

/**
 * Every fault of the CronJob, but for those inside its jobTemplate, which the API server knows best. Of an update only what it
 * changes is looked at, so that an object which has a fault already can still be labelled, suspended, or fixed bit by bit; one
 * that is being deleted always passes. Never throws, whatever the object is in truth.
 *
 * Says what the CRD says too: the API server may have an older one.
 */
export function validateCronJob(cronJob: CronJob, old?: CronJob): readonly FieldError[] {
  if (isBeingDeleted(cronJob)) return [];
  return [...(old === undefined ? nameErrors(cronJob) : []), ...specErrors(cronJob, old)];
}

/** Whether nothing about it matters any more. */
export function isBeingDeleted(cronJob: CronJob): boolean {
  return valueAt(cronJob, 'metadata', 'deletionTimestamp') !== undefined;
}

/** Only of a new object: the name of an old one cannot be changed. */
function nameErrors(cronJob: CronJob): readonly FieldError[] {
  const name = valueAt(cronJob, 'metadata', 'name');
  if (typeof name !== 'string' || name.length <= MAX_NAME_LENGTH) return [];
  const fault =
    `must be no more than ${MAX_NAME_LENGTH} characters, because the names of its Jobs are 11 longer; ` +
    'choose a shorter name';
  return [invalid('metadata.name', name, fault)];
}

function specErrors(cronJob: CronJob, old: CronJob | undefined): readonly FieldError[] {
  const spec = valueAt(cronJob, 'spec');
  if (!isRecord(spec)) return isChanged(cronJob, old, 'spec') ? [notAnObject('spec', spec, SPEC_FIX)] : [];
  const checks = [...Object.entries(CHECKS).map(([name, check]) => [[name], check] as const), ...TEMPLATE_CHECKS];
  return checks
    .filter(([path]) => isChanged(cronJob, old, 'spec', ...path))
    .flatMap(([path, check]) => check(['spec', ...path].join('.'), valueAt(spec, ...path)));
}

const SPEC_FIX = 'give a schedule and a jobTemplate';

type Check = (field: string, value: unknown) => readonly FieldError[];

const MAX_INT32 = 2 ** 31 - 1;
/** The nearest number to the largest int64 there is: JSON numbers are read with 53 bits. */
const MAX_INT64 = 2 ** 63;

const CHECKS: { readonly [Field in keyof CronJobSpec]-?: Check } = {
  schedule,
  timeZone: optional(timeZone),
  startingDeadlineSeconds: optional(wholeNumber(MAX_INT64)),
  concurrencyPolicy: optional(concurrencyPolicy),
  suspend: optional(trueOrFalse),
  jobTemplate,
  successfulJobsHistoryLimit: optional(wholeNumber(MAX_INT32)),
  failedJobsHistoryLimit: optional(wholeNumber(MAX_INT32)),
};

/**
 * What a Job may have and a template may not, in the words of batch/v1. Whoever tries the template as a Job does not see these: no
 * Job gets them.
 */
const TEMPLATE_CHECKS: readonly (readonly [path: readonly string[], Check])[] = [
  [['jobTemplate', 'spec', 'selector'], optional(selector)],
  [['jobTemplate', 'spec', 'manualSelector'], optional(manualSelector)],
];

function optional(check: Check): Check {
  return (field, value) => (value === undefined ? [] : check(field, value));
}

function schedule(field: string, value: unknown): readonly FieldError[] {
  if (value === undefined) return [required(field, SCHEDULE_FIX)];
  if (typeof value !== 'string') return [invalid(field, value, `must be text; ${SCHEDULE_FIX}`)];
  if (value.length > MAX_SCHEDULE_LENGTH) return [tooLong(field, value, MAX_SCHEDULE_LENGTH, SCHEDULE_FIX)];
  return parseErrors(field, value);
}

const SCHEDULE_FIX = 'give a schedule in cron format, such as "0 * * * *"';
/** A schedule that is as good as any while it is the zone that is asked about. */
const ANY_SCHEDULE = '* * * * *';

const TIME_ZONE_FIX = 'give an IANA name such as Europe/Berlin';

/** On its own, so that a wrong zone does not hide a wrong schedule. */
function timeZone(field: string, value: unknown): readonly FieldError[] {
  if (typeof value !== 'string') return [invalid(field, value, `must be text; ${TIME_ZONE_FIX}`)];
  if (value.length > MAX_TIME_ZONE_LENGTH) return [tooLong(field, value, MAX_TIME_ZONE_LENGTH, TIME_ZONE_FIX)];
  return parseErrors(field, ANY_SCHEDULE, { timeZone: value });
}

function parseErrors(field: string, text: string, options?: ScheduleOptions): readonly FieldError[] {
  const parsed = parseSchedule(text, options);
  if (parsed.kind === 'ok') return [];
  // It names the field and the value itself.
  const message = parsed.message.replace(`${field}: `, 'Invalid value: ');
  return [{ reason: 'FieldValueInvalid', field, message }];
}

function concurrencyPolicy(field: string, value: unknown): readonly FieldError[] {
  const isKnown = CONCURRENCY_POLICIES.some((policy) => policy === value);
  return isKnown ? [] : [notSupported(field, value, CONCURRENCY_POLICIES)];
}

function trueOrFalse(field: string, value: unknown): readonly FieldError[] {
  return typeof value === 'boolean' ? [] : [invalid(field, value, 'must be true or false')];
}

function jobTemplate(field: string, value: unknown): readonly FieldError[] {
  return isRecord(value) ? [] : [notAnObject(field, value, 'give the Job that each run creates')];
}

function selector(field: string, value: unknown): readonly FieldError[] {
  return [invalid(field, value, '`selector` will be auto-generated; remove it')];
}

function manualSelector(field: string, value: unknown): readonly FieldError[] {
  return value === false ? [] : [notSupported(field, value, ['nil', 'false'])];
}

function wholeNumber(max: number): Check {
  return (field, value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return [invalid(field, value, 'must be a whole number')];
    if (value < 0) return [invalid(field, value, 'must be greater than or equal to 0')];
    return value > max ? [invalid(field, value, `must be less than or equal to ${max}`)] : [];
  };
}

function notAnObject(field: string, value: unknown, fix: string): FieldError {
  return value === undefined ? required(field, fix) : invalid(field, value, `must be an object; ${fix}`);
}

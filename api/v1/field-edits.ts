/** Reads from `managedFields` which fields a client has set and when the client last changed one of the fields. */
import type { ManagedFields } from '../kubernetes.ts';
import { findLatest, parseTime } from '../time.ts';
import type { CronJob } from './cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from './groupversion.ts';

const SCHEDULE_FIELDS = { 'f:spec': { 'f:schedule': {} } } as const;
const SPEC_FIELDS = { 'f:spec': {} } as const;
const RUN_NOW_FIELDS = { 'f:metadata': { 'f:annotations': { [`f:${RUN_NOW_ANNOTATION}`]: {} } } } as const;

/** The fields that define the schedule. After an edit of such a field, no run starts for an earlier scheduled time. */
export const SCHEDULE_FIELD_NAMES = [
  'schedule',
  'timeZone',
  'schedules',
  'startTime',
  'endTime',
  'daylightSaving',
] as const;

/** The keys of the fields in `managedFields`, computed once, because reconciles of thousands of CronJobs search for them. */
const SCHEDULE_FIELD_KEYS = SCHEDULE_FIELD_NAMES.map((name) => `f:${name}`);
const RUN_NOW_KEY = `f:${RUN_NOW_ANNOTATION}`;

/** Returns the latest time in the `managedFields` entries that own one of {@link SCHEDULE_FIELD_NAMES}. */
export function findLastScheduleEdit({ metadata }: CronJob): Date | undefined {
  return findLatest(...(metadata.managedFields ?? []).filter(ownsSchedule).map(({ time }) => parseTime(time)));
}

/**
 * Returns true if a client set the run-now annotation after the CronJob was created.
 *
 * If an entry of `managedFields` also owns fields of the spec, its time may be the time of a later change of the spec. Only the
 * time of an entry without fields of the spec is reliable.
 */
export function wasRunNowSetAfterCreation({ metadata }: CronJob): boolean {
  const creationTime = parseTime(metadata.creationTimestamp);
  const entries = (metadata.managedFields ?? []).filter(ownsRunNow);
  return (
    creationTime !== undefined &&
    entries.length > 0 &&
    entries.every((entry) => {
      const time = parseTime(entry.time);
      return !ownsSpec(entry) && time !== undefined && time >= creationTime;
    })
  );
}

/**
 * Removes the `managedFields` that the controller does not read, because `managedFields` take half of the memory of a
 * typical CronJob.
 */
export function trimManagedFields(cronJob: CronJob): CronJob {
  const { managedFields = [], ...metadata } = cronJob.metadata;
  const edits = managedFields.flatMap((entry) => {
    const fieldsV1 = {
      ...(ownsRunNow(entry) && { ...(ownsSpec(entry) && SPEC_FIELDS), ...RUN_NOW_FIELDS }),
      ...(ownsSchedule(entry) && SCHEDULE_FIELDS),
    };
    if (Object.keys(fieldsV1).length === 0) return [];
    return [{ ...(entry.time === undefined ? {} : { time: entry.time }), fieldsV1 }];
  });
  return { ...cronJob, metadata: edits.length === 0 ? metadata : { ...metadata, managedFields: edits } };
}

function ownsSchedule({ fieldsV1 }: ManagedFields): boolean {
  const spec = getNestedFields(fieldsV1, 'f:spec');
  return SCHEDULE_FIELD_KEYS.some((key) => key in spec);
}

function ownsSpec({ fieldsV1 }: ManagedFields): boolean {
  return fieldsV1 !== undefined && 'f:spec' in fieldsV1;
}

function ownsRunNow({ fieldsV1 }: ManagedFields): boolean {
  return RUN_NOW_KEY in getNestedFields(getNestedFields(fieldsV1, 'f:metadata'), 'f:annotations');
}

function getNestedFields(fields: object | undefined, name: string): object {
  const nestedFields: unknown = fields === undefined ? undefined : Reflect.get(fields, name);
  return typeof nestedFields === 'object' && nestedFields !== null ? nestedFields : {};
}

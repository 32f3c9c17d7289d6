/** Reads edits from `managedFields`: which fields a client has set, and when it last changed one of them. */
import type { ManagedFields } from '../kubernetes.ts';
import { latest, parseTime } from '../time.ts';
import type { CronJob } from './cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from './groupversion.ts';

const SCHEDULE_ONLY = { 'f:spec': { 'f:schedule': {} } } as const;
const SPEC_ONLY = { 'f:spec': {} } as const;
const RUN_NOW_ONLY = { 'f:metadata': { 'f:annotations': { [`f:${RUN_NOW_ANNOTATION}`]: {} } } } as const;

/** The newest time of an entry that owns the schedule or its zone. */
export function lastScheduleEdit({ metadata }: CronJob): Date | undefined {
  return latest(...(metadata.managedFields ?? []).filter(ownsSchedule).map(({ time }) => parseTime(time)));
}

/**
 * Whether the run-now annotation was set after the creation, and was not in the manifest that created the CronJob.
 *
 * The entry of the client that created the CronJob owns fields of the spec, and gets a new time with every later change of that
 * client. So only an entry that owns the annotation and no field of the spec shows when the annotation was set.
 */
export function isRunNowSetLater({ metadata }: CronJob): boolean {
  const created = parseTime(metadata.creationTimestamp);
  const owners = (metadata.managedFields ?? []).filter(ownsRunNow);
  return (
    created !== undefined &&
    owners.length > 0 &&
    owners.every((entry) => {
      const time = parseTime(entry.time);
      return !ownsSpec(entry) && time !== undefined && time >= created;
    })
  );
}

/** The CronJob with only the `managedFields` that this file reads, to save memory: they are half of a typical object. */
export function trimManagedFields(cronJob: CronJob): CronJob {
  const { managedFields = [], ...metadata } = cronJob.metadata;
  const edits = managedFields.flatMap((entry) => {
    const fieldsV1 = {
      ...(ownsRunNow(entry) && { ...(ownsSpec(entry) && SPEC_ONLY), ...RUN_NOW_ONLY }),
      ...(ownsSchedule(entry) && SCHEDULE_ONLY),
    };
    if (Object.keys(fieldsV1).length === 0) return [];
    return [{ ...(entry.time === undefined ? {} : { time: entry.time }), fieldsV1 }];
  });
  return { ...cronJob, metadata: edits.length === 0 ? metadata : { ...metadata, managedFields: edits } };
}

function ownsSchedule({ fieldsV1 }: ManagedFields): boolean {
  const spec = getNestedFields(fieldsV1, 'f:spec');
  return 'f:schedule' in spec || 'f:timeZone' in spec;
}

function ownsSpec({ fieldsV1 }: ManagedFields): boolean {
  return fieldsV1 !== undefined && 'f:spec' in fieldsV1;
}

function ownsRunNow({ fieldsV1 }: ManagedFields): boolean {
  return `f:${RUN_NOW_ANNOTATION}` in getNestedFields(getNestedFields(fieldsV1, 'f:metadata'), 'f:annotations');
}

function getNestedFields(fields: object | undefined, name: string): object {
  const found: unknown = fields === undefined ? undefined : Reflect.get(fields, name);
  return typeof found === 'object' && found !== null ? found : {};
}

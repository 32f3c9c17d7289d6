/** Finds faults in a CronJob that the API server or the webhooks would refuse. No cluster is needed. */
import type { StructuralSchema } from 'controller-runtime';
import type { FieldError } from 'controller-runtime/kubernetes';
import { validateCronJob } from '../../../api/v1/cronjob-validation.ts';
import { API_VERSION } from '../../../api/v1/groupversion.ts';
import { validateJobTemplate } from '../../../api/v1/job-template-validation.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import SCHEMA from './cronjob.schema.json' with { type: 'json' };
import { checkMetadata } from './metadata-faults.ts';
import { findNullNotes, type NullNote } from './null-notes.ts';
import { checkSchema, UNKNOWN_FIELD_PREFIX } from './schema-faults.ts';
import { suggestParentPath } from './suggest-parent.ts';

const MAX_FAULTS = 50;

/**
 * Ignores admission policies and the Kubernetes rules for Jobs and Pods, because only a cluster can check such rules. Never throws.
 */
export function findCronJobFaults(cronJob: unknown): readonly FieldError[] {
  const faults = [
    checkVersion(cronJob),
    checkMetadata(cronJob),
    validateCronJob(omitServerFields(cronJob)),
    checkTemplate(cronJob),
    [...checkCronJobSchema(cronJob)],
  ].flatMap((each) => each.slice(0, MAX_FAULTS)); // the search for redundant faults takes the square of their number
  return faults
    .filter((fault, index) => !isRedundant(fault, faults, index))
    .slice(0, MAX_FAULTS)
    .map(addParentHint);
}

/**
 * If an unknown field belongs in a different object of the manifest, such as the Pod template, suggests that object instead of a
 * field with a similar name.
 */
function addParentHint(fault: FieldError): FieldError {
  const parentHint = fault.message.startsWith(UNKNOWN_FIELD_PREFIX)
    ? suggestParentPath(fault.field, CRON_JOB_SCHEMA)
    : undefined;
  return parentHint === undefined ? fault : { ...fault, message: `${UNKNOWN_FIELD_PREFIX}; ${parentHint}` };
}

/** Finds null values in the spec that some clusters or clients refuse. */
export function findCronJobNullNotes(cronJob: unknown): readonly NullNote[] {
  return findNullNotes(CRON_JOB_SCHEMA, { spec: valueAt(cronJob, 'spec') }).slice(0, MAX_FAULTS);
}

function checkVersion(cronJob: unknown): readonly FieldError[] {
  const version = valueAt(cronJob, 'apiVersion');
  if (version === API_VERSION) return [];
  const message = `Unsupported value: ${JSON.stringify(version)}: supported values: "${API_VERSION}"`;
  return [{ reason: 'FieldValueNotSupported', field: 'apiVersion', message }];
}

/** Removes the fields that only the API server sets, for example from an exported object. */
export function omitServerFields(cronJob: unknown): unknown {
  const metadata = valueAt(cronJob, 'metadata');
  if (!isRecord(cronJob) || !isRecord(metadata)) return cronJob;
  const { deletionTimestamp: _, creationTimestamp: __, ...rest } = metadata;
  return { ...cronJob, metadata: rest };
}

function checkTemplate(cronJob: unknown): readonly FieldError[] {
  const template = valueAt(cronJob, 'spec', 'jobTemplate');
  return isRecord(template) ? validateJobTemplate('spec.jobTemplate', template) : [];
}

/** The cast replaces the type that TypeScript infers from `cronjob.schema.json`. */
const CRON_JOB_SCHEMA = SCHEMA as unknown as StructuralSchema;

/** Checks only the field names inside `status`, because the API server ignores the status of a manifest. */
function* checkCronJobSchema(cronJob: unknown): Generator<FieldError> {
  let count = 0;
  for (const fault of checkSchema(CRON_JOB_SCHEMA, { value: cronJob, path: [] })) {
    const isStatusField = /^status\b/.test(fault.field);
    if (fault.field === '' || (isStatusField && !fault.message.startsWith(UNKNOWN_FIELD_PREFIX))) continue;
    yield fault;
    count += 1;
    if (count > MAX_FAULTS) return;
  }
}

/**
 * Returns whether the list already contains a fault of the field, or a fault of a parent field that is missing or has the wrong
 * type.
 */
function isRedundant({ field }: FieldError, faults: readonly FieldError[], index: number): boolean {
  return faults.some((otherFault, otherIndex) => {
    if (otherFault.field === field) return otherIndex < index && otherFault.message !== '';
    const isBelow = field.startsWith(`${otherFault.field}.`) || field.startsWith(`${otherFault.field}[`);
    return isBelow && ['FieldValueRequired', 'FieldValueTypeInvalid'].includes(otherFault.reason);
  });
}

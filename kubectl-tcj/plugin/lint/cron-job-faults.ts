/** Faults in a CronJob that the API server and the webhooks would refuse and that can be found without a cluster. */
import type { StructuralSchema } from 'controller-runtime';
import type { FieldError } from 'controller-runtime/kubernetes';
import { validateCronJob } from '../../../api/v1/cronjob-validation.ts';
import { API_VERSION } from '../../../api/v1/groupversion.ts';
import { validateJobTemplate } from '../../../api/v1/job-template-validation.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import SCHEMA from './cronjob.schema.json' with { type: 'json' };
import { checkMetadata } from './metadata-faults.ts';
import { findNullNotes, type NullNote } from './null-notes.ts';
import { checkSchema, UNKNOWN_FIELD } from './schema-faults.ts';
import { suggestLevel } from './suggest-level.ts';

/** Maximum faults per CronJob. */
const MAX_FAULTS = 50;

/** Skips the rules of Kubernetes for Jobs and Pods, and policies, because only a cluster has them. Never throws. */
export function findCronJobFaults(cronJob: unknown): readonly FieldError[] {
  const found = [
    ...checkVersion(cronJob),
    ...checkMetadata(cronJob),
    ...validateCronJob(omitServerFields(cronJob)),
    ...checkTemplate(cronJob),
    ...checkCronJobSchema(cronJob),
  ];
  return found
    .filter((fault, index) => !isRedundant(fault, found, index))
    .slice(0, MAX_FAULTS)
    .map(addLevelHint);
}

/** For a field at the wrong level, suggests the right level instead of a similar name. */
function addLevelHint(fault: FieldError): FieldError {
  const place = fault.message.startsWith(UNKNOWN_FIELD) ? suggestLevel(fault.field, ROOT) : undefined;
  return place === undefined ? fault : { ...fault, message: `${UNKNOWN_FIELD}; ${place}` };
}

/** Nulls in the spec that depend on the webhooks, or on how the CronJob is applied. */
export function findCronJobNullNotes(cronJob: unknown): readonly NullNote[] {
  return findNullNotes(ROOT, { spec: valueAt(cronJob, 'spec') }).slice(0, MAX_FAULTS);
}

function checkVersion(cronJob: unknown): readonly FieldError[] {
  const version = valueAt(cronJob, 'apiVersion');
  if (version === API_VERSION) return [];
  const message = `Unsupported value: ${JSON.stringify(version)}: supported values: "${API_VERSION}"`;
  return [{ reason: 'FieldValueNotSupported', field: 'apiVersion', message }];
}

/** Removes fields that the API server set in an exported object, because a manifest creates a new one. */
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

/** The inferred TypeScript type of the file is not useful here. */
const ROOT = SCHEMA as unknown as StructuralSchema;

/** Checks only the field names of a status: the API server drops a status in a manifest. */
function* checkCronJobSchema(cronJob: unknown): Generator<FieldError> {
  let count = 0;
  for (const fault of checkSchema(ROOT, { value: cronJob, path: [] })) {
    const isOfStatus = /^status\b/.test(fault.field);
    if (fault.field === '' || (isOfStatus && !fault.message.startsWith(UNKNOWN_FIELD))) continue;
    yield fault;
    count += 1;
    if (count > MAX_FAULTS) return;
  }
}

/** Whether another fault explains this one better, or follows from a missing or invalid parent field. */
function isRedundant({ field }: FieldError, all: readonly FieldError[], index: number): boolean {
  return all.some((other, at) => {
    if (other.field === field) return at < index && other.message !== '';
    const isBelow = field.startsWith(`${other.field}.`) || field.startsWith(`${other.field}[`);
    return isBelow && ['FieldValueRequired', 'FieldValueTypeInvalid'].includes(other.reason);
  });
}

/** What the API server and the webhooks would refuse in a CronJob, as far as no cluster is needed to see it. */
import type { StructuralSchema } from 'controller-runtime';
import type { FieldError } from 'controller-runtime/kubernetes';
import { validateCronJob } from '../../../api/v1/cronjob-validation.ts';
import { API_VERSION } from '../../../api/v1/groupversion.ts';
import { validateJobTemplate } from '../../../api/v1/job-template-validation.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import SCHEMA from './cronjob.schema.json' with { type: 'json' };
import { metadataFaults } from './metadata-faults.ts';
import { placeFor } from './misplaced.ts';
import { type NullNote, nullNotes } from './null-notes.ts';
import { schemaFaults, UNKNOWN_FIELD } from './schema-faults.ts';

/** Of one CronJob. */
const MAX_FAULTS = 50;

/** Not the rules that Kubernetes itself has for Jobs and Pods, and no policy: these only a cluster knows. Never throws. */
export function cronJobFaults(cronJob: unknown): readonly FieldError[] {
  const found = [
    ...versionFaults(cronJob),
    ...metadataFaults(cronJob),
    ...validateCronJob(asNew(cronJob)),
    ...templateFaults(cronJob),
    ...ofSchema(cronJob),
  ];
  return found
    .filter((fault, index) => !isSaid(fault, found, index))
    .slice(0, MAX_FAULTS)
    .map(withPlace);
}

/** Of a field that stands at the wrong level, with the right one in place of a name that is like it. */
function withPlace(fault: FieldError): FieldError {
  const place = fault.message.startsWith(UNKNOWN_FIELD) ? placeFor(fault.field, ROOT) : undefined;
  return place === undefined ? fault : { ...fault, message: `${UNKNOWN_FIELD}; ${place}` };
}

/** Nulls in the spec that depend on the webhooks, or on how the CronJob is applied. */
export function cronJobNullNotes(cronJob: unknown): readonly NullNote[] {
  return nullNotes(ROOT, { spec: valueAt(cronJob, 'spec') }).slice(0, MAX_FAULTS);
}

function versionFaults(cronJob: unknown): readonly FieldError[] {
  const version = valueAt(cronJob, 'apiVersion');
  if (version === API_VERSION) return [];
  const message = `Unsupported value: ${JSON.stringify(version)}: supported values: "${API_VERSION}"`;
  return [{ reason: 'FieldValueNotSupported', field: 'apiVersion', message }];
}

/** A manifest creates: what the API server has set in one that was exported counts for nothing. */
export function asNew(cronJob: unknown): unknown {
  const metadata = valueAt(cronJob, 'metadata');
  if (!isRecord(cronJob) || !isRecord(metadata)) return cronJob;
  const { deletionTimestamp: _, creationTimestamp: __, ...kept } = metadata;
  return { ...cronJob, metadata: kept };
}

function templateFaults(cronJob: unknown): readonly FieldError[] {
  const template = valueAt(cronJob, 'spec', 'jobTemplate');
  return isRecord(template) ? validateJobTemplate('spec.jobTemplate', template) : [];
}

/** What the types of TypeScript make of the file has no use here. */
const ROOT = SCHEMA as unknown as StructuralSchema;

/** Of a status only its names: the API server drops what a manifest says there. */
function* ofSchema(cronJob: unknown): Generator<FieldError> {
  let count = 0;
  for (const fault of schemaFaults(ROOT, { value: cronJob, path: [] })) {
    const isOfStatus = /^status\b/.test(fault.field);
    if (fault.field === '' || (isOfStatus && !fault.message.startsWith(UNKNOWN_FIELD))) continue;
    yield fault;
    count += 1;
    if (count > MAX_FAULTS) return;
  }
}

/** Found with better words, or no surprise below a field that is missing or something else. */
function isSaid({ field }: FieldError, all: readonly FieldError[], index: number): boolean {
  return all.some((other, at) => {
    if (other.field === field) return at < index && other.message !== '';
    const isBelow = field.startsWith(`${other.field}.`) || field.startsWith(`${other.field}[`);
    return isBelow && ['FieldValueRequired', 'FieldValueTypeInvalid'].includes(other.reason);
  });
}

/**
 * Parses stored CronJobs. If the cluster has a different CRD for this kind, such as the CRD of the kubebuilder tutorial, a stored
 * CronJob may have invalid values or lack defaults.
 */
import { defaultCronJob } from './cronjob-defaulting.ts';
import { cronJobStatusSchema } from './cronjob-status.ts';
import { type CronJob, type CronJobSpec, type CronJobStatus, cronJobSpecSchema } from './cronjob-types.ts';
import {
  checkObject,
  checkString,
  compileFieldChecks,
  type FieldCheck,
  findFieldFault,
  getField,
  removeDuplicates,
  toListField,
  type ValueCheck,
} from './field-checks.ts';
import { isObjectName, isObjectNameAt } from './object-name.ts';
import { isRecord, valueAt } from './raw-object.ts';
import { parseRecentRun } from './recent-lines.ts';

/** A CronJob without invalid values. */
export interface StoredCronJob extends CronJob {
  /** Messages about removed values, such as `status.conditions must be of type array, not "x"`. */
  readonly invalidValues?: readonly string[];
}

/**
 * Removes invalid values from a stored CronJob. An invalid field of the spec gets its default. A required field without
 * a default becomes empty, and the controller reports the empty field as invalid. Entries with invalid object names are
 * removed, because a user may paste a name into a shell, and the shell could run an invalid name as a command. Returns
 * a valid CronJob unchanged.
 */
export function parseCronJob(stored: CronJob): StoredCronJob {
  if (!isRecord(stored)) return parseCronJob({} as CronJob); // the result lists the missing fields
  if (Object.hasOwn(stored, 'invalidValues') && !REPAIRED_CRONJOBS.has(stored))
    return parseCronJob(withoutInvalidValues(stored));
  const invalidValues = new InvalidValues();
  const metadata = repairMetadata(stored.metadata, invalidValues);
  const spec = repairSpec(stored.spec, invalidValues);
  const status = repairStatus(stored.status, invalidValues);
  if (metadata === stored.metadata && spec === stored.spec && status === stored.status) return stored;
  const { status: _, ...rest } = stored;
  const parsed = { ...rest, metadata, spec, ...(status && { status }), ...invalidValues.found };
  REPAIRED_CRONJOBS.add(parsed);
  return parsed;
}

/** The results of {@link parseCronJob} that have `invalidValues`. */
const REPAIRED_CRONJOBS = new WeakSet<object>();

/** Removes the field `invalidValues`, because only {@link parseCronJob} may set it. */
function withoutInvalidValues({ invalidValues: _, ...stored }: StoredCronJob): CronJob {
  return stored;
}

/** The maximum number of messages about invalid values. */
const MAX_INVALID_VALUES = 5;

class InvalidValues {
  readonly #messages: string[] = [];
  #count = 0;

  addMessage(message: string): void {
    if (++this.#count <= MAX_INVALID_VALUES) this.#messages.push(message);
  }

  get found(): Pick<StoredCronJob, 'invalidValues'> {
    if (this.#count === 0) return {};
    const omittedCount = this.#count - this.#messages.length;
    return { invalidValues: omittedCount === 0 ? this.#messages : [...this.#messages, `${omittedCount} more`] };
  }
}

type Metadata = CronJob['metadata'];

/** Only an API server of a test returns invalid metadata, because a real API server validates metadata. */
function repairMetadata(storedMetadata: Metadata, invalidValues: InvalidValues): Metadata {
  if (isRecord(storedMetadata)) {
    const fields = repairFields<object>(storedMetadata, METADATA_CHECKS, { path: 'metadata', invalidValues });
    return fields === storedMetadata ? storedMetadata : ({ ...EMPTY_METADATA, ...fields } as Metadata); // repairFields has checked each field
  }
  invalidValues.addMessage('metadata is missing');
  return EMPTY_METADATA;
}

const EMPTY_METADATA: Metadata = { name: '', namespace: '', uid: '', resourceVersion: '', creationTimestamp: '' };

const checkStringMap: ValueCheck = (value) => {
  const fault = checkObject(value);
  if (fault !== undefined) return fault;
  for (const each of Object.values(value as object)) {
    const valueFault = checkString(each);
    if (valueFault !== undefined) return valueFault;
  }
  return undefined;
};

const METADATA_CHECKS: readonly FieldCheck[] = [
  ...Object.keys(EMPTY_METADATA).map((name) => ({ name, isRequired: false, check: checkString })),
  ...['labels', 'annotations'].map((name) => ({ name, isRequired: false, check: checkStringMap })),
];

/** The default values of the spec. Required fields are empty, and the controller reports empty fields as invalid. */
const DEFAULT_SPEC: CronJobSpec = defaultCronJob({ spec: { schedule: '', jobTemplate: {} } }).spec as CronJobSpec;
const FIELDS_WITH_DEFAULT = Object.keys(DEFAULT_SPEC);
const SPEC_CHECKS = compileFieldChecks(cronJobSpecSchema.shape, 'Types');

function repairSpec(storedSpec: CronJobSpec, invalidValues: InvalidValues): CronJobSpec {
  if (!isRecord(storedSpec)) {
    invalidValues.addMessage(
      `spec${(storedSpec ?? undefined) === undefined ? ' is missing' : checkObject(storedSpec)}`,
    );
    return DEFAULT_SPEC;
  }
  const spec: CronJobSpec = repairFields(storedSpec, SPEC_CHECKS, { path: 'spec', invalidValues });
  const missingFields = FIELDS_WITH_DEFAULT.filter((name) => getField(spec, name) === undefined);
  if (spec === storedSpec && missingFields.length === 0) return storedSpec;
  const hasInvalidZone = getField(storedSpec, 'timeZone') !== getField(spec, 'timeZone');
  return {
    ...spec,
    ...Object.fromEntries(Object.entries(DEFAULT_SPEC).filter(([name]) => missingFields.includes(name))),
    ...(hasInvalidZone && { timeZone: '' }), // the controller reports an empty time zone as unknown
  };
}

function repairStatus(
  storedStatus: CronJobStatus | undefined,
  invalidValues: InvalidValues,
): CronJobStatus | undefined {
  if (isRecord(storedStatus)) return repairFields(storedStatus, STATUS_CHECKS, { path: 'status', invalidValues });
  if ((storedStatus ?? undefined) !== undefined) invalidValues.addMessage(`status${checkObject(storedStatus)}`);
  return undefined;
}

/** Checks of object names, in addition to the checks of the schema. For a list, the check applies to each element. */
const NAME_CHECKS: Readonly<Partial<Record<keyof CronJobStatus, ValueCheck>>> = {
  active: (reference) => findNameFault(valueAt(reference, 'name') ?? ''),
  lastRun: (run) => findNameFault(valueAt(run, 'jobName')),
  failedStart: (start) => findNameFault(valueAt(start, 'jobName')),
  recentRuns: (line) => findRunLineFault(String(line)),
};

const TIME_LENGTH = '2026-11-23T02:00:00Z'.length;

/** Checks the Job name at its usual position in the line. Parses the whole line only if the usual position has no valid name. */
function findRunLineFault(line: string): string | undefined {
  const start = line.indexOf(' ', TIME_LENGTH + 1) + 1;
  return isObjectNameAt(line, start, line.indexOf(' ', start))
    ? undefined
    : findNameFault(parseRecentRun(line)?.jobName);
}

/**
 * The checks of the status are as strict as the checks of the API server, which rejects the whole status because of one
 * invalid field.
 */
const STATUS_CHECKS: readonly FieldCheck[] = compileFieldChecks(cronJobStatusSchema.shape, 'All').map((field) => {
  const nameCheck = NAME_CHECKS[field.name as keyof CronJobStatus];
  if (nameCheck === undefined) return field;
  const { check, listCheck } = field;
  const withNameCheck = (check: ValueCheck) => (value: unknown) => check(value) ?? nameCheck(value);
  return listCheck === undefined
    ? { ...field, check: withNameCheck(check) }
    : toListField(field, { ...listCheck, elementCheck: withNameCheck(listCheck.elementCheck) });
});

function findNameFault(name: unknown): string | undefined {
  // The message does not contain the name, because users copy names from messages into a shell.
  return name === undefined || isObjectName(name) ? undefined : ' has a name that no Job can have';
}

interface RepairContext {
  readonly path: string;
  readonly invalidValues: InvalidValues;
}

/** Removes invalid fields and invalid elements of lists. Does not remove unknown fields. Returns a valid object unchanged. */
function repairFields<T extends object>(stored: T, fields: readonly FieldCheck[], context: RepairContext): T {
  if (fields.every((field) => findFieldFault(stored, field) === undefined)) return stored;
  const invalidFields = fields.filter((field) => findFieldFault(stored, field) !== undefined);
  const repairedEntries = invalidFields.map((field) => [field.name, repairValue(stored, field, context)] as const);
  const invalidNames = new Set(invalidFields.map(({ name }) => name));
  return {
    ...Object.fromEntries(Object.entries(stored).filter(([name]) => !invalidNames.has(name))),
    ...Object.fromEntries(repairedEntries.filter(([, value]) => value !== undefined)),
  } as T; // the caller sets required fields
}

/** Returns the valid elements of a list, or `undefined` for an invalid value that is not a list. */
function repairValue(
  stored: object,
  field: FieldCheck,
  { path, invalidValues }: RepairContext,
): readonly unknown[] | undefined {
  const { name, listCheck } = field;
  const value = getField(stored, name);
  if (listCheck === undefined || !Array.isArray(value)) {
    invalidValues.addMessage(`${path}.${name}${findFieldFault(stored, field)}`);
    return undefined;
  }
  const validElements = value.filter((each, index) => {
    const fault = listCheck.elementCheck(each);
    if (fault !== undefined) invalidValues.addMessage(`${path}.${name}[${index}]${fault}`);
    return fault === undefined;
  });
  const uniqueElements = removeDuplicates(listCheck.uniqueKey, validElements);
  if (uniqueElements !== validElements)
    invalidValues.addMessage(`${path}.${name} has two elements with the same ${listCheck.uniqueKey}`);
  return uniqueElements;
}

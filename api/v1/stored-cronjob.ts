/**
 * Parses stored CronJobs, which may not fit their type: another CRD of the same group and kind, such as the kubebuilder tutorial's,
 * has no defaults and may require less. All code that reads stored objects uses it.
 */
import { defaultCronJob } from './cronjob-defaulting.ts';
import { cronJobStatusSchema } from './cronjob-status.ts';
import { type CronJob, type CronJobSpec, type CronJobStatus, cronJobSpecSchema } from './cronjob-types.ts';
import {
  type Check,
  checkObject,
  checkString,
  compileFieldChecks,
  type FieldCheck,
  findFault,
  getField,
  toListField,
  uniqueBy,
} from './field-checks.ts';
import { isObjectName, isObjectNameAt } from './object-name.ts';
import { isRecord, valueAt } from './raw-object.ts';
import { parseRecentRun } from './recent-lines.ts';

/** A CronJob that fits its type. */
export interface StoredCronJob extends CronJob {
  /** The values that did not fit, such as `status.conditions must be of type array, not "x"`. Absent when everything did. */
  readonly invalidValues?: readonly string[];
}

/**
 * Returns the stored CronJob without values that do not fit. A field of the spec gets its default; a field without a default
 * becomes empty, and is then reported as invalid. An invalid object name is removed, with the entry that it names, because users
 * copy names into a shell. A CronJob that fits is returned unchanged.
 */
export function parseCronJob(stored: CronJob): StoredCronJob {
  if (!isRecord(stored)) return parseCronJob({} as CronJob); // the code below reports what does not fit
  if (Object.hasOwn(stored, 'invalidValues') && !PARSED.has(stored)) return parseCronJob(withoutInvalidValues(stored));
  const invalidValues = new InvalidValues();
  const metadata = repairMetadata(stored.metadata, invalidValues);
  const spec = repairSpec(stored.spec, invalidValues);
  const status = repairStatus(stored.status, invalidValues);
  if (metadata === stored.metadata && spec === stored.spec && status === stored.status) return stored;
  const { status: _, ...rest } = stored;
  const parsed = { ...rest, metadata, spec, ...(status && { status }), ...invalidValues.found };
  PARSED.add(parsed);
  return parsed;
}

/** The results from which something was removed. */
const PARSED = new WeakSet<object>();

/** A stored field of this name does not come from this code. */
function withoutInvalidValues({ invalidValues: _, ...stored }: StoredCronJob): CronJob {
  return stored;
}

/** Maximum number of reported values, enough to show the problem. */
const MAX_INVALID_VALUES = 5;

class InvalidValues {
  readonly #texts: string[] = [];
  #count = 0;

  add(text: string): void {
    if (++this.#count <= MAX_INVALID_VALUES) this.#texts.push(text);
  }

  get found(): Pick<StoredCronJob, 'invalidValues'> {
    if (this.#count === 0) return {};
    const others = this.#count - this.#texts.length;
    return { invalidValues: others === 0 ? this.#texts : [...this.#texts, `${others} more`] };
  }
}

type Metadata = CronJob['metadata'];

/** A real API server has checked the metadata of any object; other servers may not. */
function repairMetadata(given: Metadata, invalidValues: InvalidValues): Metadata {
  if (isRecord(given)) {
    const fields = repairFields<object>(given, METADATA, { path: 'metadata', invalidValues });
    return fields === given ? given : ({ ...NO_METADATA, ...fields } as Metadata); // each of its fields has been checked
  }
  invalidValues.add('metadata is missing');
  return NO_METADATA;
}

const NO_METADATA: Metadata = { name: '', namespace: '', uid: '', resourceVersion: '', creationTimestamp: '' };

const checkStringMap: Check = (value) => {
  const fault = checkObject(value);
  if (fault !== undefined) return fault;
  for (const each of Object.values(value as object)) {
    const ofValue = checkString(each);
    if (ofValue !== undefined) return ofValue;
  }
  return undefined;
};

const METADATA: readonly FieldCheck[] = [
  ...Object.keys(NO_METADATA).map((name) => ({ name, isRequired: false, check: checkString })),
  ...['labels', 'annotations'].map((name) => ({ name, isRequired: false, check: checkStringMap })),
];

/** Required fields have an empty value, which is reported as invalid. */
const DEFAULTS: CronJobSpec = defaultCronJob({ spec: { schedule: '', jobTemplate: {} } }).spec as CronJobSpec;
const NAMES_WITH_DEFAULT = Object.keys(DEFAULTS);
const SPEC = compileFieldChecks(cronJobSpecSchema.shape, 'Types');

function repairSpec(given: CronJobSpec, invalidValues: InvalidValues): CronJobSpec {
  if (!isRecord(given)) {
    invalidValues.add(`spec${(given ?? undefined) === undefined ? ' is missing' : checkObject(given)}`);
    return DEFAULTS;
  }
  const spec: CronJobSpec = repairFields(given, SPEC, { path: 'spec', invalidValues });
  const missing = NAMES_WITH_DEFAULT.filter((name) => getField(spec, name) === undefined);
  if (spec === given && missing.length === 0) return given;
  const hasInvalidZone = getField(given, 'timeZone') !== getField(spec, 'timeZone');
  return {
    ...spec,
    ...Object.fromEntries(Object.entries(DEFAULTS).filter(([name]) => missing.includes(name))),
    ...(hasInvalidZone && { timeZone: '' }), // the zone is then reported as unknown
  };
}

function repairStatus(given: CronJobStatus | undefined, invalidValues: InvalidValues): CronJobStatus | undefined {
  if (isRecord(given)) return repairFields(given, STATUS, { path: 'status', invalidValues });
  if ((given ?? undefined) !== undefined) invalidValues.add(`status${checkObject(given)}`);
  return undefined;
}

/** Checks of a value, or of each element of a list, that the schema does not have. */
const NAMES: Readonly<Partial<Record<keyof CronJobStatus, Check>>> = {
  active: (reference) => findNameFault(valueAt(reference, 'name') ?? ''),
  lastRun: (run) => findNameFault(valueAt(run, 'jobName')),
  failedStart: (start) => findNameFault(valueAt(start, 'jobName')),
  recentRuns: (line) => findLineFault(String(line)),
};

const TIME_LENGTH = '2026-11-23T02:00:00Z'.length;

/** Checks the name where nearly every line has it, and parses the line only when no name is there. */
function findLineFault(line: string): string | undefined {
  const start = line.indexOf(' ', TIME_LENGTH + 1) + 1;
  return isObjectNameAt(line, start, line.indexOf(' ', start))
    ? undefined
    : findNameFault(parseRecentRun(line)?.jobName);
}

/** Checks for a status that can be stored again: the API server refuses the whole status when one field is invalid. */
const STATUS: readonly FieldCheck[] = compileFieldChecks(cronJobStatusSchema.shape, 'All').map((field) => {
  const names = NAMES[field.name as keyof CronJobStatus];
  if (names === undefined) return field;
  const { check, list } = field;
  const both = (first: Check) => (value: unknown) => first(value) ?? names(value);
  return list === undefined
    ? { ...field, check: both(check) }
    : toListField(field, { ...list, element: both(list.element) });
});

function findNameFault(name: unknown): string | undefined {
  // Without the name, because a user could copy it from the message into a shell.
  return name === undefined || isObjectName(name) ? undefined : ' has a name that no Job can have';
}

interface RepairContext {
  readonly path: string;
  readonly invalidValues: InvalidValues;
}

/** The object without fields, and elements of lists, that do not fit; `given` itself when all fit. Unknown fields stay. */
function repairFields<T extends object>(given: T, fields: readonly FieldCheck[], place: RepairContext): T {
  if (fields.every((field) => findFault(given, field) === undefined)) return given;
  const odd = fields.filter((field) => findFault(given, field) !== undefined);
  const repaired = odd.map((field) => [field.name, repairValue(given, field, place)] as const);
  const names = new Set(odd.map(({ name }) => name));
  return {
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name))),
    ...Object.fromEntries(repaired.filter(([, value]) => value !== undefined)),
  } as T; // the caller fills in required fields
}

/** The elements of a list that fit; `undefined` for other values. */
function repairValue(
  given: object,
  field: FieldCheck,
  { path, invalidValues }: RepairContext,
): readonly unknown[] | undefined {
  const { name, list } = field;
  const value = getField(given, name);
  if (list === undefined || !Array.isArray(value)) {
    invalidValues.add(`${path}.${name}${findFault(given, field)}`);
    return undefined;
  }
  const fitting = value.filter((each, index) => {
    const fault = list.element(each);
    if (fault !== undefined) invalidValues.add(`${path}.${name}[${index}]${fault}`);
    return fault === undefined;
  });
  const unique = uniqueBy(list.key, fitting);
  if (unique !== fitting) invalidValues.add(`${path}.${name} has two elements with the same ${list.key}`);
  return unique;
}

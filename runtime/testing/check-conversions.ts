/**
 * Checks conversions with fast-check, which finds the smallest object for which a check fails. For the reason in
 * control-plane.ts, fast-check is not an optional peer dependency. The type declarations of the package therefore do
 * not use types of fast-check.
 */
import type { Arbitrary } from 'fast-check';
import type { FieldError } from '../kubernetes/field-error.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { structuralFromZod } from '../manifests/structural-from-zod.ts';
import { convertObject } from '../schema/convert-object.ts';
import type { Kind } from '../schema/kind.ts';
import { isSameJson } from '../schema/same-json.ts';
import { FieldCoverage, findExamples } from './field-coverage.ts';
import { type FastCheck, type FieldValues, SchemaValues } from './schema-values.ts';
import { storedObject } from './stored-object.ts';

/** Options of {@link checkConversions}. */
export interface ConversionCheckOptions {
  /**
   * Values of fields by version and path: `{ v1: { 'spec.schedule': ['0 * * * *', '@daily'], 'spec.ports[].name':
   * ['http'] } }`. A field needs values if its rule is a function, or if its pattern has a look-ahead. Default: all
   * values are generated. Fields of `cronSchedule` and `quantity` need no values.
   */
  readonly values?: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
  /** Number of generated objects for each round trip. Default 200. */
  readonly objects?: number;
  /**
   * Seed for the generated objects. To repeat a failed check, set the seed that its error message contains. Default: a
   * random seed.
   */
  readonly seed?: number;
}

/** Number of consecutive invalid objects after which the check fails. */
const MAX_INVALID_OBJECTS = 1_000;

/**
 * Checks that the conversions of a kind lose no data. For each version except for the hub, generates objects from the
 * schemas and converts them: version → hub → version, and hub → version → hub. Each round trip must return the same
 * object, and the object after the first conversion must be valid and have all defaults. Rejects with an error that
 * contains the smallest object whose round trip fails:
 *
 *     test('conversions lose nothing', () => checkConversions(Website));
 *
 * Requires fast-check 4: `npm install --save-dev fast-check@4`.
 */
export async function checkConversions(kind: Kind, options: ConversionCheckOptions = {}): Promise<void> {
  const { default: fc } = await import('fast-check').catch((cause: unknown) => {
    throw new Error('to check conversions, add fast-check: npm install --save-dev fast-check@4', { cause });
  });
  rejectUnknownFields(fc, kind, options.values ?? {});
  for (const version of Object.values(kind.versions)) {
    checkRoundTrip(fc, { kind, source: version, target: kind }, options);
    checkRoundTrip(fc, { kind, source: kind, target: version }, options);
  }
}

/** The conversion source → target → source, which must return the same object. */
interface RoundTrip {
  readonly kind: Kind;
  readonly source: Kind;
  readonly target: Kind;
}

function checkRoundTrip(
  fc: FastCheck,
  roundTrip: RoundTrip,
  { values = {}, objects: numRuns = 200, seed }: ConversionCheckOptions,
): void {
  const coverage = new FieldCoverage(roundTrip.source.schema.spec);
  const objects = createObjectArbitrary(fc, roundTrip.source, values[roundTrip.source.version] ?? {}, coverage);
  const property = fc.property(objects, (object) => findRoundTripError(roundTrip, object) === undefined);
  const { failed, counterexample, ...run } = fc.check(property, { numRuns, ...(seed !== undefined && { seed }) });
  const [object] = counterexample ?? [];
  if (!failed && coverage.uncovered.length > 0)
    throw createValuesError(
      `no valid object of ${formatVersion(roundTrip.source)} was generated with some fields`,
      coverage.uncovered,
    );
  if (!failed || object === undefined) return;
  const { kind, source, target } = roundTrip;
  const path = `${kind.kind} ${source.version} → ${target.version} → ${source.version}`;
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = object;
  throw new Error(
    `${path}: ${findRoundTripError(roundTrip, object)}\nobject: ${JSON.stringify(fields)}\nseed: ${run.seed}`,
  );
}

function createObjectArbitrary(
  fc: FastCheck,
  kind: Kind,
  fieldValues: FieldValues,
  coverage: FieldCoverage,
): Arbitrary<KubernetesObject> {
  const { specs, statuses } = createFieldArbitraries(fc, kind, fieldValues);
  let invalidObjects = 0;
  const isValid = ({ spec, object }: { readonly spec: unknown; readonly object: KubernetesObject }) => {
    const faults = kind.schema.faults(object);
    coverage.add(spec, faults);
    invalidObjects = faults.length === 0 ? 0 : invalidObjects + 1;
    if (invalidObjects <= MAX_INVALID_OBJECTS) return faults.length === 0;
    throw createValuesError(`${MAX_INVALID_OBJECTS} generated objects of ${formatVersion(kind)} were invalid`, faults);
  };
  return fc
    .tuple(specs, fc.option(statuses, { nil: undefined }))
    .map(([spec, status]) => ({ spec, object: createObject(kind, { spec, ...(status !== undefined && { status }) }) }))
    .filter(isValid)
    .map(({ object }) => object);
}

function createFieldArbitraries(fc: FastCheck, { schema: { spec, status } }: Kind, fieldValues: FieldValues) {
  const values = new SchemaValues(fc, { ...findExamples(spec), ...fieldValues });
  const specs = values.create(structuralFromZod(spec, ANY_OBJECT_SCHEMAS), 'spec');
  const statuses = status
    ? values.create(structuralFromZod(status, ANY_OBJECT_SCHEMAS), 'status')
    : fc.constant(undefined);
  return { specs, statuses, paths: values.paths };
}

function rejectUnknownFields(
  fc: FastCheck,
  kind: Kind,
  valuesByVersion: NonNullable<ConversionCheckOptions['values']>,
): void {
  const versions: readonly Kind[] = [kind, ...Object.values(kind.versions)];
  for (const [name, fieldValues] of Object.entries(valuesByVersion)) {
    const version = versions.find((each) => each.version === name);
    if (version === undefined) throw new TypeError(`values: ${kind.kind} has no version ${name}`);
    const { paths } = createFieldArbitraries(fc, version, fieldValues);
    const parents = Object.keys(fieldValues); // the values of a field replace the values of its parts
    const isKnown = (path: string) =>
      paths.has(path) || parents.some((parent) => path.startsWith(`${parent}.`) || path.startsWith(`${parent}[]`));
    const unknown = parents.filter((path) => !isKnown(path));
    if (unknown.length > 0) throw new TypeError(`values: ${formatVersion(version)} has no field ${unknown.join(', ')}`);
  }
}

function formatVersion({ kind, version }: Kind): string {
  return `${kind} ${version}`;
}

function createValuesError(problem: string, faults: readonly FieldError[]): Error {
  return new Error(`${problem}; set \`values\` for these fields: ${describeFaults(faults)}`);
}

/** Returns an object with metadata that no conversion may lose. */
function createObject(kind: Kind, fields: { readonly spec: unknown; readonly status?: unknown }): KubernetesObject {
  const labels = { app: 'generated' };
  const annotations = { 'example.com/note': 'kept' };
  const metadata = { name: 'generated', labels, annotations, finalizers: ['example.com/kept'] };
  // JSON converts -0 to 0 and drops undefined, so the object has only values that the API server can store.
  return JSON.parse(JSON.stringify(storedObject<KubernetesObject, unknown>(kind, { metadata, ...fields } as never)));
}

/**
 * Replaces the schemas of Kubernetes types, which `kubernetesSchema()` references by name, with schemas that accept any
 * object.
 */
const ANY_OBJECT_SCHEMAS = new Proxy(
  {},
  { get: () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) },
);

/** Returns why the round trip of the object is wrong, or `undefined` if it is correct. */
function findRoundTripError({ kind, source, target }: RoundTrip, object: KubernetesObject): string | undefined {
  try {
    const converted = convertObject(kind, structuredClone(object), target.version);
    const faults = target.schema.faults(converted);
    if (faults.length > 0) return `the object is not valid in ${target.version}: ${describeFaults(faults)}`;
    const missingDefault = findDifference(converted, target.schema.withDefaults(converted), '');
    if (missingDefault !== undefined) return `${target.version} lacks a default: ${missingDefault}`;
    const copy = JSON.parse(JSON.stringify(converted)); // as between two requests
    return findDifference(object, JSON.parse(JSON.stringify(convertObject(kind, copy, source.version))), '');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describeFaults(faults: readonly { readonly field: string; readonly message: string }[]): string {
  return faults.map(({ field, message }) => `${field}: ${message}`).join(', ');
}

/** Returns the first difference, such as `spec.size: "large" became "small"`. */
function findDifference(oldValue: unknown, newValue: unknown, path: string): string | undefined {
  if (isSameJson(oldValue, newValue)) return undefined;
  if (!isRecord(oldValue) || !isRecord(newValue))
    return `${path}: ${JSON.stringify(oldValue) ?? 'no value'} became ${JSON.stringify(newValue) ?? 'no value'}`;
  const keys = [...new Set([...Object.keys(oldValue), ...Object.keys(newValue)])];
  const key = keys.find((each) => !isSameJson(oldValue[each], newValue[each])) ?? '';
  return findDifference(oldValue[key], newValue[key], path === '' ? key : `${path}.${key}`);
}

/** Specs of CronJobs with nulls, each with the same spec without them. */
import type { StructuralSchema } from 'controller-runtime';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { createCronJobCrd } from '../../../hack/crd/cronjob-crd.ts';
import { REALISTIC_JOB_TEMPLATE } from './realistic-job-template.ts';

export interface NullDocument {
  readonly title: string;
  readonly spec: object;
  /** The same spec, without its null fields. */
  readonly withoutNulls: object;
}

/** The schema of `spec`. */
export const SPEC = createCronJobCrd().spec.versions[0].schema.openAPIV3Schema.properties?.['spec'] ?? {};
/** Fields that batch/v1 also has. */
const SHARED_FIELDS =
  /^(schedule|timeZone|startingDeadlineSeconds|concurrencyPolicy|suspend|jobTemplate|(successful|failed)JobsHistoryLimit)$/;

const isContainer = ({ type }: StructuralSchema) => type === 'object' || type === 'array';
/** Whether server-side apply accepts null for the field without a webhook. */
export const takesNull = (field: StructuralSchema) => field.nullable === true || field.default !== undefined;

/**
 * Documents that together have null in every optional field of the schema. All other fields of the schema have a value, which need not be
 * valid in a Job.
 *
 * @param mayBeNull Fields that are null. Default: every optional one.
 */
export function createNullDocuments(
  mayBeNull: (field: StructuralSchema) => boolean = () => true,
): readonly NullDocument[] {
  const createDocument = (title: string, isNull: IsNull) =>
    createNullDocument(title, createSample(SPEC, (field, depth) => isNull(field, depth) && mayBeNull(field)) as object);
  return [
    createDocument('every scalar', (field) => !isContainer(field)),
    ...Array.from({ length: computeDepth(SPEC) }, (_, at) =>
      createDocument(
        `every object and list that is in ${at} others`,
        (field, depth) => depth === at && isContainer(field),
      ),
    ),
  ].filter(({ spec }) => countNulls(spec) > 0);
}

/** Whether an optional field is null. Otherwise scalars are omitted, and objects and lists have a value. */
type IsNull = (field: StructuralSchema, depth: number) => boolean;

function createSample(schema: StructuralSchema, isNull: IsNull, depth = 0, list?: StructuralSchema): unknown {
  const { type, properties, items, additionalProperties, default: fallback } = schema;
  if (type === 'array') return [createSample(items ?? {}, isNull, depth, schema)];
  if (type !== 'object') return fallback ?? createScalar(schema);
  if (additionalProperties !== undefined) return { key: createSample(additionalProperties, isNull, depth) };
  // The rules of an exclusion require exactly one of its forms: here its schedule.
  const isExclusion = list !== undefined && schema['x-kubernetes-validations'] !== undefined;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    if (isRequired(schema, name) || isKey(list, name) || (isExclusion && name === 'schedule'))
      return [name, createSample(field, isNull, depth + 1)] as const;
    if (isNull(field, depth)) return [name, null] as const;
    // A new selector is invalid, also in batch/v1.
    const isFilledIn = isContainer(field) && field['x-kubernetes-validations'] === undefined && !isExclusion;
    return [name, isFilledIn ? createSample(field, isNull, depth + 1) : undefined] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function isRequired({ required = [] }: StructuralSchema, name: string): boolean {
  return required.includes(name);
}

/** A merge identifies the elements of a list by key, so null is not a valid key. */
function isKey(list: StructuralSchema | undefined, name: string): boolean {
  return list?.['x-kubernetes-list-map-keys']?.includes(name) ?? false;
}

function createScalar({ type, format, 'x-kubernetes-int-or-string': isIntOrString }: StructuralSchema): unknown {
  if (isIntOrString || type === 'integer') return 1;
  if (type === 'boolean') return false;
  return format === 'date-time' ? '2026-01-01T00:00:00Z' : '@daily';
}

/** The depth of the nesting of objects. */
function computeDepth({ properties = {}, items, additionalProperties }: StructuralSchema): number {
  const below = [items, additionalProperties].flatMap((each) => (each ? [computeDepth(each)] : []));
  return Math.max(0, ...below, ...Object.values(properties).map((child) => 1 + computeDepth(child)));
}

const REALISTIC_SPEC = { schedule: '0 * * * *', jobTemplate: REALISTIC_JOB_TEMPLATE };

/** A CronJob that is also valid in batch/v1, with null in every optional field that it does not use. */
export function createRealisticDocument(): NullDocument {
  const { properties = {}, ...spec } = SPEC;
  const shared = Object.fromEntries(Object.entries(properties).filter(([name]) => SHARED_FIELDS.test(name)));
  const filled = fillOptionalFields({ ...spec, properties: shared }, REALISTIC_SPEC, { mayBeNull: () => true });
  return createNullDocument('every field that is not used', filled as object);
}

interface FillOptions {
  readonly mayBeNull: (field: StructuralSchema) => boolean;
  readonly list?: StructuralSchema;
}

function fillOptionalFields(schema: StructuralSchema, value: unknown, { mayBeNull, list }: FillOptions): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => fillOptionalFields(schema.items ?? {}, item, { mayBeNull, list: schema }));
  }
  if (!isRecord(value) || schema.properties === undefined) return value;
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const isOptional = !isRequired(schema, name) && !isKey(list, name);
    const isNull = isOptional && value[name] === undefined && mayBeNull(field);
    return [name, isNull ? null : fillOptionalFields(field, value[name], { mayBeNull })] as const;
  });
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}

/** A small CronJob with `pod` in the spec of its Pods, and `container` in its only container. */
export function createSpec(pod: object, container: object = {}, metadata?: object): object {
  const containers = [{ name: 'c', image: 'i', ...container }];
  const template = { ...(metadata && { metadata }), spec: { restartPolicy: 'Never', containers, ...pod } };
  return { schedule: '0 * * * *', jobTemplate: { spec: { template } } };
}

function createNullDocument(title: string, spec: object): NullDocument {
  return { title, spec, withoutNulls: stripNullFields(spec) as object };
}

/** The simplest case. */
export function stripNullFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripNullFields);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, stripNullFields(field)]));
}

/** Without empty maps, for a patch that removes the only label of an object. */
export function stripEmptyMaps(value: object): object {
  const isEmpty = (field: unknown) => isRecord(field) && Object.keys(field).length === 0;
  return JSON.parse(JSON.stringify(value, (_, field) => (isEmpty(field) ? undefined : field)));
}

export function countNulls(value: unknown): number {
  if (typeof value !== 'object') return 0;
  return value === null ? 1 : Object.values(value).reduce((sum: number, child) => sum + countNulls(child), 0);
}

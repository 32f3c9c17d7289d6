/** Whether an API server with the current CRD accepts a status. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { isSameJson } from 'controller-runtime/schema';
import { parse } from 'yaml';
import { parseTime } from '../../../../api/time.ts';
import { GROUP, PLURAL } from '../../../../api/v1/groupversion.ts';
import { PROJECT } from '../../../support/manifests.ts';

interface CrdFile {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: CrdSchema } }[] };
}

interface CrdSchema {
  readonly properties: Readonly<Record<'spec' | 'status', object & { readonly properties?: object }>>;
}

const definition = parse(readFileSync(join(PROJECT, `config/crd/bases/${GROUP}_${PLURAL}.yaml`), 'utf8')) as CrdFile;
const { spec, status } = definition.spec.versions[0]!.schema.openAPIV3Schema.properties;

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv, ['date-time']);
ajv.addFormat('int32', {
  type: 'number',
  validate: (value: number) => Number.isInteger(value) && value === (value | 0),
});
ajv.addFormat('int64', {
  type: 'number',
  validate: (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63,
});

const isStatus = ajv.compile(status);
const { jobTemplate: _, ...specFields } = spec.properties as Readonly<Record<string, object>>;
const isSpec = ajv.compile({ ...spec, properties: specFields });

type ObjectFields = Readonly<Record<string, unknown>>;

/** Errors of the CRD for a spec, without its template. Empty when it is valid. */
export function findSpecFaults(value: unknown): readonly string[] {
  return isSpec(value) ? [] : (isSpec.errors ?? []).map(formatError);
}

/** Errors of the CRD when `status` replaces `stored`. An unchanged invalid value is allowed, because the API server ratchets validation. */
export function findStatusFaults(value: unknown, stored: unknown): readonly string[] {
  const before = toFields(stored);
  const fields = toFields(value);
  const faults = isStatus(value) ? [] : (isStatus.errors ?? []).filter((error) => !isUnchanged(error, fields, before));
  return [...faults.map(formatError), ...findDuplicateConditions(fields), ...findInvalidTimes(fields, before)];
}

function isUnchanged({ instancePath }: ErrorObject, fields: ObjectFields, before: ObjectFields): boolean {
  const [, name = '', index] = instancePath.split('/');
  if (isSameJson(fields[name], before[name])) return true;
  if (name !== 'conditions' || index === undefined) return false;
  const condition = toList(fields[name])[Number(index)];
  return toList(before[name]).some((each) => isSameJson(each, condition));
}

/** Keys of a list must differ. The message is Kubernetes' own. */
function findDuplicateConditions({ conditions }: ObjectFields): readonly string[] {
  const types = toList(conditions).map((each) => toFields(each)['type']);
  return new Set(types).size === types.length ? [] : [`/conditions: two of one type: ${types.join(', ')}`];
}

const TIMES = [
  'lastScheduleTime',
  'lastSuccessfulTime',
  'lastFailureTime',
  'nextScheduleTime',
  'handledThrough',
  'successExpectedSince',
  'suspendedUntil',
];

/** The API server accepts more time formats than this code reads. */
function findInvalidTimes(fields: ObjectFields, before: ObjectFields): readonly string[] {
  return TIMES.filter((name) => {
    const time = fields[name];
    return time !== undefined && !isSameJson(time, before[name]) && parseTime(time as string) === undefined;
  }).map((name) => `/${name}: ${JSON.stringify(fields[name])} cannot be read again`);
}

/**
 * Whether no text in it has a lone surrogate: the API server would store another text. JSON writes lone surrogates, and only them, as
 * escapes.
 */
export function isWellFormed(value: unknown): boolean {
  return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(value) ?? '');
}

function formatError({ instancePath, message, data }: ErrorObject): string {
  return `${instancePath}: ${message}: ${(JSON.stringify(data) ?? '').slice(0, 200)}`;
}

function toFields(value: unknown): ObjectFields {
  return typeof value === 'object' && value !== null ? (value as ObjectFields) : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

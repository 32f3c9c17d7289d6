/**
 * Validates a value against a structural schema. The errors have the same reasons and paths as the errors of the API
 * server.
 */
import { isIP } from 'node:net';
import { duplicate, type FieldError, invalid, quote, required, tooMany } from '../../../kubernetes/field-error.ts';
import { isRecord } from '../../../kubernetes/is-record.ts';
import { isSameJson } from '../../../schema/same-json.ts';
import type { StructuralSchema } from '../../../schema/structural-schema.ts';
import { formatListMapKey, type SchemaValue, walkValues } from './walk.ts';

export function validate(root: SchemaValue): readonly FieldError[] {
  const errors: FieldError[] = [];
  walkValues(root, ({ schema, value, path }) => void errors.push(...validateNode(schema, value, path)));
  return errors;
}

/** Validates the value, but not its fields and elements. */
function validateNode(schema: StructuralSchema, value: unknown, path: string): readonly FieldError[] {
  if (value === null && schema.nullable) return [];
  if (!hasType(schema, value)) {
    const { type = 'integer or string' } = schema;
    return [
      {
        reason: 'FieldValueTypeInvalid',
        field: path,
        message: `Invalid value: ${quote(value)}: must be of type ${type}`,
      },
    ];
  }
  return [
    ...validateEnum(schema, value, path),
    ...(typeof value === 'string' ? validateString(schema, value, path) : []),
    ...(typeof value === 'number' ? validateNumber(schema, value, path) : []),
    ...(Array.isArray(value) ? validateList(schema, value, path) : []),
    ...(isRecord(value) ? validateFields(schema, value, path) : []),
    ...validateCombinations(schema, value, path),
  ];
}

function hasType(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case undefined:
      return true;
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === schema.type;
  }
}

function validateEnum({ enum: values }: StructuralSchema, value: unknown, path: string): readonly FieldError[] {
  if (values === undefined || values.some((each) => isSameJson(each, value))) return [];
  const supported = values.map((each) => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${quote(value)}: supported values: ${supported}`;
  return [{ reason: 'FieldValueNotSupported', field: path, message }];
}

function validateString(schema: StructuralSchema, value: string, path: string): readonly FieldError[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const length = [...value].length; // the API server counts Unicode code points
  const errors: FieldError[] = [];
  if (length > maxLength) {
    const message = `Too long: may not be more than ${maxLength} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field: path, message });
  }
  if (length < minLength) errors.push(invalid(path, value, `should be at least ${minLength} chars long`));
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    errors.push(invalid(path, value, `should match '${pattern}'`));
  }
  if (format !== undefined && FORMATS[format]?.(value) === false) {
    const message = `Invalid value: ${quote(value)}: must be of type ${format}`;
    errors.push({ reason: 'FieldValueTypeInvalid', field: path, message });
  }
  return errors;
}

/** Formats of strings that the API server checks. The API server ignores other formats. */
const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/.test(value) && isDate(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && isDate(value),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  ipv4: (value) => isIP(value) === 4,
  ipv6: (value) => isIP(value) === 6,
  byte: (value) => /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value),
};

function isDate(value: string): boolean {
  return !Number.isNaN(Date.parse(value.toUpperCase()));
}

const INTEGER_BITS: Readonly<Record<string, number>> = { int32: 31, int64: 63 };

function validateNumber(schema: StructuralSchema, value: number, path: string): readonly FieldError[] {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum, multipleOf = 0 } = schema;
  const bits = INTEGER_BITS[schema.format ?? ''] ?? Infinity;
  const checks: readonly (readonly [isValid: boolean, problem: string])[] = [
    [value >= minimum, `should be greater than or equal to ${minimum}`],
    [value <= maximum, `should be less than or equal to ${maximum}`],
    [!exclusiveMinimum || value !== minimum, `should be greater than ${minimum}`],
    [!exclusiveMaximum || value !== maximum, `should be less than ${maximum}`],
    [multipleOf === 0 || Number.isInteger(value / multipleOf), `should be a multiple of ${multipleOf}`],
  ];
  const errors = checks.filter(([isValid]) => !isValid).map(([, problem]) => invalid(path, value, problem));
  const isInRange = value >= -(2 ** bits) && value < 2 ** bits;
  return isInRange
    ? errors
    : [...errors, invalid('<nil>', value, `must be of type integer with format ${schema.format} in ${path}`)];
}

function validateList(schema: StructuralSchema, value: readonly unknown[], path: string): readonly FieldError[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, 'x-kubernetes-list-type': type } = schema;
  if (value.length > maxItems) return [tooMany(path, value, maxItems)];
  const errors = value.length < minItems ? [invalid(path, value.length, `should have at least ${minItems} items`)] : [];
  if (type !== 'set' && type !== 'map') return errors;
  const keys = value.map((item) => (type === 'map' ? formatListMapKey(schema, item) : JSON.stringify(item)));
  const duplicates = keys.flatMap((key, index) => {
    const isDuplicate = keys.indexOf(key) < index;
    return isDuplicate ? [duplicate(`${path}[${index}]`, value[index])] : [];
  });
  return [...errors, ...duplicates];
}

function validateFields(
  { required: requiredNames = [], minProperties = 0, maxProperties = Number.POSITIVE_INFINITY }: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldError[] {
  const missing = requiredNames.filter((name) => !Object.hasOwn(value, name));
  const errors = missing.map((name) => required(path === '' ? name : `${path}.${name}`));
  const count = Object.keys(value).length;
  if (count < minProperties) errors.push(invalid(path, value, `should have at least ${minProperties} properties`));
  if (count > maxProperties) errors.push(invalid(path, value, `must have at most ${maxProperties} properties`));
  return errors;
}

/** Constraints that `defineKind` does not write, but that the CRDs of other operators may have. */
interface ForeignConstraints {
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
}

function validateCombinations(
  { allOf = [], anyOf = [], oneOf = [], not }: StructuralSchema & ForeignConstraints,
  value: unknown,
  path: string,
): readonly FieldError[] {
  const findErrors = (schema: StructuralSchema) => validate({ schema, value, path });
  // The API server reports these errors without a field.
  const report = (problem: string) => invalid('<nil>', value, `${path} ${problem}`);
  const [anyErrors, oneErrors] = [anyOf, oneOf].map((schemas) => schemas.map(findErrors));
  const errors = allOf.flatMap(findErrors);
  if (countMatchingSchemas(anyErrors) === 0 && anyOf.length > 0) {
    errors.push(report('must validate at least one schema (anyOf)'), ...selectRelevantErrors(anyErrors));
  }
  if (countMatchingSchemas(oneErrors) !== 1 && oneOf.length > 0) {
    const best = countMatchingSchemas(oneErrors) === 0 ? selectRelevantErrors(oneErrors) : [];
    errors.push(report('must validate one and only one schema (oneOf)'), ...best);
  }
  if (not !== undefined && findErrors(not).length === 0) errors.push(report('must not validate the schema (not)'));
  return errors;
}

type ErrorsBySchema = readonly (readonly FieldError[])[];

function countMatchingSchemas(errorsBySchema: ErrorsBySchema = []): number {
  return errorsBySchema.filter((errors) => errors.length === 0).length;
}

/**
 * Returns the errors of the first schema whose required fields are present, or of the first schema if there is none.
 */
function selectRelevantErrors(errorsBySchema: ErrorsBySchema = []): readonly FieldError[] {
  const isComplete = (errors: readonly FieldError[]) => !errors.some(({ reason }) => reason === 'FieldValueRequired');
  return errorsBySchema.find(isComplete) ?? errorsBySchema[0] ?? [];
}

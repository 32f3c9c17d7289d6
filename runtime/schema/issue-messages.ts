/** Converts zod's issues to field errors with the same messages as for built-in kinds. */
import { z } from 'zod';
import { type FieldError, quote } from '../kubernetes/field-error.ts';
import { getProperty } from './schema-tree.ts';
import { formatUnquoteHint } from './unquote-hint.ts';

/** Validates `value` and returns zod's issues. Returns an empty list if `value` is valid. */
export function findIssues(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  // Messages in the schema take precedence over the messages of `explainIssue`.
  const { error } = z.core.safeParse(schema, value, { error: explainIssue });
  // Unknown fields are ignored here, because the API server prunes or rejects them.
  return (error?.issues ?? []).filter(({ code }) => code !== 'unrecognized_keys');
}

/** @param field Path of `value` in the object. */
export function toFieldError(issue: z.core.$ZodIssue, field: string, value: unknown): FieldError {
  const invalidValue = getValueAtPath(value, issue.path);
  const reason = toReason(issue, invalidValue);
  const reportedValue = issue.code === 'custom' ? (issue.params?.['value'] ?? invalidValue) : invalidValue;
  const path = issue.path.reduce<string>((path, key) => formatChildPath(path, key), field);
  return { reason, field: path, message: formatMessage(reason, reportedValue, issue.message) };
}

/** @param detail Message of the schema for the missing field. May be empty. */
export function createRequiredError(field: string, detail: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: formatMessage('FieldValueRequired', undefined, detail) };
}

/**
 * Returns the path of a field or an element of `field`, such as `spec.containers[0].name` or
 * `spec.limits[example.com/gpu]`.
 */
export function formatChildPath(field: string, key: PropertyKey): string {
  return typeof key === 'string' && /^[\w-]+$/.test(key) ? `${field}.${key}` : formatMapKeyPath(field, key);
}

/** Returns the path of a value in a map, with the key in brackets: `spec.limits[memory]`. */
export function formatMapKeyPath(field: string, key: PropertyKey): string {
  return `${field}[${String(key)}]`;
}

function getValueAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(getProperty, value);
}

/**
 * Returns the `metav1.CauseType`. A rule can set a different cause:
 * `.refine(…, { error, params: { reason: 'FieldValueForbidden' } })`. With `params.value`, the message quotes this text
 * instead of the value, for example the key of a duplicate element.
 */
function toReason(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom' && typeof issue.params?.['reason'] === 'string') return issue.params['reason'];
  if (value === undefined) return 'FieldValueRequired';
  if (issue.code === 'invalid_type') return 'FieldValueTypeInvalid';
  if (issue.code === 'invalid_value' || (issue.code === 'invalid_union' && 'options' in issue))
    return 'FieldValueNotSupported';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'FieldValueTooLong';
  return issue.code === 'too_big' && issue.origin === 'array' ? 'FieldValueTooMany' : 'FieldValueInvalid';
}

/** The first part of the message for each reason, as in Go's `field.Error`. */
const MESSAGE_PREFIXES: Readonly<Record<string, (value: unknown) => string>> = {
  FieldValueRequired: () => 'Required value',
  FieldValueForbidden: () => 'Forbidden',
  FieldValueTooLong: () => 'Too long',
  FieldValueTooMany: (value) => `Too many: ${Array.isArray(value) ? value.length : quote(value)}`,
  FieldValueDuplicate: (value) => `Duplicate value: ${quote(value)}`,
  FieldValueNotFound: (value) => `Not found: ${quote(value)}`,
  FieldValueNotSupported: (value) => `Unsupported value: ${quote(value)}`,
};

export function formatMessage(reason: string, value: unknown, detail: string): string {
  const prefix = MESSAGE_PREFIXES[reason]?.(value) ?? `Invalid value: ${quote(value)}`;
  return detail === '' ? prefix : `${prefix}: ${detail}`;
}

/** Returns the message without the value, or an empty text for a missing field. */
function explainIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return '';
  switch (issue.code) {
    case 'invalid_type':
      return typeErrorMessage(OPENAPI_TYPE_BY_ZOD_TYPE[issue.expected] ?? issue.expected, issue.input);
    case 'too_big':
      return describeMaximum(issue);
    case 'too_small':
      return describeMinimum(issue);
    case 'invalid_union':
      return 'options' in issue ? `supported values: ${formatList(issue.options)}` : 'is not valid';
    case 'invalid_value':
      return `supported values: ${formatList(issue.values)}`;
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return `should be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
}

function formatList(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : '';
}

/** @param type Name of the type in OpenAPI, such as `integer`. */
export function typeErrorMessage(type: string, value: unknown): string {
  return `must be of type ${type}${formatUnquoteHint(type, value)}`;
}

const OPENAPI_TYPE_BY_ZOD_TYPE: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

function describeMaximum({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (origin === 'string') return `may not be more than ${maximum} bytes`;
  if (origin === 'array') return `must have at most ${maximum} items`;
  return inclusive === false ? `must be less than ${maximum}` : `must be less than or equal to ${maximum}`;
}

function describeMinimum({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (origin === 'string') return `should be at least ${minimum} chars long`;
  if (origin === 'array') return `should have at least ${minimum} items`;
  return inclusive === false ? `must be greater than ${minimum}` : `must be greater than or equal to ${minimum}`;
}

function describeFormat({ format, pattern }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  if (format === 'regex') return `must match the pattern ${pattern ?? ''}`;
  return `must be of type ${format === 'datetime' ? 'date-time' : format}`;
}

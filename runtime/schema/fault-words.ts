/** Converts zod's issues to the messages with which the API server rejects objects of built-in kinds. */
import { z } from 'zod';
import { type FieldError, quoted } from '../kubernetes/field-error.ts';
import { valueAt } from './schema-tree.ts';
import { withoutQuotes } from './without-quotes.ts';

/** Returns zod's issues with `value` and its content. Empty when it is valid. */
export function issuesOf(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  // The schema's own messages take precedence over these.
  const { error } = z.core.safeParse(schema, value, { error: whyOf });
  // The API server drops or rejects fields that the schema does not know.
  return (error?.issues ?? []).filter(({ code }) => code !== 'unrecognized_keys');
}

/** @param field Path of `value`. */
export function fieldErrorOf(issue: z.core.$ZodIssue, field: string, value: unknown): FieldError {
  const subject = valueBelow(value, issue.path);
  const reason = reasonOf(issue, subject);
  const shown = issue.code === 'custom' ? (issue.params?.['value'] ?? subject) : subject;
  const at = issue.path.reduce<string>((path, key) => fieldBelow(path, key), field);
  return { reason, field: at, message: messageOf(reason, shown, issue.message) };
}

/**
 * The field is missing.
 * @param why What to set, if the schema says it.
 */
export function missing(field: string, why: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: messageOf('FieldValueRequired', undefined, why) };
}

/** Path of a child of the value at `field`: `spec.containers[0].name`, `spec.limits[example.com/gpu]`. */
export function fieldBelow(field: string, key: PropertyKey): string {
  return typeof key === 'string' && /^[\w-]+$/.test(key) ? `${field}.${key}` : keyBelow(field, key);
}

/** The same for a map, whose keys are not field names: `spec.limits[memory]`. */
export function keyBelow(field: string, key: PropertyKey): string {
  return `${field}[${String(key)}]`;
}

function valueBelow(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(valueAt, value);
}

/**
 * `metav1.CauseType`. Your own rule may name another: `.refine(…, { error, params: { reason: 'FieldValueForbidden' }
 * })`; with `params.value`, the message quotes that text instead of the value, such as the key of a duplicate element.
 */
function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom' && typeof issue.params?.['reason'] === 'string') return issue.params['reason'];
  if (value === undefined) return 'FieldValueRequired';
  if (issue.code === 'invalid_type') return 'FieldValueTypeInvalid';
  if (issue.code === 'invalid_value') return 'FieldValueNotSupported';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'FieldValueTooLong';
  return issue.code === 'too_big' && issue.origin === 'array' ? 'FieldValueTooMany' : 'FieldValueInvalid';
}

/** Beginning of a `field.Error` message of Kubernetes, by reason. */
const HEADS: Readonly<Record<string, (value: unknown) => string>> = {
  FieldValueRequired: () => 'Required value',
  FieldValueForbidden: () => 'Forbidden',
  FieldValueTooLong: () => 'Too long',
  FieldValueTooMany: (value) => `Too many: ${Array.isArray(value) ? value.length : quoted(value)}`,
  FieldValueDuplicate: (value) => `Duplicate value: ${quoted(value)}`,
  FieldValueNotFound: (value) => `Not found: ${quoted(value)}`,
  FieldValueNotSupported: (value) => `Unsupported value: ${quoted(value)}`,
};

export function messageOf(reason: string, value: unknown, why: string): string {
  const head = HEADS[reason]?.(value) ?? `Invalid value: ${quoted(value)}`;
  return why === '' ? head : `${head}: ${why}`;
}

/** The reason without the value. A missing field needs no reason. */
function whyOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return '';
  switch (issue.code) {
    case 'invalid_type':
      return typeFault(TYPES[issue.expected] ?? issue.expected, issue.input);
    case 'too_big':
      return tooBig(issue);
    case 'too_small':
      return tooSmall(issue);
    case 'invalid_value':
      return `supported values: ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      return formatOf(issue);
    case 'not_multiple_of':
      return `should be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
}

/** @param type OpenAPI's name of the type. */
export function typeFault(type: string, value: unknown): string {
  return `must be of type ${type}${withoutQuotes(type, value)}`;
}

/** OpenAPI's names of the types. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

function tooBig({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (origin === 'string') return `may not be more than ${maximum} bytes`;
  if (origin === 'array') return `must have at most ${maximum} items`;
  return inclusive === false ? `must be less than ${maximum}` : `must be less than or equal to ${maximum}`;
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (origin === 'string') return `should be at least ${minimum} chars long`;
  if (origin === 'array') return `should have at least ${minimum} items`;
  return inclusive === false ? `must be greater than ${minimum}` : `must be greater than or equal to ${minimum}`;
}

function formatOf({ format, pattern }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  if (format === 'regex') return `must match the pattern ${pattern ?? ''}`;
  return `must be of type ${format === 'datetime' ? 'date-time' : format}`;
}

/** Field errors with the wording of Kubernetes' built-in kinds: `k8s.io/apimachinery/pkg/util/validation/field`. */

/** One invalid field, like `metav1.StatusCause`. */
export interface FieldError {
  /** `metav1.CauseType`, such as `FieldValueInvalid`. */
  readonly reason: string;
  /** Path in the object: `spec.schedule`, `spec.template.containers[0].name`. See {@link fieldPath}. */
  readonly field: string;
  /** Without the path: `Invalid value: "x": why, and what to give instead`. */
  readonly message: string;
}

/**
 * The field is missing.
 * @param why Purpose of the field, or what to set.
 */
export function required(field: string, why?: string): FieldError {
  const message = why === undefined ? 'Required value' : `Required value: ${why}`;
  return { reason: 'FieldValueRequired', field, message };
}

/** @param why What is wrong with the value, or what it must be. */
export function invalid(field: string, value: unknown, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${quote(value)}: ${why}` };
}

/** The value is not one of the supported values. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((each) => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${quote(value)}: supported values: ${values}`;
  return { reason: 'FieldValueNotSupported', field, message };
}

/** The field must not be set or changed to any value. */
export function forbidden(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` };
}

/**
 * @param _value Not shown, because it is long.
 * @param max Maximum length of the field, in characters.
 * @param fix What to set instead.
 */
export function tooLong(field: string, _value: unknown, max: number, fix?: string): FieldError {
  const fault = `Too long: may not be more than ${max} characters`;
  return { reason: 'FieldValueTooLong', field, message: fix === undefined ? fault : `${fault}; ${fix}` };
}

/** @param max Maximum number of items of the list. */
export function tooMany(field: string, items: readonly unknown[], max: number): FieldError {
  const message = `Too many: ${items.length}: must have at most ${max} items`;
  return { reason: 'FieldValueTooMany', field, message };
}

/** The list, or another object, already has the value. */
export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${quote(value)}` };
}

/**
 * Joins names and indexes to a path, as the API server writes it: `spec.containers[0].name`. Keys that are not names,
 * such as keys of annotations, go in brackets: `metadata.annotations[example.com/x]`.
 */
export function fieldPath(...steps: readonly (string | number)[]): string {
  const path = steps.map((step) => (typeof step === 'string' && NAME.test(step) ? `.${step}` : `[${step}]`)).join('');
  return path.replace(/^\./, '');
}

const NAME = /^[a-z_$][\w$]*$/i;

const MAX_QUOTED = 100;

/** A value in a message. Shows only the kind of objects and arrays, as the API server does: they may be large. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return '"array"';
  if (typeof value === 'object' && value !== null) return '"object"';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value);
}

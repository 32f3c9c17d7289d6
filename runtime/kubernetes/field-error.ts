/** Field errors with the same messages as in Go's `k8s.io/apimachinery/pkg/util/validation/field`. */

/** An error about one field: Go's `metav1.StatusCause`. */
export interface FieldError {
  /** Type of the error: a `metav1.CauseType`, such as `FieldValueInvalid`. */
  readonly reason: string;
  /** Path of the field in the object, such as `spec.template.containers[0].name`. See {@link fieldPath}. */
  readonly field: string;
  /** Message without the path: `Invalid value: "61 * * * *": minute must be 0-59`. */
  readonly message: string;
}

/**
 * Returns the error for a missing field.
 * @param detail Explanation at the end of the message, such as the purpose of the field.
 */
export function required(field: string, detail?: string): FieldError {
  const message = detail === undefined ? 'Required value' : `Required value: ${detail}`;
  return { reason: 'FieldValueRequired', field, message };
}

/**
 * Returns the error for an invalid value.
 * @param detail Explanation at the end of the message, such as `minute must be 0-59`.
 */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${quote(value)}: ${detail}` };
}

/** Returns the error for a value that is missing from the list of supported values. */
export function notSupported(field: string, value: unknown, supportedValues: readonly string[]): FieldError {
  const quotedValues = supportedValues.map((each) => JSON.stringify(each)).join(', ');
  const message = `Unsupported value: ${quote(value)}: supported values: ${quotedValues}`;
  return { reason: 'FieldValueNotSupported', field, message };
}

/** Returns the error for a field that the user must not set or change. */
export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

/**
 * Returns the error for a string that is too long.
 * @param _value The long value, which the message omits.
 * @param maxLength Maximum length of the field, in characters.
 * @param advice Advice at the end of the message.
 */
export function tooLong(field: string, _value: unknown, maxLength: number, advice?: string): FieldError {
  const fault = `Too long: may not be more than ${maxLength} characters`;
  return { reason: 'FieldValueTooLong', field, message: advice === undefined ? fault : `${fault}; ${advice}` };
}

/**
 * Returns the error for a list with too many items.
 * @param maxItems Maximum number of items.
 */
export function tooMany(field: string, items: readonly unknown[], maxItems: number): FieldError {
  const message = `Too many: ${items.length}: must have at most ${maxItems} items`;
  return { reason: 'FieldValueTooMany', field, message };
}

/** Returns the error for a value that must be unique but exists already. */
export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${quote(value)}` };
}

/**
 * Joins field names and list indexes to a path in the API server's format: `spec.containers[0].name`. A key that is not
 * a valid field name, such as the key of an annotation, is in brackets: `metadata.annotations[example.com/x]`.
 */
export function fieldPath(...steps: readonly (string | number)[]): string {
  const path = steps
    .map((step) => (typeof step === 'string' && FIELD_NAME_PATTERN.test(step) ? `.${step}` : `[${step}]`))
    .join('');
  return path.replace(/^\./, '');
}

const FIELD_NAME_PATTERN = /^[a-z_$][\w$]*$/i;

const MAX_QUOTED_LENGTH = 100;

/**
 * Formats a value for a message. An object becomes `"object"` and a list becomes `"array"`, because both may be large.
 */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return '"array"';
  if (typeof value === 'object' && value !== null) return '"object"';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > MAX_QUOTED_LENGTH ? `${value.slice(0, MAX_QUOTED_LENGTH)}…` : value);
}

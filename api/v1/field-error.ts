/** Refusing a field in the words in which the API server refuses those of built-in kinds. */

/** One field that is refused, as `metav1.StatusCause` has it. */
export interface FieldError {
  /** `metav1.CauseType`, such as `FieldValueInvalid`. */
  readonly reason: string;
  /** Path in the object: `spec.schedule`, `spec.jobTemplate.spec.template.spec.containers[0].name`. */
  readonly field: string;
  /** Without the path: `Invalid value: "x": why, and what to give instead`. */
  readonly message: string;
}

/** The field is missing. @param fix What to give. */
export function required(field: string, fix: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value: ${fix}` };
}

/** @param fault What is wrong with the value, or what it must be. */
export function invalid(field: string, value: unknown, fault: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${quoted(value)}: ${fault}` };
}

/** The value is none of those there are. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((each) => JSON.stringify(each)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${quoted(value)}: supported values: ${values}`,
  };
}

/** @param max Characters that the field may have. */
export function tooLong(field: string, max: number, fix: string): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${max} characters; ${fix}` };
}

const MAX_QUOTED = 100;

/** Objects and arrays by their kind, as the API server does: they may be large. */
function quoted(value: unknown): string {
  if (Array.isArray(value)) return '"array"';
  if (typeof value === 'object' && value !== null) return '"object"';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value);
}

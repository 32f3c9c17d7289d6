/** Schemas for Kubernetes field types that zod lacks. */
import { z } from 'zod';
import { hasOldSelf, VALIDATIONS_META_KEY } from './api-rules.ts';
import { typeErrorMessage } from './issue-messages.ts';
import type { ValidationRule } from './structural-schema.ts';

/** Error message for values that are not integers. For a string, zod's default message asks for a number instead of an integer. */
const INTEGER_ERROR = {
  error: ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
    code === 'invalid_type' && input !== undefined ? typeErrorMessage('integer', input) : undefined,
};

/** Schema of a 32-bit integer. The CRD has `format: int32`. */
export function int32() {
  return z.int32(INTEGER_ERROR);
}

/**
 * Schema of a 64-bit integer. The CRD has `format: int64`. The API server accepts integers above 2^53, which `z.int()`
 * rejects. JSON.parse rounds the largest 64-bit integer to 2^63, so the maximum of the schema is 2^63.
 */
export function int64() {
  return z
    .number(INTEGER_ERROR)
    .refine(Number.isInteger, { error: 'must be of type integer', params: { reason: 'FieldValueTypeInvalid' } })
    .min(-(2 ** 63))
    .max(2 ** 63)
    .meta({ type: 'integer', format: 'int64' });
}

/**
 * Schema of Go's `metav1.Time`: a time in RFC 3339 with any UTC offset.
 * @param error Message for an invalid value. Default: a message about the format.
 */
export function time({ error }: { readonly error?: string } = {}) {
  return z.iso.datetime({ offset: true, abort: true, ...(error !== undefined && { error }) });
}

/** Schema of a number or a name, such as a port: `8080` or `"http"`. */
export function intOrString() {
  return z.union([z.int32(), z.string()]).meta({ 'x-kubernetes-int-or-string': true });
}

/**
 * Key in zod's `.meta()` whose value is the name of a Kubernetes schema. The CRD generator inserts the named schema for
 * the field.
 */
export const KUBERNETES_SCHEMA_META_KEY = 'kubernetesSchema';

/**
 * Schema of a Kubernetes type inside a spec, such as a PodSpec. The CRD contains the API server's schema of the type.
 * The API server validates the value, and the manager applies only `additionalChecks`.
 *
 * @param name Name in the API server's OpenAPI document, such as `io.k8s.api.core.v1.PodSpec`.
 * @param additionalChecks Additional checks for the manager and the CRD: fields with an {@link apiRule} or other
 *   `x-kubernetes-` metadata. Default: no checks.
 */
export function kubernetesSchema<T extends object>(
  name: string,
  additionalChecks: z.ZodObject = z.looseObject({}),
): z.ZodType<T, T> {
  const schema = additionalChecks.meta({ [KUBERNETES_SCHEMA_META_KEY]: name });
  // The parsed value is returned unchanged, so its type is T.
  return schema as unknown as z.ZodType<T, T>;
}

/** A validation rule in CEL and in JavaScript. */
export interface ApiRule<T> extends ValidationRule {
  /**
   * The rule in JavaScript, which the webhook evaluates for new and changed values. `oldValue` is the value before an
   * update. Only a rule with `oldSelf` receives `oldValue`. Such a rule is evaluated for a new value, without
   * `oldValue`, only if `optionalOldSelf` is true.
   */
  readonly isValid: (value: T, oldValue?: T) => boolean;
}

/** Returns `schema` with a rule that the API server evaluates in CEL and the webhook in JavaScript. */
export function apiRule<S extends z.ZodType>(schema: S, { isValid, ...rule }: ApiRule<z.output<S>>): S {
  // `refine` returns a schema of the same type.
  const existingRules = schema.meta()?.[VALIDATIONS_META_KEY];
  // The CRD omits the function `isValid`. The fake API server calls the function.
  const rules = [...(Array.isArray(existingRules) ? existingRules : []), { ...rule, isValid }];
  // zod does not know the old value, so `findFaults` evaluates the rules with `oldSelf`.
  const refinedSchema = hasOldSelf(rule) ? schema : schema.refine((value) => isValid(value), rule.message);
  return refinedSchema.meta({ ...schema.meta(), [VALIDATIONS_META_KEY]: rules }) as S;
}

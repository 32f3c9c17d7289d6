/** Field types that Kubernetes has and zod lacks. */
import { z } from 'zod';
import { typeErrorMessage } from './issue-messages.ts';
import type { ValidationRule } from './structural-schema.ts';

/** zod reports that a text must be a number, but reports only for numbers that they must be whole. */
const INTEGER = {
  error: ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
    code === 'invalid_type' && input !== undefined ? typeErrorMessage('integer', input) : undefined,
};

/** A 32-bit integer; the CRD has `format: int32`. */
export function int32() {
  return z.int32(INTEGER);
}

/**
 * A 64-bit integer; the CRD has `format: int64`. Not `z.int()`, which rejects numbers above 2^53: the API server
 * accepts them. JSON is read with 53 bits of precision, so the largest one is read as 2^63.
 */
export function int64() {
  return z
    .number(INTEGER)
    .refine(Number.isInteger, { error: 'must be of type integer', params: { reason: 'FieldValueTypeInvalid' } })
    .min(-(2 ** 63))
    .max(2 ** 63)
    .meta({ type: 'integer', format: 'int64' });
}

/**
 * `metav1.Time`: RFC 3339 with any offset.
 * @param error Replaces the default message about an invalid value.
 */
export function time({ error }: { readonly error?: string } = {}) {
  return z.iso.datetime({ offset: true, abort: true, ...(error !== undefined && { error }) });
}

/** A number or a name, such as a port: `8080` or `"http"`. */
export function intOrString() {
  return z.union([z.int32(), z.string()]).meta({ 'x-kubernetes-int-or-string': true });
}

/** `.meta()` key with which the CRD generator inserts the API server's own schema of that name. */
export const KUBERNETES_SCHEMA_META = 'kubernetesSchema';

/**
 * A type of Kubernetes' own inside a spec, such as a PodSpec. The CRD gets the API server's schema for it. The manager
 * does not check its content, because the API server does.
 *
 * @param name Name in the API server's OpenAPI document: `io.k8s.api.core.v1.PodSpec`.
 * @param additionalChecks Additional checks, also in the CRD: fields with an {@link apiRule} or other `x-kubernetes-` meta.
 */
export function kubernetesSchema<T extends object>(
  name: string,
  additionalChecks: z.ZodObject = z.looseObject({}),
): z.ZodType<T, T> {
  const schema = additionalChecks.meta({ [KUBERNETES_SCHEMA_META]: name });
  // No code here reads the object beyond `additionalChecks`.
  return schema as unknown as z.ZodType<T, T>;
}

/** A rule in two languages. */
export interface ApiRule<T> extends ValidationRule {
  /** The same rule in JavaScript, for the webhook. Called only for a value that an update changes. */
  readonly isValid: (value: T) => boolean;
}

/**
 * Returns `schema` with a rule that the API server checks in CEL and the webhook in JavaScript, with one message. For
 * objects, lists and single values.
 */
export function apiRule<S extends z.ZodType>(schema: S, { isValid, ...rule }: ApiRule<z.output<S>>): S {
  // zod types the result of `refine` as the schema itself; `meta` keeps the existing rules.
  const existingRules = schema.meta()?.[RULES_META];
  const rules = [...(Array.isArray(existingRules) ? existingRules : []), rule];
  return schema.refine(isValid, rule.message).meta({ ...schema.meta(), [RULES_META]: rules }) as S;
}

const RULES_META = 'x-kubernetes-validations';

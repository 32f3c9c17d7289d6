import { stripNullFields, stripNulls } from '../client/strip-nulls.ts';
import type { FieldError } from '../kubernetes/field-error.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Resource } from '../kubernetes/resource.ts';
import {
  type AdmissionContext,
  type AdmissionWebhooks,
  type AdmittedResource,
  type Draft,
  InvalidError,
  type ObjectSchema,
  type ValidationResult,
  type ValidatorOutput,
} from './admission.ts';
import type { AdmissionResponse, ReviewedObject, ReviewedOperation } from './admission-review.ts';
import { createInvalidStatus } from './failure-status.ts';
import { createJsonPatch, type JsonValue } from './json-patch.ts';
import { limitWarnings } from './limit-warnings.ts';
import { isNamespaceDeleter } from './webhook-declaration.ts';

/** Reviews a request and returns the response. Throws an error if the review fails. */
export type ReviewFunction = (request: ReviewRequest, context: AdmissionContext) => Promise<AdmissionResponse>;

export interface ReviewRequest {
  readonly operation: ReviewedOperation;
  /** Name of the object, empty if the API server has not generated the name yet. */
  readonly name: string;
}

const ALLOWED_RESPONSE: AdmissionResponse = { allowed: true };

/**
 * Returns a review function that allows valid objects and returns their defaults as a patch. The patch also removes
 * null fields of metadata and spec, and empty fields of metadata. The API server also removes null fields, except in
 * server-side apply.
 */
export function createDefaultingReview<T extends KubernetesObject, SpecInput>(
  resource: AdmittedResource<T, SpecInput>,
  webhooks: AdmissionWebhooks<T, SpecInput>,
): ReviewFunction {
  return catchInvalidErrors(resource, async ({ operation }, context) => {
    if (operation.kind === 'DELETE' || isBeingDeleted(operation.object) || !webhooks.default) return ALLOWED_RESPONSE;
    const { object } = operation;
    const { unchangedErrors } = checkSchema(resource.schema, operation);
    // A built-in kind has no null fields, because the API server decodes it to Go types.
    const objectWithoutNulls = resource.isCustomResource
      ? stripEmptyMetadata(stripNullsOfMetadataAndSpec(object))
      : object;
    const createPatchTo = (result: object) => createJsonPatch(toJsonValue(object), toJsonValue(result));
    if (unchangedErrors.length > 0) {
      return {
        allowed: true,
        warnings: limitWarnings(unchangedErrors.map(formatNoDefaultsWarning)),
        patch: createPatchTo(objectWithoutNulls),
      };
    }
    // The defaulter gets a copy, because the patch is computed from the original object even if the defaulter modifies
    // its input.
    const draft = toDraft<T, SpecInput>(structuredClone(objectWithoutNulls));
    const old = 'old' in operation ? toStoredObject<T>(operation.old) : undefined;
    return { allowed: true, patch: createPatchTo(await webhooks.default(draft, context, old)) };
  });
}

/** Removes null fields of metadata and spec. */
function stripNullsOfMetadataAndSpec<T extends object>(object: T): T {
  const metadataAndSpec = Object.entries(object).filter(
    ([name, value]) => /^(metadata|spec)$/.test(name) && typeof value === 'object' && value,
  );
  return { ...object, ...Object.fromEntries(metadataAndSpec.map(([name, value]) => [name, stripNullFields(value)])) };
}

/** The API server never stores these fields of the metadata if they are empty. */
const OMITTED_IF_EMPTY: ReadonlySet<string> = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences']);

/** Removes empty fields of the metadata, because every server-side apply with such a field would change the object. */
function stripEmptyMetadata<T extends { readonly metadata: object }>(object: T): T {
  const fields = Object.entries(object.metadata ?? {});
  const isOmitted = ([name, value]: readonly [string, unknown]) =>
    OMITTED_IF_EMPTY.has(name) && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return fields.some(isOmitted)
    ? { ...object, metadata: Object.fromEntries(fields.filter((field) => !isOmitted(field))) }
    : object;
}

/** Returns a review function that allows an object if the schema and the validators accept it. */
export function createValidatingReview<T extends KubernetesObject, SpecInput>(
  resource: AdmittedResource<T, SpecInput>,
  webhooks: AdmissionWebhooks<T, SpecInput>,
): ReviewFunction {
  return catchInvalidErrors(resource, async ({ operation, name }, context) => {
    if (isBeingDeleted(getObject(operation))) return ALLOWED_RESPONSE;
    if (operation.kind === 'DELETE') {
      if (isNamespaceDeleter(context.user.username)) return ALLOWED_RESPONSE;
      return createResponse(
        resource,
        { operation, name },
        await webhooks.validateDelete?.(toStoredObject(operation.old), context),
      );
    }
    const { unchangedErrors } = checkSchema(resource.schema, operation);
    const output = await callValidator(webhooks, operation, context).catch((error) => {
      if (unchangedErrors.length === 0 || !(error instanceof TypeError)) throw error;
      // The TypeError probably comes from an unchanged field that is invalid for the schema. The response lists the
      // faults of unchanged fields, so that the user can fix the faults.
      context.log.info('validator failed on an object that does not match its schema', { reason: error.message });
      return unchangedErrors;
    });
    return createResponse(resource, { operation, name }, output);
  });
}

async function callValidator<T extends KubernetesObject, SpecInput>(
  webhooks: AdmissionWebhooks<T, SpecInput>,
  operation: Exclude<ReviewedOperation, { readonly kind: 'DELETE' }>,
  context: AdmissionContext,
): Promise<ValidatorOutput> {
  const object = toStoredObject<T>(operation.object);
  if (operation.kind === 'CREATE') {
    if (webhooks.validate) return await webhooks.validate({ operation: 'CREATE', object }, context);
    return await webhooks.validateCreate?.(object, context);
  }
  const old = toStoredObject<T>(operation.old);
  if (webhooks.validate) return await webhooks.validate({ operation: 'UPDATE', object, old }, context);
  return await webhooks.validateUpdate?.(object, old, context);
}

/**
 * Throws an {@link InvalidError} if the operation introduces faults. Returns the faults that an update does not change.
 */
function checkSchema(
  schema: ObjectSchema | undefined,
  operation: Exclude<ReviewedOperation, { readonly kind: 'DELETE' }>,
): { readonly unchangedErrors: readonly FieldError[] } {
  if (schema === undefined) return { unchangedErrors: [] };
  const allFaults = schema.faults(operation.object);
  const [first, ...otherErrors] =
    operation.kind === 'CREATE' ? allFaults : schema.faults(operation.object, operation.old);
  if (first !== undefined) throw new InvalidError(first, ...otherErrors);
  return { unchangedErrors: allFaults };
}

function formatNoDefaultsWarning({ field, message }: FieldError): string {
  return `${field}: ${message}; the webhook adds no defaults until you correct this field`;
}

function catchInvalidErrors(resource: Resource, review: ReviewFunction): ReviewFunction {
  return async (request, context) => {
    try {
      return await review(request, context);
    } catch (error) {
      if (error instanceof InvalidError) return createResponse(resource, request, error.errors);
      throw error;
    }
  };
}

function createResponse(
  resource: Resource,
  { operation, name }: ReviewRequest,
  validatorOutput: ValidatorOutput,
): AdmissionResponse {
  const { errors, warnings } = toValidationResult(validatorOutput);
  const limitedWarnings = limitWarnings(warnings);
  if (errors.length === 0) return { allowed: true, warnings: limitedWarnings };
  const status = createInvalidStatus(resource, name || getObjectName(getObject(operation)), errors);
  return { allowed: false, warnings: limitedWarnings, status };
}

function toValidationResult(validatorOutput: ValidatorOutput): ValidationResult {
  if (isErrorList(validatorOutput)) return { errors: validatorOutput, warnings: [] };
  return { errors: validatorOutput?.errors ?? [], warnings: validatorOutput?.warnings ?? [] };
}

/** `Array.isArray` does not narrow the type of a readonly array. */
function isErrorList(validatorOutput: ValidatorOutput): validatorOutput is readonly FieldError[] {
  return Array.isArray(validatorOutput);
}

function getObject(operation: ReviewedOperation): ReviewedObject {
  return operation.kind === 'DELETE' ? operation.old : operation.object;
}

/** An object that is being deleted is always allowed, because a rejection would block the removal of its finalizers. */
function isBeingDeleted({ metadata }: ReviewedObject): boolean {
  return typeof metadata.deletionTimestamp === 'string';
}

/** Returns the name or the prefix of a generated name. The object is not validated. */
function getObjectName({ metadata }: ReviewedObject): string {
  const names: readonly unknown[] = [metadata.name, metadata.generateName];
  return names.find((name) => typeof name === 'string') ?? '';
}

function toDraft<T extends KubernetesObject, SpecInput>(object: ReviewedObject): Draft<T, SpecInput> {
  // The webhook is registered for the kind `T`. For a kind with a schema, the object is validated. For a kind without a
  // schema, the type Draft makes no assumptions about the fields.
  return object as unknown as Draft<T, SpecInput>;
}

function toStoredObject<T extends KubernetesObject>(object: ReviewedObject): T {
  // The webhook is registered for the kind `T`, and the API server has validated the object. The type `T` has no null
  // fields, so null fields are removed.
  return stripNulls(object) as T;
}

/** Converts the object to JSON, which has no fields with the value `undefined`. */
function toJsonValue(object: object): JsonValue {
  return JSON.parse(JSON.stringify(object));
}

/** From what a kind brings along to the answer of a review. */
import type { KubernetesObject, Resource } from '../client/object.ts';
import type { AdmissionContext, Defaulter, Validator, Verdict } from './admission.ts';
import type { AdmissionRequest, AdmissionResponse, ReviewedObject } from './admission-review.ts';
import { type JsonValue, jsonPatch } from './json-patch.ts';
import { invalidStatus } from './status.ts';
import { fitWarnings } from './warnings.ts';

/** Answers a request. What it throws fails the request. */
export type Review = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => AdmissionResponse | Promise<AdmissionResponse>;

const ALLOWED: AdmissionResponse = { allowed: true };

/**
 * Allows everything, with the defaults as a patch. The object keeps its nulls, as the places that a patch names are those of
 * the object that the API server has.
 */
export function reviewWithDefaulter<T extends KubernetesObject>(defaulter: Defaulter<T>): Review {
  return ({ operation }) => {
    if (operation.kind === 'OTHER' || isBeingDeleted(operation.object)) return ALLOWED;
    const { object } = operation;
    // A copy, so that a defaulter that fills in the object itself makes a difference all the same.
    const defaulted = defaulter.default(typed<T>(structuredClone(object)));
    return { allowed: true, patch: jsonPatch(asJson(object), asJson(defaulted)) };
  };
}

/** Allows what the validator has nothing against. */
export function reviewWithValidator<T extends KubernetesObject>(
  resource: Resource<T>,
  validator: Validator<T>,
): Review {
  return async ({ operation, name }, context) => {
    if (operation.kind === 'OTHER') return ALLOWED;
    const { object } = operation;
    if (operation.kind === 'CREATE') {
      const verdict = await validator.validateCreate(typed<T>(object), context);
      return answer(resource, name || nameOf(object), verdict);
    }
    if (isBeingDeleted(object)) return ALLOWED;
    const verdict = await validator.validateUpdate(typed<T>(object), typed<T>(operation.old), context);
    return answer(resource, name || nameOf(object), verdict);
  };
}

function answer(resource: Resource, name: string, { errors, warnings }: Verdict): AdmissionResponse {
  const shown = fitWarnings(warnings);
  if (errors.length === 0) return { allowed: true, warnings: shown };
  return { allowed: false, warnings: shown, status: invalidStatus(resource, name, errors) };
}

/** Whoever removes its last finalizer must not be held up by what is wrong with it otherwise. */
function isBeingDeleted({ metadata }: ReviewedObject): boolean {
  return typeof metadata.deletionTimestamp === 'string';
}

/** An object whose name is yet to be made up has the beginning of one. */
function nameOf({ metadata }: ReviewedObject): string {
  return metadata.name ?? metadata.generateName ?? '';
}

function typed<T extends KubernetesObject>(object: ReviewedObject): T {
  // The webhook is registered for this kind, and the API server has checked the object against its schema.
  return object as unknown as T;
}

/** As it would go over the wire: without what is undefined. */
function asJson(object: ReviewedObject): JsonValue {
  return JSON.parse(JSON.stringify(object));
}

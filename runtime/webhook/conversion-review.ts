/** Decodes, converts and encodes the objects of a ConversionReview of apiextensions.k8s.io/v1. */
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { getGroup } from '../kubernetes/resource.ts';
import { convertObject } from '../schema/convert-object.ts';
import type { Kind } from '../schema/kind.ts';
import { parseJson } from './admission-review.ts';

const REVIEW_API_VERSION = 'apiextensions.k8s.io/v1';
const REVIEW_KIND = 'ConversionReview';

export interface ConversionRequest {
  /** UID of the review, which the response must contain. */
  readonly uid: string;
  /** The API version to which the objects must be converted. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubernetesObject[];
}

export type DecodedConversion =
  | { readonly kind: 'ok'; readonly request: ConversionRequest }
  | { readonly kind: 'malformed'; readonly message: string };

export function decodeConversion(body: string): DecodedConversion {
  const review = parseJson(body);
  if (!isRecord(review) || review['apiVersion'] !== REVIEW_API_VERSION || review['kind'] !== REVIEW_KIND) {
    const fix = "set conversionReviewVersions to [v1] in the kind's CRD";
    return { kind: 'malformed', message: `the body is not a ${REVIEW_KIND} of ${REVIEW_API_VERSION}: ${fix}` };
  }
  const { uid, desiredAPIVersion, objects } = isRecord(review['request']) ? review['request'] : {};
  if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) {
    return { kind: 'malformed', message: 'request must have uid, desiredAPIVersion and objects' };
  }
  if (!objects.every(hasTypeMeta)) return { kind: 'malformed', message: 'each object must have apiVersion and kind' };
  return { kind: 'ok', request: { uid, desiredAPIVersion, objects } };
}

function hasTypeMeta(object: unknown): object is KubernetesObject {
  return isRecord(object) && typeof object['apiVersion'] === 'string' && typeof object['kind'] === 'string';
}

/** Converts the objects in the order of the review. Throws the error of the first object whose conversion fails. */
export function convertAll(
  kinds: readonly Kind[],
  { desiredAPIVersion, objects }: ConversionRequest,
): readonly KubernetesObject[] {
  const group = getGroup(desiredAPIVersion);
  const version = desiredAPIVersion.slice(group.length + 1);
  return objects.map((object) => {
    const kind = kinds.find((each) => each.kind === object.kind && each.group === getGroup(object.apiVersion));
    if (kind === undefined || kind.group !== group)
      throw new Error(`no conversion from ${object.apiVersion} ${object.kind} to ${desiredAPIVersion}`);
    return convertObject(kind, object, version);
  });
}

export function encodeConversion(uid: string, convertedObjects: readonly KubernetesObject[]): object {
  return {
    apiVersion: REVIEW_API_VERSION,
    kind: REVIEW_KIND,
    response: { uid, result: { status: 'Success' }, convertedObjects },
  };
}

/** Encodes the response for a failed conversion. The API server shows the message to the user. */
export function encodeConversionFailure(uid: string, message: string): object {
  const result = { status: 'Failure', message };
  return { apiVersion: REVIEW_API_VERSION, kind: REVIEW_KIND, response: { uid, result, convertedObjects: [] } };
}

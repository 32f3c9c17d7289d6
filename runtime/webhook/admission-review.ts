/** Decodes and encodes the AdmissionReview of admission.k8s.io/v1. */
import { isRecord } from '../kubernetes/is-record.ts';
import { formatApiVersion, type Resource } from '../kubernetes/resource.ts';
import type { UserInfo } from './admission.ts';
import type { Status } from './failure-status.ts';
import type { PatchOperation } from './json-patch.ts';

const REVIEW_API_VERSION = 'admission.k8s.io/v1';
const REVIEW_KIND = 'AdmissionReview';

export interface AdmissionRequest {
  /** UID of the review, which the response must contain. */
  readonly uid: string;
  /** Kind of the object, after conversion to the version that the webhook is registered for. */
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind'>;
  readonly operation: ReviewedOperation | { readonly kind: 'OTHER' };
  readonly namespace: string | undefined;
  /** Name of the object, empty if the API server has not generated the name yet. */
  readonly name: string;
  readonly subResource: string | undefined;
  readonly user: UserInfo;
  readonly fieldManager: string | undefined;
  readonly isDryRun: boolean;
}

/**
 * An operation that webhooks can validate. The value `OTHER` stands for a CONNECT and for a DELETE of a whole
 * collection, which the webhook server always allows. For a DELETE of a collection, the API server also sends a review
 * of each object.
 */
export type ReviewedOperation =
  | { readonly kind: 'CREATE'; readonly object: ReviewedObject }
  | { readonly kind: 'UPDATE'; readonly object: ReviewedObject; readonly old: ReviewedObject }
  | { readonly kind: 'DELETE'; readonly old: ReviewedObject };

/** An object in a review. Any optional field may be null. */
export interface ReviewedObject {
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string | null;
    readonly deletionTimestamp?: string | null;
  };
}

export type DecodedReview =
  | { readonly kind: 'ok'; readonly request: AdmissionRequest }
  | { readonly kind: 'malformed'; readonly message: string };

export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  /** Changes of the object. The API server ignores the patch if `allowed` is false. */
  readonly patch?: readonly PatchOperation[];
  readonly status?: Status;
}

export function decodeReview(body: string): DecodedReview {
  const review = parseJson(body);
  if (!isRecord(review)) return createMalformedReview('the body is not a JSON object');
  const { apiVersion, kind, request } = review;
  if (apiVersion !== REVIEW_API_VERSION || kind !== REVIEW_KIND) {
    return createMalformedReview(
      `the body has kind ${toTruncatedString(kind, '(none)')} and apiVersion ${toTruncatedString(apiVersion, '(none)')}, but this webhook accepts ${REVIEW_KIND} of ` +
        `${REVIEW_API_VERSION}: set admissionReviewVersions to [v1] in the webhook's configuration`,
    );
  }
  return isRecord(request) ? decodeRequest(request) : createMalformedReview('request is missing');
}

function decodeRequest(request: Readonly<Record<string, unknown>>): DecodedReview {
  const { uid, kind: resource, namespace, name, dryRun, subResource, userInfo, options } = request;
  if (!isString(uid) || uid === '') return createMalformedReview('request.uid is missing');
  if (!isRecord(resource)) return createMalformedReview('request.kind is missing');
  const { group, version, kind } = resource;
  if (!isString(group) || !isString(version) || !isString(kind)) {
    return createMalformedReview('request.kind must have group, version and kind');
  }
  const problem = findTooLongField({ uid, group, version, kind, namespace, name }) ?? validateNamespace(request);
  if (problem !== undefined) return createMalformedReview(problem);
  const operation = decodeOperation(request);
  if (isString(operation)) return createMalformedReview(operation);
  return {
    kind: 'ok',
    request: {
      uid,
      resource: { group, version, kind },
      operation,
      namespace: isString(namespace) ? namespace : undefined,
      name: toStringOrEmpty(name),
      subResource: toStringOrEmpty(subResource) || undefined,
      user: decodeUser(userInfo),
      fieldManager: toStringOrEmpty(isRecord(options) ? options['fieldManager'] : undefined) || undefined,
      isDryRun: dryRun === true,
    },
  };
}

/** Maximum length of a name in Kubernetes. Longer names are rejected, because responses and logs contain the name. */
const MAX_NAME_LENGTH = 253;

function findTooLongField(fields: Readonly<Record<string, unknown>>): string | undefined {
  const [name] = Object.entries(fields).find(([, text]) => isString(text) && text.length > MAX_NAME_LENGTH) ?? [];
  return name && `request has a ${name} with more than ${MAX_NAME_LENGTH} characters`;
}

/**
 * Returns an error if the request and its object have different namespaces, because an API server never sends such a
 * request.
 */
function validateNamespace(request: Readonly<Record<string, unknown>>): string | undefined {
  const mismatchedField = (['object', 'oldObject'] as const).find((field) => {
    const object = request[field];
    const objectNamespace = (isReviewedObject(object) && object.metadata.namespace) || '';
    return objectNamespace !== '' && objectNamespace !== (request['namespace'] ?? '');
  });
  return mismatchedField && `request.namespace differs from the namespace of request.${mismatchedField}`;
}

/** Decodes the UserInfo of authentication.k8s.io/v1. Omits values of a wrong type. */
function decodeUser(userInfo: unknown): UserInfo {
  const { username, uid, groups, extra } = isRecord(userInfo) ? userInfo : {};
  const extraEntries = Object.entries(isRecord(extra) ? extra : {}).map(
    ([key, list]) => [key, toStrings(list)] as const,
  );
  return {
    username: toStringOrEmpty(username),
    uid: toStringOrEmpty(uid),
    groups: toStrings(groups),
    extra: Object.fromEntries(extraEntries),
  };
}

function decodeOperation({
  operation,
  object,
  oldObject,
}: Readonly<Record<string, unknown>>): AdmissionRequest['operation'] | string {
  switch (operation) {
    case 'CREATE':
      return isReviewedObject(object) ? { kind: operation, object } : 'request.object is not an object with metadata';
    case 'UPDATE':
      if (!isReviewedObject(object)) return 'request.object is not an object with metadata';
      if (!isReviewedObject(oldObject)) return 'request.oldObject is not an object with metadata';
      return { kind: operation, object, old: oldObject };
    case 'DELETE':
      return isReviewedObject(oldObject) ? { kind: operation, old: oldObject } : { kind: 'OTHER' };
    default:
      return isString(operation) ? { kind: 'OTHER' } : 'request.operation is missing';
  }
}

export function encodeReview(uid: string, { allowed, warnings = [], patch = [], status }: AdmissionResponse): object {
  return {
    apiVersion: REVIEW_API_VERSION,
    kind: REVIEW_KIND,
    response: {
      uid,
      allowed,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(patch.length > 0
        ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : {}),
      ...(status === undefined ? {} : { status }),
    },
  };
}

/** Returns the API version and the kind, such as `batch/v1 Job`. */
export function describeKind(resource: AdmissionRequest['resource']): string {
  return `${formatApiVersion(resource)} ${resource.kind}`;
}

function toTruncatedString(value: unknown, defaultText: string): string {
  return isString(value) ? value.slice(0, MAX_NAME_LENGTH) : defaultText;
}

function createMalformedReview(message: string): DecodedReview {
  return { kind: 'malformed', message };
}

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // the caller reports the missing object
  }
}

function isReviewedObject(value: unknown): value is ReviewedObject {
  return isRecord(value) && isRecord(value['metadata']);
}

function toStringOrEmpty(value: unknown): string {
  return isString(value) ? value : '';
}

function toStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

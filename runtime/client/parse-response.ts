/** Parses responses. Rejects responses of proxies and login pages. */
import { STATUS_CODES } from 'node:http';
import { isRecord } from '../kubernetes/is-record.ts';
import { ApiError, type ApiStatus, InvalidResponseError } from './errors.ts';
import type { HttpResponse } from './send-http-request.ts';
import { parseWithoutNulls } from './strip-nulls.ts';
import { validateMetadata, validateNamedObject } from './validate-metadata.ts';

/** The part of a request that appears in error messages about the response. */
export interface RequestSummary {
  readonly method: string;
  readonly origin: string;
  /** Path of the request without the query. */
  readonly path: string;
  readonly accept?: string | undefined;
}

const JSON_MEDIA_TYPE_PATTERN = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const HTML_MEDIA_TYPE_PATTERN = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
const ANY_MEDIA_TYPE = '*/*';
const MAX_ERROR_TEXT_LENGTH = 200;

/** Returns whether the status code is 2xx and the content type matches `accept`. */
export function hasExpectedHeaders(
  accept: string | undefined,
  { statusCode, headers }: Pick<HttpResponse, 'statusCode' | 'headers'>,
): boolean {
  const contentType = headers['content-type'] ?? '';
  if (statusCode === 204) return true;
  if (statusCode < 200 || statusCode >= 300) return false;
  return accept === ANY_MEDIA_TYPE
    ? !HTML_MEDIA_TYPE_PATTERN.test(contentType)
    : contentType === '' || JSON_MEDIA_TYPE_PATTERN.test(contentType);
}

/**
 * Throws an {@link ApiError} if the status code is not 2xx, and an {@link InvalidResponseError} if the content type is
 * unexpected. A redirect or a refusal of a proxy also throws an {@link InvalidResponseError}, because it says nothing
 * about the object.
 */
export function checkResponse<A extends Pick<HttpResponse, 'statusCode' | 'headers' | 'text'>>(
  request: RequestSummary,
  response: A,
): A {
  const { statusCode, headers } = response;
  if (hasExpectedHeaders(request.accept, response) || isOpenApiSchema(request, response)) return response;
  if (statusCode >= 200 && statusCode < 300) {
    throw new InvalidResponseError(
      `${formatStatusLine(request, statusCode)} with ${formatMediaType(headers['content-type'] ?? '')}${PROXY_ADVICE}`,
    );
  }
  if (!isFromApiServer(response))
    throw new InvalidResponseError(`${describeResponse(request, response)}${PROXY_ADVICE}`);
  const seconds = Number(headers['retry-after']);
  throw new ApiError(statusCode, toApiStatus(request, response), seconds > 0 ? seconds * 1000 : undefined);
}

/** Returns the error for a response that is not HTTP. Returns other errors unchanged. */
export function toResponseError({ method, origin, path }: RequestSummary, error: unknown): unknown {
  // undici reports no code for most of these errors.
  if (!(error instanceof Error) || error.name !== 'HTTPParserError') return error;
  const message = `${method} ${origin}${path} returned a response that is not HTTP${PROXY_ADVICE}`;
  return new InvalidResponseError(message, { cause: error });
}

/**
 * Returns whether an API server sent the error response. An API server refuses a request with a Status, or an unknown
 * path with a text. Other components may respond for it if it is overloaded, does not know the user, or is down.
 */
function isFromApiServer({ statusCode, text }: Pick<HttpResponse, 'statusCode' | 'text'>): boolean {
  if (statusCode === 401 || statusCode === 429 || statusCode >= 500) return true;
  return parseStatus(text)?.['kind'] === 'Status' || (statusCode === 404 && text.trim() === '404 page not found');
}

/**
 * Returns the object from a 2xx response, without its null fields. Returns `undefined` for the response 204 to a DELETE
 * request. Throws an {@link InvalidResponseError} if the response, or an item of a list, is not a Kubernetes object.
 */
export function parseResponseObject(request: RequestSummary, { statusCode, text }: HttpResponse): unknown {
  if (statusCode === 204 && request.method === 'DELETE') return undefined;
  const statusLine = formatStatusLine(request, statusCode);
  if (text.trim() === '') throw new InvalidResponseError(`${statusLine} with an empty body${PROXY_ADVICE}`);
  let value: unknown;
  try {
    value = parseWithoutNulls(text);
  } catch (error) {
    throw new InvalidResponseError(`${statusLine} with a body that is not complete JSON${PROXY_ADVICE}`, {
      cause: error,
    });
  }
  const isApiPath = API_PATH_PATTERN.test(request.path) && !OPENAPI_PATH_PATTERN.test(request.path);
  const problem = !isRecord(value) ? NOT_AN_OBJECT_MESSAGE : isApiPath ? validateObject(request, value) : undefined;
  if (problem !== undefined)
    throw new InvalidResponseError(
      `${statusLine} with JSON that is not a Kubernetes object: ${problem}${PROXY_ADVICE}`,
    );
  return value;
}

const PROXY_ADVICE =
  '; this is not the response of an API server: check for a proxy or a login page, and check server in the kubeconfig';
/** Paths whose responses are Kubernetes objects. The response of `/version`, for example, has no kind. */
const API_PATH_PATTERN = /\/apis?(?:\/|$)/;

/** Path of the OpenAPI schema, which the API server sends as plain text. */
const OPENAPI_PATH_PATTERN = /\/openapi\/v3(?:\/|$)/;

function isOpenApiSchema(
  { path }: RequestSummary,
  { statusCode, headers }: Pick<HttpResponse, 'statusCode' | 'headers'>,
): boolean {
  return (
    statusCode === 200 && OPENAPI_PATH_PATTERN.test(path) && headers['content-type']?.startsWith('text/plain') === true
  );
}

/** Paths of many objects, such as `/apis/batch/v1/namespaces/default/jobs`. */
const COLLECTION_PATH_PATTERN = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/)?[^/]+$/;
const RESOURCE_PATH_PATTERN = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/./;
const NOT_AN_OBJECT_MESSAGE = 'it must be an object';

function validateObject(
  { method, path }: RequestSummary,
  object: Readonly<Record<string, unknown>>,
): string | undefined {
  const { kind, items, metadata } = object;
  if (typeof kind !== 'string') return 'kind must be a string';
  const isResourcePath = RESOURCE_PATH_PATTERN.test(path);
  const isCollection = COLLECTION_PATH_PATTERN.test(path);
  if (isCollection && (items !== undefined || kind.endsWith('List'))) return validateList(object);
  // The response to a POST may be an access review, which has no name. The response to a DELETE may be a Status.
  const hasName = method === 'GET' || (method !== 'POST' && kind !== 'Status');
  if (isResourcePath && hasName) return validateNamedObject(object);
  return metadata === undefined ? undefined : validateMetadata(object);
}

function validateList(list: Readonly<Record<string, unknown>>): string | undefined {
  const { items = [] } = list;
  const problem = validateMetadata(list);
  if (problem !== undefined) return problem;
  if (!Array.isArray(items)) return 'items must be a list';
  for (const [index, item] of items.entries()) {
    const itemProblem = isRecord(item) ? validateNamedObject(item) : 'it must be an object';
    if (itemProblem !== undefined) return `items[${index}]: ${itemProblem}`;
  }
  return undefined;
}

/**
 * Returns the `metav1.Status` in a response. If the response contains no Status, describes the response in a new
 * Status.
 */
function toApiStatus(
  request: RequestSummary,
  response: Pick<HttpResponse, 'statusCode' | 'headers' | 'text'>,
): ApiStatus {
  const status = pickStatusFields(parseStatus(response.text) ?? {});
  return { ...status, message: status.message || describeResponse(request, response) };
}

/** Returns the fields of a `metav1.Status` that have the expected types. */
export function pickStatusFields({ code, reason, message, details }: Readonly<Record<string, unknown>>): ApiStatus {
  const { causes, retryAfterSeconds } = isRecord(details) ? details : {};
  return {
    ...(Number.isInteger(code) && { code: Number(code) }),
    ...(typeof message === 'string' && { message }),
    ...(typeof reason === 'string' && { reason }),
    details: {
      causes: Array.isArray(causes) ? causes.filter(isRecord) : [],
      ...(Number.isFinite(retryAfterSeconds) && { retryAfterSeconds: Number(retryAfterSeconds) }),
    },
  };
}

function parseStatus(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseWithoutNulls(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describeResponse(
  request: RequestSummary,
  { statusCode, headers, text }: Pick<HttpResponse, 'statusCode' | 'headers' | 'text'>,
): string {
  const redirectUrl = headers.location === undefined ? null : URL.parse(headers.location, request.origin);
  const isHtml = HTML_MEDIA_TYPE_PATTERN.test(headers['content-type'] ?? '') || /^\s*</.test(text);
  const message = toOneLine(text);
  const summary = redirectUrl
    ? ` and redirected to ${redirectUrl.origin}`
    : isHtml
      ? ' with HTML'
      : message && `: ${message}`;
  return `${formatStatusLine(request, statusCode)}${summary}`;
}

function toOneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_ERROR_TEXT_LENGTH ? `${line.slice(0, MAX_ERROR_TEXT_LENGTH)}…` : line;
}

function formatStatusLine({ method, origin, path }: RequestSummary, statusCode: number): string {
  const phrase = STATUS_CODES[statusCode];
  return `${method} ${origin}${path} returned ${statusCode}${phrase === undefined ? '' : ` ${phrase}`}`;
}

function formatMediaType(contentType: string): string {
  return HTML_MEDIA_TYPE_PATTERN.test(contentType) ? 'HTML' : (contentType.split(';')[0] ?? '').trim();
}

/** Checks that an answer comes from an API server. Proxies, login pages and starting servers answer as well. */
import { STATUS_CODES } from 'node:http';
import { isRecord } from '../kubernetes/is-record.ts';
import { ApiError, type ApiStatus, InvalidResponseError } from './errors.ts';
import type { Answer } from './exchange.ts';
import { metadataFault, namedObjectFault } from './metadata-fault.ts';
import { parseWithoutNulls } from './strip-nulls.ts';

/** The request of an answer. */
export interface AnsweredRequest {
  readonly method: string;
  /** Origin of the server, before the path. */
  readonly origin: string;
  /** Path without the query. */
  readonly path: string;
  readonly accept?: string | undefined;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
const ANYTHING = '*/*';
/** Maximum length of the text to show from an answer without a Status. */
const MAX_TEXT = 200;

/** Whether the status is 2xx and the content type is an expected one. */
export function hasExpectedHead(
  accept: string | undefined,
  { statusCode, headers }: Pick<Answer, 'statusCode' | 'headers'>,
): boolean {
  const type = headers['content-type'] ?? '';
  if (statusCode === 204) return true;
  if (statusCode < 200 || statusCode >= 300) return false;
  return accept === ANYTHING ? !HTML_TYPE.test(type) : type === '' || JSON_TYPE.test(type);
}

/**
 * Throws an ApiError for any status but 2xx, and an {@link InvalidResponseError} when the head does not come from an API server.
 */
export function checkAnswer<A extends Pick<Answer, 'statusCode' | 'headers' | 'text'>>(
  request: AnsweredRequest,
  answer: A,
): A {
  const { statusCode, headers } = answer;
  if (hasExpectedHead(request.accept, answer) || isSchema(request, answer)) return answer;
  if (statusCode >= 200 && statusCode < 300) {
    throw new InvalidResponseError(
      `${titleOf(request, statusCode)} with ${nameOf(headers['content-type'] ?? '')}${LOOK}`,
    );
  }
  const seconds = Number(headers['retry-after']);
  throw new ApiError(statusCode, statusOf(request, answer), seconds > 0 ? seconds * 1000 : undefined);
}

/**
 * The object in a 2xx answer, without nulls; `undefined` for a DELETE that was answered 204. Throws an {@link
 * InvalidResponseError} when the answer, or an item in it, is not a Kubernetes object.
 */
export function objectIn(request: AnsweredRequest, { statusCode, text }: Answer): unknown {
  if (statusCode === 204 && request.method === 'DELETE') return undefined;
  const title = titleOf(request, statusCode);
  if (text.trim() === '') throw new InvalidResponseError(`${title} with nothing${LOOK}`);
  let value: unknown;
  try {
    value = parseWithoutNulls(text);
  } catch (error) {
    throw new InvalidResponseError(`${title} with what is no JSON, or only a part of it${LOOK}`, { cause: error });
  }
  const isApi = API_PATH.test(request.path) && !SCHEMA_PATH.test(request.path);
  const fault = !isRecord(value) ? NOT_AN_OBJECT : isApi ? objectFault(request, value) : undefined;
  if (fault !== undefined)
    throw new InvalidResponseError(`${title} with JSON that is no object of Kubernetes: ${fault}${LOOK}`);
  return value;
}

const LOOK =
  '; no API server answers so: look for a proxy or a login page before it, and at the server in the kubeconfig';
/** Other paths, such as `/version`, answer without a kind. */
const API_PATH = /\/apis?(?:\/|$)/;

/** API servers send the schema as plain text. */
const SCHEMA_PATH = /\/openapi\/v3(?:\/|$)/;

function isSchema({ path }: AnsweredRequest, { statusCode, headers }: Pick<Answer, 'statusCode' | 'headers'>): boolean {
  return statusCode === 200 && SCHEMA_PATH.test(path) && headers['content-type']?.startsWith('text/plain') === true;
}

/** Paths below the version of an API: objects and lists. */
const RESOURCE_PATH = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/./;
const NOT_AN_OBJECT = 'it is none at all';

function objectFault({ method, path }: AnsweredRequest, object: Readonly<Record<string, unknown>>): string | undefined {
  const { kind, items, metadata } = object;
  if (typeof kind !== 'string') return 'kind must be text';
  const isResource = RESOURCE_PATH.test(path);
  if (items !== undefined || (isResource && kind.endsWith('List'))) return listFault(object);
  // A POST may be a query, such as a review, and an action may return a Status.
  const isNamed = method === 'GET' || (method !== 'POST' && kind !== 'Status');
  if (isResource && isNamed) return namedObjectFault(object);
  return metadata === undefined ? undefined : metadataFault(object);
}

function listFault(list: Readonly<Record<string, unknown>>): string | undefined {
  const { items = [] } = list;
  const fault = metadataFault(list);
  if (fault !== undefined) return fault;
  if (!Array.isArray(items)) return 'items must be a list';
  for (const [index, item] of items.entries()) {
    const faultOfItem = isRecord(item) ? namedObjectFault(item) : 'it must be an object';
    if (faultOfItem !== undefined) return `items[${index}]: ${faultOfItem}`;
  }
  return undefined;
}

/** The Status of an answer; without one, a Status that names the request and the answer. */
function statusOf(request: AnsweredRequest, answer: Pick<Answer, 'statusCode' | 'headers' | 'text'>): ApiStatus {
  const { reason, message, details } = statusIn(answer.text) ?? {};
  const { causes, retryAfterSeconds } = isRecord(details) ? details : {};
  return {
    message: typeof message === 'string' && message !== '' ? message : describe(request, answer),
    ...(typeof reason === 'string' && { reason }),
    details: {
      causes: Array.isArray(causes) ? causes.filter(isRecord) : [],
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    },
  };
}

function statusIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseWithoutNulls(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describe(
  request: AnsweredRequest,
  { statusCode, headers, text }: Pick<Answer, 'statusCode' | 'headers' | 'text'>,
): string {
  const target = headers.location === undefined ? null : URL.parse(headers.location, request.origin);
  const isHtml = HTML_TYPE.test(headers['content-type'] ?? '') || /^\s*</.test(text);
  const said = plainText(text);
  const what = target ? ` and sent to ${target.origin}` : isHtml ? ' with HTML' : said && `: ${said}`;
  return `${titleOf(request, statusCode)}${what}`;
}

/** Returns the text as one line. */
function plainText(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

function titleOf({ method, origin, path }: AnsweredRequest, statusCode: number): string {
  const phrase = STATUS_CODES[statusCode];
  return `${method} ${origin}${path} was answered ${statusCode}${phrase === undefined ? '' : ` ${phrase}`}`;
}

function nameOf(type: string): string {
  return HTML_TYPE.test(type) ? 'HTML' : (type.split(';')[0] ?? '').trim();
}

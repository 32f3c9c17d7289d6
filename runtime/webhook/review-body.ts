import type { IncomingMessage } from 'node:http';

/**
 * The API server accepts no request above 3 MiB; an update contains the object twice, and the rest is for the API
 * server's additions.
 */
const MAX_BODY_BYTES = 7 * 1024 * 1024;
/** Far deeper than any object of the Kubernetes API, but far below a stack overflow: the API server accepts 10,000. */
const MAX_DEPTH = 500;
/** More than the values of two objects of 1.5 MiB, etcd's limit, with all their managedFields. */
const MAX_VALUES = 300_000;
/**
 * Maximum memory per parsed value, in bytes: a value of three bytes of JSON, `{},`, takes 56 bytes and its place in the
 * list.
 */
const BYTES_PER_VALUE = 128;

export interface RejectedBody {
  readonly kind: 'rejected';
  /** HTTP status. */
  readonly code: number;
  /** `metav1.StatusReason`. */
  readonly reason: string;
  readonly message: string;
}

export type ReceivedBody = { readonly kind: 'received'; readonly text: string } | RejectedBody;

/**
 * Reads a review as text. Never rejects. `reserve` returns whether there is memory for it; called before reading and
 * before parsing.
 */
export async function receiveBody(
  request: IncomingMessage,
  reserve: (bytes: number) => boolean,
): Promise<ReceivedBody> {
  const { 'content-length': length } = request.headers;
  const bytes = length === undefined ? MAX_BODY_BYTES : Number(length);
  if (bytes > MAX_BODY_BYTES) return TOO_LARGE;
  if (!reserve(bytes)) return TOO_MANY_REVIEWS;
  const body = await readBody(request);
  if ('kind' in body) return body;
  const { values, depth } = measureJson(body);
  if (values > MAX_VALUES) return tooLarge(`has more than ${MAX_VALUES} values`);
  if (depth > MAX_DEPTH) return tooLarge(`is nested more than ${MAX_DEPTH} deep`);
  if (!reserve(body.length + values * BYTES_PER_VALUE)) return TOO_MANY_REVIEWS;
  return { kind: 'received', text: body.toString('utf8') };
}

/** Reads the body. If the body is too large, it reads and drops the rest, so that the client gets its response. */
function readBody(request: IncomingMessage): Promise<Buffer | RejectedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const add = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(TOO_LARGE);
    };
    // A broken connection also emits `close`; without a listener its error would end the process.
    request
      .on('error', () => {})
      .on('data', add)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('close', () => resolve(CUT_OFF));
  });
}

/**
 * Measures a JSON text before it is parsed: 3 MiB may become objects of 100 MiB, or be nested deeper than any stack.
 * The result for invalid JSON is arbitrary: the parser rejects it.
 */
export function measureJson(text: Uint8Array): { readonly values: number; readonly depth: number } {
  let [values, depth, deepest, isInText] = [1, 0, 0, false];
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0;
    if (byte === BACKSLASH) index++;
    else if (byte === QUOTE) isInText = !isInText;
    else if (!isInText) {
      values += VALUES[byte] ?? 0;
      depth += DEPTH[byte] ?? 0;
      deepest = Math.max(deepest, depth);
    }
  }
  return { values, depth: deepest };
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const VALUES = createByteTable({ '{': 1, '[': 1, ',': 1 });
const DEPTH = createByteTable({ '{': 1, '[': 1, '}': -1, ']': -1 });

function createByteTable(numbers: Readonly<Record<string, number>>): Int8Array {
  return Int8Array.from({ length: 256 }, (_, byte) => numbers[String.fromCharCode(byte)] ?? 0);
}

function tooLarge(what: string): RejectedBody {
  return rejectBody(413, 'RequestEntityTooLarge', `the review ${what}`);
}

function rejectBody(code: number, reason: string, message: string): RejectedBody {
  return { kind: 'rejected', code, reason, message };
}

const TOO_LARGE = tooLarge(`is larger than ${MAX_BODY_BYTES} bytes`);
const TOO_MANY_REVIEWS = rejectBody(429, 'TooManyRequests', 'too many concurrent reviews: try again');
const CUT_OFF = rejectBody(400, 'BadRequest', 'the review is incomplete');

import type { IncomingMessage } from 'node:http';

/**
 * The review of an update contains the old and the new object. Because the API server accepts requests of up to 3 MiB,
 * the limit is two objects of 3 MiB and 1 MiB for other fields.
 */
const MAX_BODY_BYTES = 7 * 1024 * 1024;
/** Maximum nesting. The API server accepts 10,000 levels of nesting, which would overflow the stack. */
const MAX_DEPTH = 500;
/** Maximum number of JSON values. Two objects of 1.5 MiB, the limit of etcd, usually contain fewer values. */
const MAX_JSON_VALUES = 300_000;
/** Upper bound for the memory of a parsed JSON value. For example, an empty object needs 56 bytes and a reference. */
const BYTES_PER_VALUE = 128;

export interface RejectedBody {
  readonly kind: 'rejected';
  /** HTTP status. */
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

export type ReceivedBody = { readonly kind: 'received'; readonly text: string } | RejectedBody;

/**
 * Reads the body of a review as text. Never rejects.
 * @param reserveMemory Returns whether the server has enough free memory. `receiveBody` calls `reserveMemory` before it
 * reads the body, and again before the body is parsed.
 */
export async function receiveBody(
  request: IncomingMessage,
  reserveMemory: (bytes: number) => boolean,
): Promise<ReceivedBody> {
  const { 'content-length': length } = request.headers;
  const byteCount = length === undefined ? MAX_BODY_BYTES : Number(length);
  if (byteCount > MAX_BODY_BYTES) return TOO_LARGE_REJECTION;
  if (!reserveMemory(byteCount)) return TOO_MANY_REVIEWS_REJECTION;
  const body = await readBody(request);
  if ('kind' in body) return body;
  const { values, depth } = measureJson(body);
  if (values > MAX_JSON_VALUES) return createTooLargeRejection(`has more than ${MAX_JSON_VALUES} values`);
  if (depth > MAX_DEPTH) return createTooLargeRejection(`is nested more than ${MAX_DEPTH} deep`);
  if (!reserveMemory(body.length + values * BYTES_PER_VALUE)) return TOO_MANY_REVIEWS_REJECTION;
  return { kind: 'received', text: body.toString('utf8') };
}

/** Reads the whole body even if its size exceeds the limit, because a client reads the response only after it has sent the body. */
function readBody(request: IncomingMessage): Promise<Buffer | RejectedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const addChunk = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(TOO_LARGE_REJECTION);
    };
    // An `error` event without a listener would terminate the process. The `close` event also reports a broken
    // connection.
    request
      .on('error', () => {})
      .on('data', addChunk)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('close', () => resolve(INCOMPLETE_REVIEW_REJECTION));
  });
}

/**
 * Returns the number of values and the nesting of a JSON text, which limit the memory and the stack that JSON.parse
 * needs. For example, 3 MiB of JSON may need 100 MiB of memory. For invalid JSON, the numbers may be wrong, but
 * JSON.parse rejects the text.
 */
export function measureJson(json: Uint8Array): { readonly values: number; readonly depth: number } {
  let [values, depth, deepest, isInText] = [1, 0, 0, false];
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] ?? 0;
    if (byte === BACKSLASH_BYTE) index++;
    else if (byte === QUOTE_BYTE) isInText = !isInText;
    else if (!isInText) {
      values += VALUE_COUNT_BY_BYTE[byte] ?? 0;
      depth += DEPTH_CHANGE_BY_BYTE[byte] ?? 0;
      deepest = Math.max(deepest, depth);
    }
  }
  return { values, depth: deepest };
}

const BACKSLASH_BYTE = 0x5c;
const QUOTE_BYTE = 0x22;
const VALUE_COUNT_BY_BYTE = createByteTable({ '{': 1, '[': 1, ',': 1 });
const DEPTH_CHANGE_BY_BYTE = createByteTable({ '{': 1, '[': 1, '}': -1, ']': -1 });

function createByteTable(valuesByCharacter: Readonly<Record<string, number>>): Int8Array {
  return Int8Array.from({ length: 256 }, (_, byte) => valuesByCharacter[String.fromCharCode(byte)] ?? 0);
}

function createTooLargeRejection(reason: string): RejectedBody {
  return createRejection(413, 'RequestEntityTooLarge', `the review ${reason}`);
}

function createRejection(code: number, reason: string, message: string): RejectedBody {
  return { kind: 'rejected', code, reason, message };
}

const TOO_LARGE_REJECTION = createTooLargeRejection(`is larger than ${MAX_BODY_BYTES} bytes`);
const TOO_MANY_REVIEWS_REJECTION = createRejection(429, 'TooManyRequests', 'too many concurrent reviews: try again');
const INCOMPLETE_REVIEW_REJECTION = createRejection(400, 'BadRequest', 'the review is incomplete');

/** Rejects requests that do not come from the page, such as requests from other websites in the user's browser. */
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { HttpError } from './http-error.ts';

export const API_PREFIX = '/api/';

/** Throws an HttpError if the request is not allowed. */
export function checkRequest({ method = '', headers }: IncomingMessage, path: string, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // An attacker can make a DNS name resolve to 127.0.0.1 (DNS rebinding).
  if (!hosts.includes(headers.host ?? ''))
    throw new HttpError(421, 'The Host header is not the address of this server.');
  if (!ALLOWED_METHODS.includes(method)) throw new HttpError(405, `The method ${method} is not allowed.`);
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) throw createCrossOriginError();
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  // Other sites may link to the page, so only API requests and POST requests are rejected.
  if (!isOwnSite && (path.startsWith(API_PREFIX) || method === 'POST')) throw createCrossOriginError();
  const [contentType = ''] = (headers['content-type'] ?? '').split(';');
  // An HTML form of another site cannot send the type application/json.
  if (method === 'POST' && contentType.trim().toLowerCase() !== 'application/json') {
    throw new HttpError(415, 'A POST request needs the Content-Type application/json.');
  }
}

export const ALLOWED_METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

function createCrossOriginError(): HttpError {
  return new HttpError(403, 'Only the page of this server can send requests to it.');
}

const MAX_BODY_BYTES = 64 * 1024;

/** Reads the JSON object in the body of a request. Rejects with an HttpError for an invalid or too large body. */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The socket must stay open for the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new HttpError(413, `The request body can have at most ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(value)) throw new HttpError(400, 'The request body is not a JSON object.');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

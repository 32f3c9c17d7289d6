/** Refuses requests that our page does not send, mainly requests of other sites in the same browser. */
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { Refusal } from './fault-of.ts';

export const API_PREFIX = '/api/';

/** Throws a Refusal. @param path Path of the request. */
export function refuseForeign({ method = '', headers }: IncomingMessage, path: string, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // A DNS name of another owner that resolves to this machine.
  if (!hosts.includes(headers.host ?? '')) throw new Refusal(421, 'This server has another address.');
  if (!METHODS.includes(method)) throw new Refusal(405, `There is no method ${method} here.`);
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) throw foreign();
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  // A link in a chat opens the page from another site.
  if (!isOwn && (path.startsWith(API_PREFIX) || method === 'POST')) throw foreign();
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  // A form of another site cannot send this type.
  if (method === 'POST' && type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal(415, 'A POST has the Content-Type application/json.');
  }
}

export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

function foreign(): Refusal {
  return new Refusal(403, 'Only the page of this server may ask it.');
}

const MAX_BODY_BYTES = 64 * 1024;

/** The object in the body of a POST. Throws a Refusal for any other body. */
export async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Keeps the socket, because it carries the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Refusal(413, `A body may have ${MAX_BODY_BYTES} bytes at most.`);
    chunks.push(chunk);
  }
  const value = parsed(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(value)) throw new Refusal(400, 'The body is no JSON object.');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

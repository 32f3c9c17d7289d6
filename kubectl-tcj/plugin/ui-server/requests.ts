/** Refuses requests that our page does not send, mainly requests of other sites in the same browser. */
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { Refusal } from './refusal.ts';

export const API_PREFIX = '/api/';

/** Throws a Refusal. @param path Path of the request. */
export function checkRequest({ method = '', headers }: IncomingMessage, path: string, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // A DNS name of another owner that resolves to this machine.
  if (!hosts.includes(headers.host ?? '')) throw new Refusal(421, 'The Host header is not the address of this server.');
  if (!METHODS.includes(method)) throw new Refusal(405, `The method ${method} is not allowed.`);
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) throw createForeignRefusal();
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  // A link in a chat opens the page from another site.
  if (!isOwn && (path.startsWith(API_PREFIX) || method === 'POST')) throw createForeignRefusal();
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  // A form of another site cannot send this type.
  if (method === 'POST' && type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal(415, 'A POST request needs the Content-Type application/json.');
  }
}

export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

function createForeignRefusal(): Refusal {
  return new Refusal(403, 'Only the page of this server can send requests to it.');
}

const MAX_BODY_BYTES = 64 * 1024;

/** The object in the body of a POST. Throws a Refusal for any other body. */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Keeps the socket, because it carries the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Refusal(413, `The request body can have at most ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(value)) throw new Refusal(400, 'The request body is not a JSON object.');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

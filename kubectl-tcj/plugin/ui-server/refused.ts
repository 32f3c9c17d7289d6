/** Requests that no page of ours sends: those of other sites that are open in the same browser, first of all. */
import type { IncomingMessage } from 'node:http';
import { Refusal } from './fault-of.ts';

export const API_PREFIX = '/api/';

/** Throws a Refusal. @param path Of the request. */
export function refuseForeign({ method = '', headers }: IncomingMessage, path: string, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // A name that leads here in the DNS of somebody else.
  if (!hosts.includes(headers.host ?? '')) throw new Refusal(421, 'This server has another address.');
  if (!METHODS.includes(method)) throw new Refusal(405, `There is no method ${method} here.`);
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) throw foreign();
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  // A link in a chat leads to the page from another site.
  if (!isOwn && (path.startsWith(API_PREFIX) || method === 'POST')) throw foreign();
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  // A form of another site cannot send it.
  if (method === 'POST' && type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal(415, 'A POST has the Content-Type application/json.');
  }
}

export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

function foreign(): Refusal {
  return new Refusal(403, 'Only the page of this server may ask it.');
}

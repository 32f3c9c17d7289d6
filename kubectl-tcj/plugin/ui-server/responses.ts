/** Sends the responses of the server, with their common headers. */
import type { ServerResponse } from 'node:http';
import { Refusal } from './refusal.ts';
import { METHODS } from './requests.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export interface ResponseContent {
  readonly type: string;
  readonly body: string;
}

export function sendContent(response: ServerResponse, { type, body }: ResponseContent, status = 200): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  sendContent(response, { type: 'application/json', body: JSON.stringify(value) }, status);
}

/** Responds to a page with JSON, and to a user with a page. Only ends a response that has begun. */
export function sendRefusal(response: ServerResponse, { status, fault }: Refusal, isForBrowser: boolean): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (status === 405) response.setHeader('Allow', METHODS.join(', '));
  // The rest of the request body is not read.
  if (status === 413) response.setHeader('Connection', 'close');
  if (isForBrowser) sendContent(response, { type: HTML, body: renderErrorPage(fault.message, fault.change) }, status);
  else sendJson(response, fault, status);
}

const HTML = 'text/html; charset=utf-8';

function renderErrorPage(message: string, change = ''): string {
  const todo = change === '' ? '' : `<p>${escapeHtml(change)}</p>`;
  return `<!doctype html><html lang="en"><title>kubectl tcj ui</title><h1>${escapeHtml(message)}</h1>${todo}</html>\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** For a request without the link of this run of the command. */
export function createLinkRefusal(): Refusal {
  return new Refusal(
    403,
    'You need the link to open this page.',
    'Open the link that "kubectl tcj ui" printed in the terminal; then this address works too. Each start of the command prints a new link.',
  );
}

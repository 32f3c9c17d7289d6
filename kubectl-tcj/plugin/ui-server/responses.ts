/** Sends responses to the page. */
import type { ServerResponse } from 'node:http';
import { ALLOWED_METHODS } from './check-request.ts';
import { HttpError } from './http-error.ts';

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

export const COMMON_HEADERS: Readonly<Record<string, string>> = {
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

/**
 * Sends an error as JSON or as an HTML page. If the server has already begun to send a response, closes the connection
 * instead.
 */
export function sendHttpError(
  response: ServerResponse,
  { status, pageError: fault }: HttpError,
  needsHtml: boolean,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (status === 405) response.setHeader('Allow', ALLOWED_METHODS.join(', '));
  // The connection cannot be reused, because the server does not read the rest of the request body.
  if (status === 413) response.setHeader('Connection', 'close');
  if (needsHtml) sendContent(response, { type: HTML_TYPE, body: renderErrorPage(fault.message, fault.change) }, status);
  else sendJson(response, fault, status);
}

const HTML_TYPE = 'text/html; charset=utf-8';

function renderErrorPage(message: string, advice = ''): string {
  const adviceHtml = advice === '' ? '' : `<p>${escapeHtml(advice)}</p>`;
  return `<!doctype html><html lang="en"><title>kubectl tcj ui</title><h1>${escapeHtml(message)}</h1>${adviceHtml}</html>\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Returns the error for a request with neither a valid token nor a valid cookie. */
export function createMissingLinkError(): HttpError {
  return new HttpError(
    403,
    'Use the link in the terminal to open this page.',
    'Open the link that "kubectl tcj ui" printed in the terminal; then this address works too. Each start of the command prints a new link.',
  );
}

/** Reads request bodies and writes responses with node:http. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, sleep } from '../../clock/clock.ts';
import type { ResponseFault } from './faults.ts';
import { resetSocket } from './listener.ts';
import { StatusError } from './status-error.ts';

export async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function sendJson(
  response: ServerResponse,
  { code, value }: { code: number; value: unknown },
  isTruncated: boolean,
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': body.length });
  if (!isTruncated) response.end(body);
  else response.write(body.subarray(0, body.length / 2), () => resetSocket(response.socket));
}

/** Applies `fault` to a request. Returns whether the fault has completed the response. */
export async function applyFault(fault: ResponseFault, response: ServerResponse, clock: Clock): Promise<boolean> {
  switch (fault.kind) {
    case 'drop':
      resetSocket(response.socket);
      return true;
    case 'error':
      throw new StatusError(fault.code, fault.message ?? 'injected fault', fault);
    case 'text':
      response.writeHead(fault.code, { 'content-type': 'text/plain', ...fault.headers }).end(fault.text);
      return true;
    case 'hang':
      if (!response.destroyed) await once(response, 'close');
      return true;
    case 'delay':
      await sleep(clock, fault.delayMs, createCloseSignal(response));
      return response.destroyed;
    case 'hold':
      await fault.until;
      return response.destroyed;
    case 'cutAnswer':
      return false;
  }
}

function createCloseSignal(response: ServerResponse): AbortSignal {
  const end = new AbortController();
  response.once('close', () => end.abort());
  return end.signal;
}

export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const statusError = error instanceof StatusError ? error : new StatusError(500, String(error));
  const { retryAfterSeconds } = statusError;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  sendJson(response, { code: statusError.code, value: statusError.body }, false);
}

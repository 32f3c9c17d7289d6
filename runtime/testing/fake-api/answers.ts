/** Reads bodies and writes answers: JSON over node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resetSocket } from './listener.ts';
import { Refusal } from './refusal.ts';

export async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function answer(
  response: ServerResponse,
  { code, value }: { code: number; value: unknown },
  isCut: boolean,
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': body.length });
  if (!isCut) response.end(body);
  else response.write(body.subarray(0, body.length / 2), () => resetSocket(response.socket));
}

export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const refusal = error instanceof Refusal ? error : new Refusal(500, String(error));
  const { retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  answer(response, { code: refusal.code, value: refusal.body }, false);
}

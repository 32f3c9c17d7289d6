import type { IncomingMessage } from 'node:http';
import { JsonBounds, type JsonExcess } from './json-bounds.ts';

export type RequestBody =
  /** @prop parsedBytes Memory that it takes when it is parsed, at most. */
  | { readonly kind: 'ok'; readonly text: string; readonly parsedBytes: number }
  /** More bytes than it may have. */
  | { readonly kind: 'too-large' }
  | { readonly kind: JsonExcess }
  /** It was told to stop before it had everything. */
  | { readonly kind: 'stopped' }
  /** The client went away before it had sent everything. */
  | { readonly kind: 'cut-off' };

/**
 * Reads the whole body, a JSON text. Stops at the first byte too many, or when `signal` aborts; what it has read is then forgotten.
 * Never rejects. docs/adr/0021-webhook-limits.md.
 */
export function readBody(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<RequestBody> {
  const bounds = new JsonBounds();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const finish = (body: RequestBody) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).pause();
      signal.removeEventListener('abort', onStop);
      chunks.length = 0;
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return finish({ kind: 'too-large' });
      const excess = bounds.add(chunk);
      if (excess !== undefined) return finish({ kind: excess });
      chunks.push(chunk);
    };
    const onEnd = () => {
      const text = Buffer.concat(chunks).toString('utf8');
      finish({ kind: 'ok', text, parsedBytes: size + bounds.parsedBytes });
    };
    const onClose = () => finish({ kind: 'cut-off' });
    const onStop = () => finish({ kind: 'stopped' });
    if (signal.aborted) return resolve({ kind: 'stopped' });
    signal.addEventListener('abort', onStop);
    // A connection that breaks ends in `close` as well; without a listener its error would end the process.
    request
      .on('error', () => {})
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onClose);
  });
}

/** Bytes that a body will have; `undefined` when that is not said. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const { 'content-length': length } = headers;
  return length === undefined ? undefined : Number(length);
}

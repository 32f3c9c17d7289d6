import type { IncomingMessage } from 'node:http';

export type RequestBody =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** The client went away before it had sent everything. */
  | { readonly kind: 'cut-off' };

/** Reads the whole body, up to `maxBytes`. Never rejects. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { kind: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Left early, the loop would destroy the connection, and the answer with it.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) return { kind: 'too-large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'cut-off' };
  }
  return { kind: 'ok', text: Buffer.concat(chunks).toString('utf8') };
}

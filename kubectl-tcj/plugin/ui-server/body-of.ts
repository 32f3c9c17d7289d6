import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { Refusal } from './fault-of.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** The object of a POST. Throws a Refusal for anything else. */
export async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The socket stays: it carries the answer.
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

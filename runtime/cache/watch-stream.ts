/** Reads the answer of a watch: one JSON event per line. */
import { parseWithoutNulls } from '../client/absent-nulls.ts';
import { ApiError, type ApiStatus } from '../client/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Pick<T, 'metadata'> };

type RawEvent<T extends KubernetesObject> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: ApiStatus };

const NEWLINE = 10;
/** Events handled in one go before timers and other sockets get their turn. */
const EVENTS_PER_TURN = 200;

/**
 * The events of `chunks`, in which null is absent. Throws ApiError for an ERROR event and SyntaxError for a line that is not JSON. A last line
 * without its newline was cut off on the way and is dropped: the next watch gets that event again.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>> {
  let sinceLastTurn = 0;
  for await (const line of readLines(chunks)) {
    const event = parseWithoutNulls(line) as RawEvent<T>; // the watch protocol: /api/v1/watch of the Kubernetes API
    if (event.type === 'ERROR') throw new ApiError(event.object.code ?? 500, event.object);
    yield event;
    if (++sinceLastTurn % EVENTS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let partial: Buffer[] = [];
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      const line = partial.length === 0 ? rest : Buffer.concat([...partial, rest]);
      partial = [];
      start = end + 1;
      if (line.length > 0) yield line.toString('utf8');
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
  }
}

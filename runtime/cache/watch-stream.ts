/** Reads the answer of a watch: one JSON event per line. */
import { parseWithoutNulls } from '../client/absent-nulls.ts';
import { ApiError, type ApiStatus } from '../client/errors.ts';
import type { Clock } from '../clock/clock.ts';
import { MAX_TURN_MS, nextTurn } from '../clock/in-turns.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Pick<T, 'metadata'> };

type RawEvent<T extends KubernetesObject> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: ApiStatus };

const NEWLINE = 10;

/**
 * The events of `chunks`, in which null is absent. Throws ApiError for an ERROR event and SyntaxError for a line that is not JSON. A last line
 * without its newline was cut off on the way and is dropped: the next watch gets that event again.
 *
 * Gives way to timers and other sockets as it goes: an answer may be there as a whole, and take seconds to parse.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
): AsyncGenerator<WatchEvent<T>> {
  const lines = new Lines();
  let beganMs = clock.monotonicMs();
  for await (const chunk of chunks) {
    for (const line of lines.endedBy(chunk)) {
      const event = parseWithoutNulls(line) as RawEvent<T>; // the watch protocol: /api/v1/watch of the Kubernetes API
      if (event.type === 'ERROR') throw new ApiError(event.object.code ?? 500, event.object);
      yield event;
      if (clock.monotonicMs() - beganMs < MAX_TURN_MS) continue;
      await nextTurn();
      beganMs = clock.monotonicMs();
    }
  }
}

/** Cuts chunks of bytes into lines. */
class Lines {
  /** The beginning of the next line. */
  #partial: Buffer[] = [];

  /** The lines that end in `chunk`, without those that are empty. */
  *endedBy({ buffer, byteOffset, byteLength }: Uint8Array): Generator<string> {
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start < chunk.length) this.#partial.push(chunk.subarray(start));
  }

  #line(rest: Buffer): string {
    if (this.#partial.length === 0) return rest.toString('utf8');
    const line = Buffer.concat([...this.#partial, rest]);
    this.#partial = [];
    return line.toString('utf8');
  }
}

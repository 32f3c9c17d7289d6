/** Reads the answer to a watch: one JSON event per line. */

import { ApiError, type ApiStatus, InvalidResponseError } from '../client/errors.ts';
import { metadataFault, namedObjectFault } from '../client/metadata-fault.ts';
import { parseWithoutNulls } from '../client/strip-nulls.ts';
import type { Clock } from '../clock/clock.ts';
import { MAX_TURN_MS, nextTurn } from '../clock/in-turns.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Pick<T, 'metadata'> };

type RawEvent<T extends KubernetesObject> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: ApiStatus };

const NEWLINE = 10;

/** Returns the object that is already held in this version, in the form that is kept. */
export type KnownObject<T> = (resourceVersion: string) => T | undefined;

/**
 * The events of `chunks`, without nulls. Throws ApiError for an ERROR event and InvalidResponseError for a line that is not an
 * event. A last line without its newline is incomplete: the next watch gets that event again. Yields to timers and
 * other sockets meanwhile.
 * @param known Returns the object for a known version; the event is then not parsed. Default: no version is known.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  known: KnownObject<T> = () => undefined,
): AsyncGenerator<WatchEvent<T>> {
  const lines = new Lines();
  let beganMs = clock.monotonicMs();
  for await (const chunk of chunks) {
    for (const line of lines.endedBy(chunk)) {
      const event = knownEvent(line, known) ?? parsedEvent<T>(line);
      if (event.type === 'ERROR') throw new ApiError(event.object.code ?? 500, event.object);
      yield event;
      if (clock.monotonicMs() - beganMs < MAX_TURN_MS) continue;
      await nextTurn();
      beganMs = clock.monotonicMs();
    }
  }
}

function parsedEvent<T extends KubernetesObject>(line: Buffer): RawEvent<T> {
  let event: unknown;
  try {
    event = parseWithoutNulls(line.toString('utf8'));
  } catch (error) {
    throw new InvalidResponseError('the watch answered a line that is no JSON', { cause: error });
  }
  const fault = eventFault(event);
  if (fault !== undefined)
    throw new InvalidResponseError(`the watch answered JSON that is no event of Kubernetes: ${fault}`);
  return event as RawEvent<T>; // only the fields that are read here; the API server is responsible for the rest
}

function eventFault(event: unknown): string | undefined {
  const { type, object } = isRecord(event) ? event : {};
  if (!isRecord(object)) return 'object must be an object';
  if (type === 'ERROR') return undefined;
  if (!TYPES.has(type)) return 'type is unknown';
  const fault = type === 'BOOKMARK' ? metadataFault(object) : namedObjectFault(object);
  return fault && `object.${fault}`;
}

const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

const MODIFIED = '{"type":"MODIFIED",';
const ADDED = '{"type":"ADDED",';
const VERSION = '"resourceVersion":"';
const QUOTE = 34;

/** Reads only as many bytes as needed: parsing is most of the cost of an event. */
function knownEvent<T extends KubernetesObject>(line: Buffer, known: KnownObject<T>): WatchEvent<T> | undefined {
  const type = startsWith(line, MODIFIED) ? 'MODIFIED' : startsWith(line, ADDED) ? 'ADDED' : undefined;
  if (type === undefined) return undefined;
  const start = line.indexOf(VERSION) + VERSION.length;
  // If the text occurs twice, for example as a label of that name, it is unclear which one is the object's version.
  if (start < VERSION.length || line.includes(VERSION, start)) return undefined;
  const object = known(line.toString('latin1', start, line.indexOf(QUOTE, start)));
  return object && line.includes(`"uid":"${object.metadata.uid}"`) ? { type, object } : undefined;
}

function startsWith(line: Buffer, text: string): boolean {
  return line.toString('latin1', 0, text.length) === text;
}

/** Cuts chunks of bytes into lines. */
class Lines {
  /** The beginning of the next line. */
  #partial: Buffer[] = [];

  /** The non-empty lines that end in `chunk`. */
  *endedBy({ buffer, byteOffset, byteLength }: Uint8Array): Generator<Buffer> {
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.#partial.push(chunk.subarray(start));
  }

  #line(rest: Buffer): Buffer {
    if (this.#partial.length === 0) return rest;
    const line = Buffer.concat([...this.#partial, rest]);
    this.#partial = [];
    return line;
  }
}

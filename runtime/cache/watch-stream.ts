/** Reads the answer to a watch: one JSON event per line. */

import { ApiError, type ApiStatus, InvalidResponseError } from '../client/errors.ts';
import { parseWithoutNulls } from '../client/strip-nulls.ts';
import { validateMetadata, validateNamedObject } from '../client/validate-metadata.ts';
import type { Clock } from '../clock/clock.ts';
import { MAX_TURN_MS, yieldToEventLoop } from '../clock/yielding-loop.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Pick<T, 'metadata'> };

type RawEvent<T extends KubernetesObject> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: ApiStatus };

const NEWLINE = 10;

/** Returns the object that is already held in this version, in the form that is kept. */
export type FindByVersion<T> = (resourceVersion: string) => T | undefined;

/**
 * Yields the events of `chunks`, without nulls. Throws ApiError for an ERROR event and InvalidResponseError for a line
 * that is not an event. A last line without its newline is incomplete: the next watch gets that event again. Lets timers
 * and other sockets run meanwhile.
 * @param findByVersion Returns the object for a known version; the event is then not parsed. Default: no version is
 * known.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  findByVersion: FindByVersion<T> = () => undefined,
): AsyncGenerator<WatchEvent<T>> {
  const lines = new WatchLineSplitter();
  let turnStartMs = clock.monotonicMs();
  for await (const chunk of chunks) {
    for (const line of lines.split(chunk)) {
      const event = readKnownEvent(line, findByVersion) ?? parseEvent<T>(line);
      if (event.type === 'ERROR') throw new ApiError(event.object.code ?? 500, event.object);
      yield event;
      if (clock.monotonicMs() - turnStartMs < MAX_TURN_MS) continue;
      await yieldToEventLoop();
      turnStartMs = clock.monotonicMs();
    }
  }
}

function parseEvent<T extends KubernetesObject>(line: Buffer): RawEvent<T> {
  let event: unknown;
  try {
    event = parseWithoutNulls(line.toString('utf8'));
  } catch (error) {
    throw new InvalidResponseError('the watch returned a line that is not JSON', { cause: error });
  }
  const fault = findEventFault(event);
  if (fault !== undefined)
    throw new InvalidResponseError(`the watch sent JSON that is not a valid watch event: ${fault}`);
  return event as RawEvent<T>; // only the fields that are read here; the API server is responsible for the rest
}

function findEventFault(event: unknown): string | undefined {
  const { type, object } = isRecord(event) ? event : {};
  if (!isRecord(object)) return 'object must be an object';
  if (type === 'ERROR') return undefined;
  if (!EVENT_TYPES.has(type)) return 'type is unknown';
  const fault = type === 'BOOKMARK' ? validateMetadata(object) : validateNamedObject(object);
  return fault && `object.${fault}`;
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

const MODIFIED = '{"type":"MODIFIED",';
const ADDED = '{"type":"ADDED",';
const VERSION = '"resourceVersion":"';
const QUOTE = 34;

/** Reads only as many bytes as needed: parsing is most of the cost of an event. */
function readKnownEvent<T extends KubernetesObject>(
  line: Buffer,
  findByVersion: FindByVersion<T>,
): WatchEvent<T> | undefined {
  const type = startsWith(line, MODIFIED) ? 'MODIFIED' : startsWith(line, ADDED) ? 'ADDED' : undefined;
  if (type === undefined) return undefined;
  const start = line.indexOf(VERSION) + VERSION.length;
  // If the text occurs twice, for example as a label of that name, it is unclear which one is the object's version.
  if (start < VERSION.length || line.includes(VERSION, start)) return undefined;
  const object = findByVersion(line.toString('latin1', start, line.indexOf(QUOTE, start)));
  return object && line.includes(`"uid":"${object.metadata.uid}"`) ? { type, object } : undefined;
}

function startsWith(line: Buffer, text: string): boolean {
  return line.toString('latin1', 0, text.length) === text;
}

/** Cuts chunks of bytes into lines. */
class WatchLineSplitter {
  /** The beginning of the next line. */
  #partial: Buffer[] = [];

  /** The non-empty lines that end in `chunk`. */
  *split({ buffer, byteOffset, byteLength }: Uint8Array): Generator<Buffer> {
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#completeLine(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.#partial.push(chunk.subarray(start));
  }

  #completeLine(rest: Buffer): Buffer {
    if (this.#partial.length === 0) return rest;
    const line = Buffer.concat([...this.#partial, rest]);
    this.#partial = [];
    return line;
  }
}

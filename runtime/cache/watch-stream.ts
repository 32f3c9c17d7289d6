/** Reads the response to a watch request, which has one JSON event per line. */

import { ApiError, InvalidResponseError } from '../client/errors.ts';
import { pickStatusFields } from '../client/parse-response.ts';
import { parseWithoutNulls } from '../client/strip-nulls.ts';
import { validateMetadata, validateNamedObject } from '../client/validate-metadata.ts';
import type { Clock } from '../clock/clock.ts';
import { MAX_BLOCKING_MS, yieldToEventLoop } from '../clock/yielding-loop.ts';
import { isRecord } from '../kubernetes/is-record.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Pick<T, 'metadata'> };

type WatchEventOrError<T extends KubernetesObject> =
  | WatchEvent<T>
  | { readonly type: 'ERROR'; readonly object: Readonly<Record<string, unknown>> };

const NEWLINE_BYTE = 10;

/** Returns the stored and already transformed object with the given resource version. */
export type FindByVersion<T> = (resourceVersion: string) => T | undefined;

/**
 * Yields the events of `chunks`, without null values. Yields to the event loop between events. An incomplete last line
 * is ignored, because the next watch receives that event again.
 * @param findByVersion Returns the stored object with a resource version. The event of a stored object is not parsed.
 * Default: returns `undefined`.
 * @throws {ApiError} for an event of type ERROR.
 * @throws {InvalidResponseError} for a line that is not an event.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  findByVersion: FindByVersion<T> = () => undefined,
): AsyncGenerator<WatchEvent<T>> {
  const lineSplitter = new WatchLineSplitter();
  let lastYieldMs = clock.monotonicMs();
  for await (const chunk of chunks) {
    for (const line of lineSplitter.split(chunk)) {
      const event = readEventOfStoredObject(line, findByVersion) ?? parseWatchEvent<T>(line);
      if (event.type === 'ERROR') throw toApiError(event.object);
      yield event;
      if (clock.monotonicMs() - lastYieldMs < MAX_BLOCKING_MS) continue;
      await yieldToEventLoop();
      lastYieldMs = clock.monotonicMs();
    }
  }
}

function toApiError(object: Readonly<Record<string, unknown>>): ApiError {
  const status = pickStatusFields(object);
  return new ApiError(status.code ?? 500, status);
}

function parseWatchEvent<T extends KubernetesObject>(line: Buffer): WatchEventOrError<T> {
  let event: unknown;
  try {
    event = parseWithoutNulls(line.toString('utf8'));
  } catch (error) {
    throw new InvalidResponseError('the watch returned a line that is not JSON', { cause: error });
  }
  const problem = validateWatchEvent(event);
  if (problem !== undefined)
    throw new InvalidResponseError(`the watch sent JSON that is not a valid watch event: ${problem}`);
  return event as WatchEventOrError<T>; // this check includes only the fields that this module reads; the API server checks the other fields
}

function validateWatchEvent(event: unknown): string | undefined {
  const { type, object } = isRecord(event) ? event : {};
  if (!isRecord(object)) return 'object must be an object';
  if (type === 'ERROR') return undefined;
  if (!WATCH_EVENT_TYPES.has(type)) return 'type is unknown';
  const problem = type === 'BOOKMARK' ? validateMetadata(object) : validateNamedObject(object);
  return problem && `object.${problem}`;
}

const WATCH_EVENT_TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

const MODIFIED_PREFIX = '{"type":"MODIFIED",';
const ADDED_PREFIX = '{"type":"ADDED",';
const RESOURCE_VERSION_PREFIX = '"resourceVersion":"';
const QUOTE_BYTE = 34;

/** Returns the event of a stored object without parsing the line, because parsing is expensive. */
function readEventOfStoredObject<T extends KubernetesObject>(
  line: Buffer,
  findByVersion: FindByVersion<T>,
): WatchEvent<T> | undefined {
  const type = startsWith(line, MODIFIED_PREFIX) ? 'MODIFIED' : startsWith(line, ADDED_PREFIX) ? 'ADDED' : undefined;
  if (type === undefined) return undefined;
  const versionStart = line.indexOf(RESOURCE_VERSION_PREFIX) + RESOURCE_VERSION_PREFIX.length;
  // If the text occurs twice, for example in a label, the resource version of the object is unknown.
  if (versionStart < RESOURCE_VERSION_PREFIX.length || line.includes(RESOURCE_VERSION_PREFIX, versionStart))
    return undefined;
  const object = findByVersion(line.toString('latin1', versionStart, line.indexOf(QUOTE_BYTE, versionStart)));
  return object && line.includes(`"uid":"${object.metadata.uid}"`) ? { type, object } : undefined;
}

function startsWith(line: Buffer, prefix: string): boolean {
  return line.toString('latin1', 0, prefix.length) === prefix;
}

/** Splits chunks of bytes into lines. */
class WatchLineSplitter {
  /** The bytes after the last newline. */
  #incompleteLine: Buffer[] = [];

  /** Yields the non-empty lines that end in `chunk`. */
  *split({ buffer, byteOffset, byteLength }: Uint8Array): Generator<Buffer> {
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    let lineStart = 0;
    for (let lineEnd = chunk.indexOf(NEWLINE_BYTE); lineEnd >= 0; lineEnd = chunk.indexOf(NEWLINE_BYTE, lineStart)) {
      const line = this.#completeLine(chunk.subarray(lineStart, lineEnd));
      lineStart = lineEnd + 1;
      if (line.length > 0) yield line;
    }
    if (lineStart < chunk.length) this.#incompleteLine.push(chunk.subarray(lineStart));
  }

  #completeLine(lastPart: Buffer): Buffer {
    if (this.#incompleteLine.length === 0) return lastPart;
    const line = Buffer.concat([...this.#incompleteLine, lastPart]);
    this.#incompleteLine = [];
    return line;
  }
}

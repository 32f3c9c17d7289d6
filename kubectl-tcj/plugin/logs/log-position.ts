/** Tracks the read position in a log, so that a new stream can continue where a broken stream ended. */

/** Bytes of one line without the line break. */
export interface LineFragment {
  readonly bytes: Uint8Array;
  readonly isLineEnd: boolean;
}

const LINE_END: LineFragment = { bytes: new Uint8Array(), isLineEnd: true };
const NEWLINE = 10;
const SPACE = 32;
/** The length of `2026-01-01T00:00:00.000000000+00:00` and a space. */
const MAX_TIMESTAMP_LENGTH = 36;
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

interface StreamPosition {
  /** The timestamp of the newest line, or an empty string for a log without timestamps. */
  readonly timestamp: string;
  /** The number of complete lines with the timestamp of the newest line. */
  readonly lineCount: number;
  /** The number of bytes of the incomplete last line. */
  readonly byteCount: number;
}

/**
 * Splits a log into line fragments without buffering them, and skips the lines that an earlier stream has returned. With
 * `hasTimestamps`, each line begins with a timestamp, which is removed.
 */
export class LogPosition {
  readonly #hasTimestamps: boolean;
  #position: StreamPosition = { timestamp: '', lineCount: 0, byteCount: 0 };
  /** The position of the previous stream, or `undefined` after the current stream has passed that position. */
  #resumePosition: StreamPosition | undefined;
  /** The number of lines in the current stream with the timestamp of {@link LogPosition.#resumePosition}. */
  #matchedLines = 0;
  #isInLine = false;
  #bytesToSkip = 0;
  /** The bytes of a line whose timestamp is incomplete. */
  #incompleteStart: Uint8Array = new Uint8Array();

  constructor(hasTimestamps: boolean) {
    this.#hasTimestamps = hasTimestamps;
  }

  /** The start time of the next stream, or `undefined` to read the whole log. */
  get sinceTime(): string | undefined {
    const ms = Date.parse(this.#position.timestamp);
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  beginStream(): void {
    this.#resumePosition = this.#position;
    this.#matchedLines = 0;
    this.#isInLine = false;
    this.#incompleteStart = new Uint8Array();
  }

  /** Returns the new fragments in the next bytes of the stream. */
  readFragments(bytes: Uint8Array): readonly LineFragment[] {
    const chunk = this.#incompleteStart.length === 0 ? bytes : Buffer.concat([this.#incompleteStart, bytes]);
    this.#incompleteStart = chunk.subarray(chunk.length);
    const fragments: LineFragment[] = [];
    for (let start = 0; start < chunk.length; ) {
      const timestampLength = this.#measureTimestampAt(chunk, start);
      if (timestampLength === undefined) {
        this.#incompleteStart = chunk.subarray(start);
        break;
      }
      if (!this.#isInLine) fragments.push(...this.#beginLine(decodeText(chunk, start, timestampLength - 1)));
      const newlineIndex = chunk.indexOf(NEWLINE, start);
      const end = newlineIndex < 0 ? chunk.length : newlineIndex;
      fragments.push(...this.#createFragments(chunk.subarray(start + timestampLength, end), newlineIndex >= 0));
      start = end + 1;
    }
    return fragments;
  }

  /** Returns `undefined` if the timestamp may be incomplete. */
  #measureTimestampAt(chunk: Uint8Array, start: number): number | undefined {
    return this.#hasTimestamps && !this.#isInLine ? measureTimestamp(chunk, start) : 0;
  }

  /** Returns the remaining fragments at the end of a stream. */
  flush(): readonly LineFragment[] {
    const incompleteStart = this.#incompleteStart;
    this.#incompleteStart = new Uint8Array();
    return incompleteStart.length === 0
      ? []
      : [...this.#beginLine(''), ...this.#createFragments(incompleteStart, false)];
  }

  #beginLine(timestamp: string): readonly LineFragment[] {
    this.#isInLine = true;
    this.#bytesToSkip = 0;
    const resumePosition = this.#resumePosition;
    const comparison = resumePosition === undefined ? 1 : compareTimestamps(timestamp, resumePosition.timestamp);
    if (resumePosition !== undefined && comparison <= 0) {
      const wasRead = comparison < 0 || this.#matchedLines++ < resumePosition.lineCount;
      this.#bytesToSkip = wasRead ? Number.POSITIVE_INFINITY : resumePosition.byteCount;
      if (!wasRead) this.#resumePosition = undefined;
      return [];
    }
    const { timestamp: previousTimestamp, lineCount, byteCount } = this.#position;
    this.#resumePosition = undefined;
    this.#position = { timestamp, lineCount: timestamp === previousTimestamp ? lineCount : 0, byteCount: 0 };
    // The new stream lacks the end of the previous line, so a line break ends that line.
    return byteCount > 0 ? [LINE_END] : [];
  }

  #createFragments(bytes: Uint8Array, isLineEnd: boolean): readonly LineFragment[] {
    const wasRead = this.#bytesToSkip === Number.POSITIVE_INFINITY;
    const newBytes = bytes.subarray(Math.min(this.#bytesToSkip, bytes.length));
    this.#bytesToSkip -= wasRead ? 0 : bytes.length - newBytes.length;
    this.#isInLine = !isLineEnd;
    if (wasRead) return [];
    const { timestamp, lineCount, byteCount } = this.#position;
    this.#position = {
      timestamp,
      lineCount: lineCount + (isLineEnd ? 1 : 0),
      byteCount: isLineEnd ? 0 : byteCount + newBytes.length,
    };
    return newBytes.length > 0 || isLineEnd ? [{ bytes: newBytes, isLineEnd }] : [];
  }
}

/**
 * Returns the length of a timestamp and the space after it. Returns 0 without a timestamp, and `undefined` if the timestamp may be
 * incomplete.
 */
function measureTimestamp(chunk: Uint8Array, start: number): number | undefined {
  const lineStart = chunk.subarray(start, start + MAX_TIMESTAMP_LENGTH);
  const spaceIndex = lineStart.indexOf(SPACE);
  if (spaceIndex >= 0) return TIMESTAMP.test(decodeText(lineStart, 0, spaceIndex)) ? spaceIndex + 1 : 0;
  return lineStart.length < MAX_TIMESTAMP_LENGTH && !lineStart.includes(NEWLINE) ? undefined : 0;
}

function decodeText(chunk: Uint8Array, start: number, length: number): string {
  return length <= 0 ? '' : String.fromCharCode(...chunk.subarray(start, start + length));
}

/** Returns a negative number if `left` is earlier. */
function compareTimestamps(left: string, right: string): number {
  const [lefts, rights] = [left, right].map(toSortableTime);
  return lefts === rights ? 0 : (lefts ?? '') < (rights ?? '') ? -1 : 1;
}

/** Returns a UTC time with nanoseconds, which sorts correctly as text. */
function toSortableTime(timestamp: string): string {
  const [, time, fraction = '', offset] = TIMESTAMP.exec(timestamp) ?? [];
  const seconds = Date.parse(`${time}${offset}`);
  if (time === undefined || Number.isNaN(seconds)) return '';
  return `${new Date(seconds).toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}`;
}

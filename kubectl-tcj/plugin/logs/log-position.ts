/** Records how far a log has been read: after a broken stream, the next stream continues with the same byte. */

/** Bytes of one line, without its line break. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly endsLine: boolean;
}

const LINE_END: Piece = { bytes: new Uint8Array(), endsLine: true };
const NEWLINE = 10;
const SPACE = 32;
/** `2026-01-01T00:00:00.000000000+00:00` and a space. */
const MAX_STAMP_BYTES = 36;
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

interface StreamPosition {
  /** Time at which the newest line was printed. Empty before that line, and for lines without times. */
  readonly stamp: string;
  /** Number of complete lines with that time. */
  readonly lines: number;
  /** Number of bytes of the line after these. */
  readonly bytes: number;
}

/**
 * Cuts a log into pieces of lines as it arrives, without keeping any piece. With `hasStamps`, each line begins with the time at
 * which it was printed, which is removed; lines that an earlier stream of the same log had are skipped.
 */
export class LogPosition {
  readonly #hasStamps: boolean;
  #position: StreamPosition = { stamp: '', lines: 0, bytes: 0 };
  /** Position of the previous stream, until this stream has passed it. */
  #resumePosition: StreamPosition | undefined;
  /** Number of lines in this stream with the time of {@link LogPosition.#resumePosition}. */
  #matchedLines = 0;
  #isInLine = false;
  /** Number of bytes to skip in the line. */
  #skip = 0;
  /** The beginning of a line whose time is incomplete. */
  #head: Uint8Array = new Uint8Array();

  constructor(hasStamps: boolean) {
    this.#hasStamps = hasStamps;
  }

  /** Start time of the next stream; `undefined` for the whole log. */
  get sinceTime(): string | undefined {
    const ms = Date.parse(this.#position.stamp);
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  /** Begins a stream. */
  begin(): void {
    this.#resumePosition = this.#position;
    this.#matchedLines = 0;
    this.#isInLine = false;
    this.#head = new Uint8Array();
  }

  /** The new pieces in the next bytes of the stream. */
  readPieces(bytes: Uint8Array): readonly Piece[] {
    const chunk = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    this.#head = chunk.subarray(chunk.length);
    const pieces: Piece[] = [];
    for (let start = 0; start < chunk.length; ) {
      const stampBytes = this.#stampLengthAt(chunk, start);
      if (stampBytes === undefined) {
        this.#head = chunk.subarray(start);
        break;
      }
      if (!this.#isInLine) pieces.push(...this.#beginLine(decodeText(chunk, start, stampBytes - 1)));
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline;
      pieces.push(...this.#emit(chunk.subarray(start + stampBytes, end), newline >= 0));
      start = end + 1;
    }
    return pieces;
  }

  /** `undefined` when the stamp may be incomplete. */
  #stampLengthAt(chunk: Uint8Array, start: number): number | undefined {
    return this.#hasStamps && !this.#isInLine ? stampLength(chunk, start) : 0;
  }

  /** The remaining pieces after a stream has ended. */
  rest(): readonly Piece[] {
    const head = this.#head;
    this.#head = new Uint8Array();
    return head.length === 0 ? [] : [...this.#beginLine(''), ...this.#emit(head, false)];
  }

  #beginLine(stamp: string): readonly Piece[] {
    this.#isInLine = true;
    this.#skip = 0;
    const resume = this.#resumePosition;
    const order = resume === undefined ? 1 : compareStamps(stamp, resume.stamp);
    if (resume !== undefined && order <= 0) {
      const isOld = order < 0 || this.#matchedLines++ < resume.lines;
      this.#skip = isOld ? Number.POSITIVE_INFINITY : resume.bytes;
      if (!isOld) this.#resumePosition = undefined;
      return [];
    }
    const { stamp: last, lines, bytes } = this.#position;
    this.#resumePosition = undefined;
    this.#position = { stamp, lines: stamp === last ? lines : 0, bytes: 0 };
    // The rest of the previous line is lost.
    return bytes > 0 ? [LINE_END] : [];
  }

  #emit(bytes: Uint8Array, endsLine: boolean): readonly Piece[] {
    const isOld = this.#skip === Number.POSITIVE_INFINITY;
    const left = bytes.subarray(Math.min(this.#skip, bytes.length));
    this.#skip -= isOld ? 0 : bytes.length - left.length;
    this.#isInLine = !endsLine;
    if (isOld) return [];
    const { stamp, lines, bytes: passed } = this.#position;
    this.#position = { stamp, lines: lines + (endsLine ? 1 : 0), bytes: endsLine ? 0 : passed + left.length };
    return left.length > 0 || endsLine ? [{ bytes: left, endsLine }] : [];
  }
}

/** Length of the stamp with the space after it; 0 without a stamp, `undefined` when it may be incomplete. */
function stampLength(chunk: Uint8Array, start: number): number | undefined {
  const head = chunk.subarray(start, start + MAX_STAMP_BYTES);
  const space = head.indexOf(SPACE);
  if (space >= 0) return STAMP.test(decodeText(head, 0, space)) ? space + 1 : 0;
  return head.length < MAX_STAMP_BYTES && !head.includes(NEWLINE) ? undefined : 0;
}

function decodeText(chunk: Uint8Array, start: number, length: number): string {
  return length <= 0 ? '' : String.fromCharCode(...chunk.subarray(start, start + length));
}

/** Negative when `left` is earlier. */
function compareStamps(left: string, right: string): number {
  const [lefts, rights] = [left, right].map(toSortable);
  return lefts === rights ? 0 : (lefts ?? '') < (rights ?? '') ? -1 : 1;
}

/** The time in UTC, to the nanosecond. */
function toSortable(stamp: string): string {
  const [, time, fraction = '', offset] = STAMP.exec(stamp) ?? [];
  const seconds = Date.parse(`${time}${offset}`);
  if (time === undefined || Number.isNaN(seconds)) return '';
  return `${new Date(seconds).toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}`;
}

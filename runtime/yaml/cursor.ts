/** A position in a YAML text, and the character classes of YAML as sticky regular expressions. */
import { YamlError } from './yaml-error.ts';

const BYTE_ORDER_MARK = '\ufeff';

export const SPACES_PATTERN = / */y;
export const BLANKS_PATTERN = /[ \t]*/y;
export const LINE_BREAK_PATTERN = /\r\n|[\n\r\x85\u2028\u2029]/y;
export const LINE_BREAK_OR_END_PATTERN = /[\n\r\x85\u2028\u2029]|$/y;
export const WHITE_SPACE_PATTERN = /[ \t\n\r\x85\u2028\u2029]/y;
export const WHITE_SPACE_OR_END_PATTERN = /[ \t\n\r\x85\u2028\u2029]|$/y;
export const REST_OF_LINE_PATTERN = /[^\n\r\x85\u2028\u2029]*/y;

const COMMENT_PATTERN = /#[^\n\r\x85\u2028\u2029]*/y;
const DOCUMENT_MARKER_PATTERN = /(?:---|\.\.\.)(?=[ \t\n\r\x85\u2028\u2029]|$)/y;

export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Reads a range of a text. Skips a byte order mark at the start of the range. Offsets are relative to the whole text.
 */
export class Cursor {
  readonly text: string;
  offset: number;
  lineStart: number;

  constructor(text: string, { start, end }: TextRange) {
    this.text = text.slice(0, end);
    this.offset = start + (this.text.startsWith(BYTE_ORDER_MARK, start) ? 1 : 0);
    this.lineStart = this.offset;
  }

  get column(): number {
    return this.offset - this.lineStart;
  }

  get isAtEnd(): boolean {
    return this.offset >= this.text.length;
  }

  /** The document marker `---` or `...` at the cursor. A marker is valid only at the start of a line. */
  get marker(): string | undefined {
    return this.column === 0 && this.matches(DOCUMENT_MARKER_PATTERN)
      ? this.text.slice(this.offset, this.offset + 3)
      : undefined;
  }

  /** Returns the character at an offset from the cursor, or an empty string after the end of the range. */
  peek(distance = 0): string {
    return this.text.charAt(this.offset + distance);
  }

  matches(pattern: RegExp, distance = 0): boolean {
    pattern.lastIndex = this.offset + distance;
    return pattern.test(this.text);
  }

  /**
   * Skips a match of the pattern in the current line. Returns the capture groups, or an empty list if the pattern does
   * not match.
   */
  match(pattern: RegExp): readonly (string | undefined)[] {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text) ?? [];
    this.offset += match[0]?.length ?? 0;
    return match;
  }

  /** Skips a match of the pattern in the current line. Returns the skipped text. */
  take(pattern: RegExp): string {
    const { offset } = this;
    if (!this.matches(pattern)) return '';
    this.offset = pattern.lastIndex;
    return this.text.slice(offset, this.offset);
  }

  /** Skips a line break. Returns a Unicode separator unchanged, and `\n` for any other line break. */
  takeBreak(): string {
    const lineBreak = this.take(LINE_BREAK_PATTERN);
    if (lineBreak === '') return '';
    this.lineStart = this.offset;
    return lineBreak === '\u2028' || lineBreak === '\u2029' ? lineBreak : '\n';
  }

  skipComment(): void {
    this.take(COMMENT_PATTERN);
  }

  fail(message: string, offset = this.offset): never {
    throw new YamlError(message, offset);
  }
}

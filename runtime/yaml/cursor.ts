/** A moving position in a text, and the character classes of YAML. All patterns are sticky. */
import { YamlError } from './yaml-error.ts';

const BYTE_ORDER_MARK = '\ufeff';

export const SPACES = / */y;
export const BLANKS = /[ \t]*/y;
export const BREAK = /\r\n|[\n\r\x85\u2028\u2029]/y;
export const BREAK_OR_END = /[\n\r\x85\u2028\u2029]|$/y;
export const BLANK_OR_BREAK = /[ \t\n\r\x85\u2028\u2029]/y;
export const BLANK_OR_END = /[ \t\n\r\x85\u2028\u2029]|$/y;
/** The rest of the line. */
export const LINE = /[^\n\r\x85\u2028\u2029]*/y;

const COMMENT = /#[^\n\r\x85\u2028\u2029]*/y;
const MARK = /(?:---|\.\.\.)(?=[ \t\n\r\x85\u2028\u2029]|$)/y;

export interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Reads a part of a text, which may begin with a byte order mark. Offsets are relative to the whole text. */
export class Cursor {
  /** The text up to the end of the part. */
  readonly text: string;
  offset: number;
  /** Offset of the line's first character. */
  lineStart: number;

  constructor(text: string, { start, end }: Range) {
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

  /** `---` or `...` if it is here, alone at the beginning of a line. */
  get mark(): string | undefined {
    return this.column === 0 && this.isAt(MARK) ? this.text.slice(this.offset, this.offset + 3) : undefined;
  }

  /** The character at this distance; empty after the last one. */
  at(ahead = 0): string {
    return this.text.charAt(this.offset + ahead);
  }

  isAt(pattern: RegExp, ahead = 0): boolean {
    pattern.lastIndex = this.offset + ahead;
    return pattern.test(this.text);
  }

  /** Skips a match of a pattern within one line. Returns its groups, or an empty list without a match. */
  match(pattern: RegExp): readonly (string | undefined)[] {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text) ?? [];
    this.offset += match[0]?.length ?? 0;
    return match;
  }

  /** Like {@link match}, for patterns without groups. Returns the skipped text. */
  take(pattern: RegExp): string {
    const { offset } = this;
    if (!this.isAt(pattern)) return '';
    this.offset = pattern.lastIndex;
    return this.text.slice(offset, this.offset);
  }

  /** Skips the line break here. Returns its value in YAML: `\n`, unless it is a Unicode separator. */
  takeBreak(): string {
    const taken = this.take(BREAK);
    if (taken === '') return '';
    this.lineStart = this.offset;
    return taken === '\u2028' || taken === '\u2029' ? taken : '\n';
  }

  /** Skips a comment, up to the end of its line. */
  skipComment(): void {
    this.take(COMMENT);
  }

  fail(message: string, offset = this.offset): never {
    throw new YamlError(message, offset);
  }
}

/** A place in a text that moves on, and the kinds of characters that YAML tells apart. All patterns are sticky. */
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

/** Reads a part of a text, which may begin with a byte order mark. Offsets are those of the whole text. */
export class Cursor {
  /** Up to the end of the part. */
  readonly text: string;
  offset: number;
  /** Where the line begins. */
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

  /** `---` or `...` when it is here, alone at the beginning of a line. */
  get mark(): string | undefined {
    return this.column === 0 && this.isAt(MARK) ? this.text.slice(this.offset, this.offset + 3) : undefined;
  }

  /** The character so far ahead; empty behind the last one. */
  at(ahead = 0): string {
    return this.text.charAt(this.offset + ahead);
  }

  isAt(pattern: RegExp, ahead = 0): boolean {
    pattern.lastIndex = this.offset + ahead;
    return pattern.test(this.text);
  }

  /** Goes over what is here of a pattern within one line. Returns its parts, none when it is not here. */
  match(pattern: RegExp): readonly (string | undefined)[] {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text) ?? [];
    this.offset += match[0]?.length ?? 0;
    return match;
  }

  /** As {@link match}, for patterns without parts. Returns what it went over. */
  take(pattern: RegExp): string {
    const { offset } = this;
    if (!this.isAt(pattern)) return '';
    this.offset = pattern.lastIndex;
    return this.text.slice(offset, this.offset);
  }

  /** Goes behind the line break where it stands. Returns the break as YAML has it in a value: `\n`, unless it is a separator of Unicode. */
  takeBreak(): string {
    const taken = this.take(BREAK);
    if (taken === '') return '';
    this.lineStart = this.offset;
    return taken === '\u2028' || taken === '\u2029' ? taken : '\n';
  }

  /** Goes over a comment, up to the end of its line. */
  skipComment(): void {
    this.take(COMMENT);
  }

  fail(message: string, offset = this.offset): never {
    throw new YamlError(message, offset);
  }
}

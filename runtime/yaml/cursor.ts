/** A place in a text that moves on, and the kinds of characters that YAML tells apart. */
import { YamlError } from './yaml-error.ts';

/** Stands for the character behind the last one. */
export const END = -1;

const BYTE_ORDER_MARK = 0xfeff;

export interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Reads a part of a text, which may begin with a byte order mark. Offsets are those of the whole text. */
export class Cursor {
  readonly text: string;
  /** Of the part. */
  readonly end: number;
  offset: number;
  /** Where the line begins. */
  lineStart: number;

  constructor(text: string, { start, end }: Range) {
    this.text = text;
    this.end = end;
    this.offset = start + (text.charCodeAt(start) === BYTE_ORDER_MARK ? 1 : 0);
    this.lineStart = this.offset;
  }

  get column(): number {
    return this.offset - this.lineStart;
  }

  /** The character so far ahead, or {@link END}. */
  at(ahead = 0): number {
    const index = this.offset + ahead;
    return index < this.end ? this.text.charCodeAt(index) : END;
  }

  /** Goes on while a condition holds. Returns what it went over. */
  takeWhile(isWanted: (code: number) => boolean): string {
    const { offset } = this;
    while (isWanted(this.at())) this.offset++;
    return this.text.slice(offset, this.offset);
  }

  /** Goes behind the line break where it stands. Returns the break as YAML has it in a value: `\n`, unless it is a separator of Unicode. */
  takeBreak(): string {
    const code = this.at();
    if (!isBreak(code)) return '';
    this.offset += code === CR && this.at(1) === LF ? 2 : 1;
    this.lineStart = this.offset;
    return code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR ? String.fromCharCode(code) : '\n';
  }

  /** Goes over a comment, up to the end of its line. */
  skipComment(): void {
    if (this.at() === codeOf('#')) while (!isBreakOrEnd(this.at())) this.offset++;
  }

  /** A mark of three signs, `---` or `...`, alone at the beginning of a line. */
  isAtMark(sign: string): boolean {
    return (
      this.offset === this.lineStart && this.text.startsWith(sign.repeat(3), this.offset) && isBlankOrEnd(this.at(3))
    );
  }

  fail(message: string, offset = this.offset): never {
    throw new YamlError(message, offset);
  }
}

export function codeOf(sign: string): number {
  return sign.charCodeAt(0);
}

const [TAB, SPACE, LF, CR] = [codeOf('\t'), codeOf(' '), codeOf('\n'), codeOf('\r')];
const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

export function isSpace(code: number): boolean {
  return code === SPACE;
}

export function isTab(code: number): boolean {
  return code === TAB;
}

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function isBreak(code: number): boolean {
  if (code > CR && code < NEXT_LINE) return false;
  return code === LF || code === CR || code === NEXT_LINE || code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR;
}

export function isBreakOrEnd(code: number): boolean {
  return code === END || isBreak(code);
}

export function isBlankOrEnd(code: number): boolean {
  return isBlank(code) || isBreakOrEnd(code);
}

export function isDigit(code: number): boolean {
  return code >= codeOf('0') && code <= codeOf('9');
}

/** Of names: of anchors, handles and directives. */
export function isNameCharacter(code: number): boolean {
  return code !== END && /[-\w]/.test(String.fromCharCode(code));
}

import {
  BLANKS_PATTERN,
  type Cursor,
  LINE_BREAK_OR_END_PATTERN,
  LINE_BREAK_PATTERN,
  REST_OF_LINE_PATTERN,
  WHITE_SPACE_OR_END_PATTERN,
  WHITE_SPACE_PATTERN,
} from './cursor.ts';

/** A word of a plain scalar ends at a blank or a colon. Within brackets, a word also ends at a bracket or a comma. */
const WORD_PATTERN = /[^ \t\n\r\x85\u2028\u2029:]*/y;
const FLOW_WORD_PATTERN = /[^ \t\n\r\x85\u2028\u2029:,?[\]{}]*/y;

export interface PlainScalarContext {
  /** Minimum column of the lines after the first line. */
  readonly indent: number;
  readonly isInFlow: boolean;
}

export interface PlainScalar {
  readonly text: string;
  readonly end: number;
  /** Whether the cursor has skipped a line break after the scalar. */
  readonly isBeforeBreak: boolean;
}

export function readPlainScalar(cursor: Cursor, { indent, isInFlow }: PlainScalarContext): PlainScalar {
  let text = '';
  let end = cursor.offset;
  let whiteSpace: WhiteSpace = { text: '', hasBreaks: false };
  while (cursor.marker === undefined && cursor.peek() !== '#') {
    const word = readWord(cursor, isInFlow ? FLOW_WORD_PATTERN : WORD_PATTERN);
    if (word !== '') {
      text += whiteSpace.text + word;
      end = cursor.offset;
      whiteSpace = { text: '', hasBreaks: false };
    }
    if (!cursor.matches(WHITE_SPACE_PATTERN)) break;
    whiteSpace = readWhiteSpace(cursor, indent);
    if (!isInFlow && cursor.column < indent) break;
  }
  return { text, end, isBeforeBreak: whiteSpace.hasBreaks };
}

/** Uses a loop, because a single regular expression would overflow the stack for a million colons. */
function readWord(cursor: Cursor, pattern: RegExp): string {
  const start = cursor.offset;
  cursor.take(pattern);
  while (cursor.peek() === ':' && !cursor.matches(WHITE_SPACE_OR_END_PATTERN, 1)) {
    cursor.offset++;
    cursor.take(pattern);
  }
  return cursor.text.slice(start, cursor.offset);
}

interface WhiteSpace {
  readonly text: string;
  readonly hasBreaks: boolean;
}

/**
 * Reads white space in a scalar. A single line break becomes a space. If there are several line breaks, the first line
 * break is removed.
 * @param indent Column before which tabs are not allowed.
 */
function readWhiteSpace(cursor: Cursor, indent: number): WhiteSpace {
  const blanks = cursor.take(BLANKS_PATTERN);
  const firstBreak = cursor.takeBreak();
  if (firstBreak === '') return { text: blanks, hasBreaks: false };
  const otherBreaks = readLineBreaks(cursor, indent);
  return { text: firstBreak === '\n' ? otherBreaks || ' ' : firstBreak + otherBreaks, hasBreaks: true };
}

/** Reads empty lines and the indentation of the next line. Returns a line break for each line end. */
function readLineBreaks(cursor: Cursor, indent: number): string {
  let breaks = '';
  while (cursor.matches(WHITE_SPACE_PATTERN)) {
    if (cursor.peek() === '\t' && cursor.column < indent) cursor.fail('a tab is not allowed as indentation');
    const lineBreak = cursor.takeBreak();
    if (lineBreak === '') cursor.offset++;
    breaks += lineBreak;
  }
  return breaks;
}

const QUOTED_TEXT_PATTERNS = {
  "'": /[^'\n\r\x85\u2028\u2029]*/y,
  '"': /[^"\\\n\r\x85\u2028\u2029]*/y,
};

export function readQuotedScalar(cursor: Cursor): string {
  const { offset } = cursor;
  const quote = cursor.peek() === "'" ? "'" : '"';
  const parts: string[] = [];
  cursor.offset++;
  for (;;) {
    if (cursor.marker !== undefined) cursor.fail('the document ends before the closing quote', offset);
    const isLineBreakEscaped = readQuotedLine(cursor, quote, parts);
    if (cursor.peek() === quote) break;
    if (cursor.isAtEnd) cursor.fail('the closing quote is missing', offset);
    parts.push(isLineBreakEscaped ? readLineBreaks(cursor, 0) : readWhiteSpace(cursor, 0).text);
  }
  cursor.offset++;
  return parts.join('');
}

/** Reads up to the closing quote or the end of the line. Returns whether a backslash escapes the line break. */
function readQuotedLine(cursor: Cursor, quote: keyof typeof QUOTED_TEXT_PATTERNS, textParts: string[]): boolean {
  for (;;) {
    const text = cursor.take(QUOTED_TEXT_PATTERNS[quote]);
    textParts.push(cursor.matches(LINE_BREAK_PATTERN) ? trimEndBlanks(text) : text);
    const character = cursor.peek();
    if (character === "'" && cursor.peek(1) === "'") {
      cursor.offset += 2;
      textParts.push("'");
    } else if (character !== '\\') return false;
    else if (cursor.matches(LINE_BREAK_PATTERN, 1)) {
      cursor.offset++;
      cursor.takeBreak();
      return true;
    } else textParts.push(readEscape(cursor));
  }
}

function trimEndBlanks(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end--;
  return text.slice(0, end);
}

const CHARACTERS_BY_ESCAPE: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

const ESCAPE_DIGIT_COUNTS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function readEscape(cursor: Cursor): string {
  const character = cursor.peek(1);
  const length = ESCAPE_DIGIT_COUNTS[character] ?? 0;
  const unescapedCharacter =
    length === 0 ? CHARACTERS_BY_ESCAPE[character] : parseCharacter(cursor, cursor.offset + 2, length);
  if (unescapedCharacter === undefined) {
    cursor.fail(`${cursor.text.slice(cursor.offset, cursor.offset + 2 + length)} is not an escape sequence of YAML`);
  }
  cursor.offset += 2 + length;
  return unescapedCharacter;
}

function parseCharacter({ text }: Cursor, start: number, length: number): string | undefined {
  const digits = text.slice(start, start + length);
  const code = /^[0-9a-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : Number.NaN;
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

const BLOCK_HEADER_PATTERN = /[|>](?:([-+])(\d?)|(\d)([-+]?))?[ \t]*/y;

/**
 * Reads a block scalar, which starts with `|` or `>`.
 * @param parentIndent Column of the enclosing collection, or -1 for the document.
 */
export function readBlockScalar(cursor: Cursor, parentIndent: number): string {
  const isLiteral = cursor.peek() === '|';
  const { chomping, increment } = readBlockHeader(cursor);
  const fixedIndent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  let { breaks, indent } = readBlockLineBreaks(cursor, fixedIndent, parentIndent);
  const parts: string[] = [];
  let lineBreak = '';
  let wasIndented = false;
  while (cursor.column === indent && !cursor.isAtEnd) {
    const isIndented = cursor.peek() === ' ' || cursor.peek() === '\t';
    const isFolded = !(isLiteral || wasIndented || isIndented) && lineBreak === '\n';
    parts.push(isFolded ? breaks || ' ' : lineBreak + breaks);
    wasIndented = isIndented;
    parts.push(cursor.take(REST_OF_LINE_PATTERN));
    lineBreak = cursor.takeBreak();
    ({ breaks } = readBlockLineBreaks(cursor, indent, parentIndent));
  }
  if (chomping !== '-') parts.push(lineBreak);
  if (chomping === '+') parts.push(breaks);
  return parts.join('');
}

/** In the result, `increment` is the indentation of the block, or 0 if the first line determines the indentation. */
function readBlockHeader(cursor: Cursor): { readonly chomping: string; readonly increment: number } {
  const start = cursor.offset;
  const [, chompingBefore, digitBehind, digit = digitBehind, chomping = chompingBefore] =
    cursor.match(BLOCK_HEADER_PATTERN);
  if (digit === '0') cursor.fail('the indentation of a block must be 1 to 9', start);
  cursor.skipComment();
  if (!cursor.matches(LINE_BREAK_OR_END_PATTERN)) cursor.fail('the text of a block begins on the next line', start);
  cursor.takeBreak();
  return { chomping: chomping ?? '', increment: Number(digit ?? 0) };
}

/**
 * Skips empty lines and indentation. Returns a line break for each line end.
 * @param fixedIndent Number of columns of indentation, or 0 to detect the indentation.
 */
function readBlockLineBreaks(cursor: Cursor, fixedIndent: number, parentIndent: number) {
  const isIndentation = (character: string) =>
    (fixedIndent === 0 || cursor.column < fixedIndent) && cursor.peek() === character;
  let breaks = '';
  let maxColumn = 0;
  for (;;) {
    while (isIndentation(' ')) cursor.offset++;
    maxColumn = Math.max(maxColumn, cursor.column);
    if (isIndentation('\t')) cursor.fail('a tab is not allowed as indentation');
    const lineBreak = cursor.takeBreak();
    if (lineBreak === '') break;
    breaks += lineBreak;
  }
  return { breaks, indent: fixedIndent === 0 ? Math.max(maxColumn, parentIndent + 1, 1) : fixedIndent };
}

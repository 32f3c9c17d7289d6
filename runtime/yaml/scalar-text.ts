/** Reads the texts of scalars: plain, in quotes, and in blocks. */
import {
  type Cursor,
  codeOf,
  END,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  isDigit,
  isSpace,
  isTab,
} from './cursor.ts';

const COLON = codeOf(':');
const HASH = codeOf('#');
const QUOTE = codeOf("'");
const BACKSLASH = codeOf('\\');

export interface PlainContext {
  /** Column that following lines have to reach. */
  readonly indent: number;
  readonly isInFlow: boolean;
}

export interface PlainText {
  readonly text: string;
  readonly end: number;
  /** The cursor has gone over line breaks behind it. */
  readonly isBeforeBreak: boolean;
}

/** A scalar without quotes. */
export function plainText(cursor: Cursor, { indent, isInFlow }: PlainContext): PlainText {
  let text = '';
  let end = cursor.offset;
  let gap: Gap = { text: '', hasBreaks: false };
  while (!(cursor.isAtMark('-') || cursor.isAtMark('.') || cursor.at() === HASH)) {
    const start = cursor.offset;
    while (!endsPlain(cursor, isInFlow)) cursor.offset++;
    if (cursor.offset > start) {
      text += gap.text + cursor.text.slice(start, cursor.offset);
      end = cursor.offset;
      gap = { text: '', hasBreaks: false };
    }
    if (!(isBlank(cursor.at()) || isBreak(cursor.at()))) break;
    gap = gapAt(cursor, indent);
    if (!isInFlow && cursor.column < indent) break;
  }
  return { text, end, isBeforeBreak: gap.hasBreaks };
}

function endsPlain(cursor: Cursor, isInFlow: boolean): boolean {
  const code = cursor.at();
  if (isBlankOrEnd(code)) return true;
  if (code === COLON) return isBlankOrEnd(cursor.at(1));
  return isInFlow && FLOW_INDICATORS.has(code);
}

const FLOW_INDICATORS: ReadonlySet<number> = new Set([...',?[]{}'].map(codeOf));

interface Gap {
  /** What stands for it in the value. */
  readonly text: string;
  readonly hasBreaks: boolean;
}

/** White space within a scalar: one line break is a space, each further one a line break. @param indent Column before which no tab may stand. */
function gapAt(cursor: Cursor, indent: number): Gap {
  const blanks = cursor.takeWhile(isBlank);
  const first = cursor.takeBreak();
  if (first === '') return { text: blanks, hasBreaks: false };
  const others = breaksAt(cursor, indent);
  return { text: first === '\n' ? others || ' ' : first + others, hasBreaks: true };
}

/** Of empty lines, and of the indentation behind them nothing. */
function breaksAt(cursor: Cursor, indent: number): string {
  let breaks = '';
  for (let code = cursor.at(); isBlank(code) || isBreak(code); code = cursor.at()) {
    if (isTab(code) && cursor.column < indent) cursor.fail('a tab is not allowed as indentation');
    if (isBlank(code)) cursor.offset++;
    else breaks += cursor.takeBreak();
  }
  return breaks;
}

/** A scalar in quotes, which the cursor stands at. */
export function quotedText(cursor: Cursor): string {
  const { offset } = cursor;
  const quote = cursor.at();
  const parts: string[] = [];
  cursor.offset++;
  for (;;) {
    if (cursor.isAtMark('-') || cursor.isAtMark('.')) cursor.fail('a document ends within quotes', offset);
    const isJoined = takeQuotedLine(cursor, quote, parts);
    if (cursor.at() === quote) break;
    if (cursor.at() === END) cursor.fail('the closing quote is missing', offset);
    parts.push(isJoined ? breaksAt(cursor, 0) : gapAt(cursor, 0).text);
  }
  cursor.offset++;
  return parts.join('');
}

/** Up to the closing quote or the end of the line. Returns whether the end of the line is escaped: then it counts for nothing. */
function takeQuotedLine(cursor: Cursor, quote: number, parts: string[]): boolean {
  for (;;) {
    const text = cursor.takeWhile((code) => code !== quote && code !== BACKSLASH && !isBreakOrEnd(code));
    parts.push(isBreak(cursor.at()) ? withoutEndBlanks(text) : text);
    if (quote !== QUOTE && cursor.at() === BACKSLASH && isBreak(cursor.at(1))) {
      cursor.offset++;
      cursor.takeBreak();
      return true;
    }
    const special = quote === QUOTE ? signInSingleQuotes(cursor) : signInDoubleQuotes(cursor);
    if (special === undefined) return false;
    parts.push(special);
  }
}

function signInSingleQuotes(cursor: Cursor): string | undefined {
  const isQuote = cursor.at() === QUOTE;
  if (isQuote ? cursor.at(1) !== QUOTE : cursor.at() !== BACKSLASH) return undefined;
  cursor.offset += isQuote ? 2 : 1;
  return isQuote ? "'" : '\\';
}

function signInDoubleQuotes(cursor: Cursor): string | undefined {
  return cursor.at() === BACKSLASH ? escaped(cursor) : undefined;
}

function withoutEndBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

const ESCAPES: Readonly<Record<string, string>> = {
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

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function escaped(cursor: Cursor): string {
  const sign = cursor.text.charAt(cursor.offset + 1);
  const length = ESCAPE_LENGTHS[sign] ?? 0;
  const code = length === 0 ? ESCAPES[sign] : characterAt(cursor, cursor.offset + 2, length);
  if (code === undefined) {
    cursor.fail(`${cursor.text.slice(cursor.offset, cursor.offset + 2 + length)} is not an escape sequence of YAML`);
  }
  cursor.offset += 2 + length;
  return code;
}

function characterAt({ text, end }: Cursor, start: number, length: number): string | undefined {
  const digits = text.slice(start, Math.min(start + length, end));
  const code = /^[0-9a-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : END;
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** A scalar behind `|` or `>`, which the cursor stands at. @param parentIndent Column of the collection that it is in; -1 for none. */
export function blockText(cursor: Cursor, parentIndent: number): string {
  const start = cursor.offset;
  const isLiteral = cursor.at() === codeOf('|');
  cursor.offset++;
  const { chomping, increment } = blockHeader(cursor, start);
  const given = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  let { breaks, indent } = blockBreaks(cursor, given, parentIndent);
  const parts: string[] = [];
  let lineBreak = '';
  let wasIndented = false;
  while (cursor.column === indent && cursor.at() !== END) {
    const isIndented = isBlank(cursor.at());
    const isFolded = !(isLiteral || wasIndented || isIndented) && lineBreak === '\n';
    parts.push(isFolded ? breaks || ' ' : lineBreak + breaks);
    wasIndented = isIndented;
    parts.push(cursor.takeWhile((code) => !isBreakOrEnd(code)));
    lineBreak = cursor.takeBreak();
    ({ breaks } = blockBreaks(cursor, indent, parentIndent));
  }
  if (chomping !== '-') parts.push(lineBreak);
  if (chomping === '+') parts.push(breaks);
  return parts.join('');
}

interface BlockHeader {
  readonly chomping: string;
  /** Of the indentation; 0 when the first line says it. */
  readonly increment: number;
}

function blockHeader(cursor: Cursor, start: number): BlockHeader {
  let chomping = takeChomping(cursor);
  const increment = isDigit(cursor.at()) ? cursor.at() - codeOf('0') : undefined;
  if (increment === 0) cursor.fail('the indentation of a block must be 1 to 9', start);
  if (increment !== undefined) cursor.offset++;
  chomping ||= increment === undefined ? '' : takeChomping(cursor);
  while (isBlank(cursor.at())) cursor.offset++;
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.at())) cursor.fail('the text of a block begins on the next line', start);
  cursor.takeBreak();
  return { chomping, increment: increment ?? 0 };
}

function takeChomping(cursor: Cursor): string {
  const sign = cursor.text.charAt(cursor.offset);
  if (cursor.at() === END || !(sign === '+' || sign === '-')) return '';
  cursor.offset++;
  return sign;
}

/** Goes over indentation and empty lines. @param given Columns of indentation; 0 when they have to be found out. */
function blockBreaks(cursor: Cursor, given: number, parentIndent: number) {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while ((given === 0 || cursor.column < given) && isSpace(cursor.at())) cursor.offset++;
    widest = Math.max(widest, cursor.column);
    if ((given === 0 || cursor.column < given) && isTab(cursor.at()))
      cursor.fail('a tab is not allowed as indentation');
    if (!isBreak(cursor.at())) break;
    breaks += cursor.takeBreak();
  }
  return { breaks, indent: given === 0 ? Math.max(widest, parentIndent + 1, 1) : given };
}

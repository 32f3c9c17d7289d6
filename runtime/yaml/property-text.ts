import { BLANKS_PATTERN, type Cursor, LINE_BREAK_OR_END_PATTERN, WHITE_SPACE_OR_END_PATTERN } from './cursor.ts';

const ANCHOR_PATTERN = /[&*]([-\w]+)(?=[ \t\n\r\x85\u2028\u2029?:,\]}%@`]|$)/y;

/** Reads the name of an anchor (`&name`) or of an alias (`*name`). */
export function readAnchorName(cursor: Cursor): string {
  const indicator = cursor.peek();
  const [, name] = cursor.match(ANCHOR_PATTERN);
  const description = indicator === '*' ? 'an alias' : 'an anchor';
  return name ?? cursor.fail(`${indicator} begins ${description}, whose name consists of letters, digits, - and _`);
}

export interface Tag {
  /**
   * Handle of the tag: `!`, `!!` or `!name!`, or empty for a full tag. A `%TAG` directive defines the prefix of a
   * handle.
   */
  readonly handle: string;
  readonly suffix: string;
}

const URI_PATTERN = /[-\w;/?:@&=+$,.!~*'()[\]%]*/y;
const HANDLE_PATTERN = /!(?:[-\w]*!)?/y;

export function readTag(cursor: Cursor): Tag {
  const tag = cursor.peek(1) === '<' ? readFullTag(cursor) : readShortTag(cursor);
  if (!cursor.matches(WHITE_SPACE_OR_END_PATTERN)) cursor.fail('a space must follow a tag');
  return tag;
}

function readFullTag(cursor: Cursor): Tag {
  cursor.offset += 2;
  const suffix = readUri(cursor);
  if (suffix === '' || cursor.peek() !== '>') cursor.fail('the tag has no closing ">"');
  cursor.offset++;
  return { handle: '', suffix };
}

function readShortTag(cursor: Cursor): Tag {
  const handle = cursor.take(HANDLE_PATTERN);
  const suffix = readUri(cursor);
  if (suffix !== '') return { handle, suffix };
  if (handle !== '!') cursor.fail('the tag has no name');
  return { handle: '', suffix: '!' };
}

function readUri(cursor: Cursor): string {
  const start = cursor.offset;
  try {
    return decodeURIComponent(cursor.take(URI_PATTERN));
  } catch {
    cursor.fail('two hexadecimal digits must follow the % in the tag', start);
  }
}

export type Directive =
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'tag'; readonly handle: string; readonly prefix: string };

const DIRECTIVE_NAME_PATTERN = /%(YAML|TAG)(?=[ \t\n\r\x85\u2028\u2029]|$)[ \t]*/y;
const VERSION_PATTERN = /(\d{1,2})\.(\d{1,2})(?!\d)/y;
const TAG_HANDLE_PATTERN = /(![-\w]*!|!)[ \t]+/y;

/** Reads the directive at the cursor and the line break after it. */
export function readDirective(cursor: Cursor): Directive {
  const [, name] = cursor.match(DIRECTIVE_NAME_PATTERN);
  if (name === undefined) cursor.fail('a line that begins with % must be a directive, %YAML or %TAG');
  const directive = name === 'YAML' ? readVersionDirective(cursor) : readTagDirective(cursor);
  cursor.take(BLANKS_PATTERN);
  cursor.skipComment();
  if (!cursor.matches(LINE_BREAK_OR_END_PATTERN)) cursor.fail('only a comment may follow a directive');
  cursor.takeBreak();
  return directive;
}

function readVersionDirective(cursor: Cursor): Directive {
  const [version, major, minor] = cursor.match(VERSION_PATTERN);
  if (version === undefined) cursor.fail('%YAML needs a version');
  return { kind: 'version', version: `${Number(major)}.${Number(minor)}` };
}

function readTagDirective(cursor: Cursor): Directive {
  const start = cursor.offset;
  const [, handle] = cursor.match(TAG_HANDLE_PATTERN);
  const prefix = handle === undefined ? '' : readUri(cursor);
  if (handle === undefined || prefix === '' || !cursor.matches(WHITE_SPACE_OR_END_PATTERN)) {
    cursor.fail('%TAG needs a handle such as !name! and a prefix', start);
  }
  return { kind: 'tag', handle, prefix };
}

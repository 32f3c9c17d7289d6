/** Reads anchors, tags and directives. */
import { type Cursor, codeOf, END, isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isNameCharacter } from './cursor.ts';

const BANG = codeOf('!');

/** The name behind `&` or `*`, which the cursor stands at. */
export function anchorName(cursor: Cursor): string {
  const start = cursor.offset;
  const sign = cursor.text.charAt(start);
  cursor.offset++;
  const name = cursor.takeWhile(isNameCharacter);
  const isEnded = isBlankOrEnd(cursor.at()) || '?:,]}%@`'.includes(String.fromCharCode(cursor.at()));
  if (name === '' || !isEnded)
    cursor.fail(
      `${sign} begins ${sign === '*' ? 'an alias' : 'an anchor'}, whose name consists of letters, digits, - and _`,
      start,
    );
  return name;
}

export interface Tag {
  /** What a directive may stand for: `!`, `!!` or `!name!`. Empty for a tag that is given in full. */
  readonly handle: string;
  readonly suffix: string;
}

/** The tag that the cursor stands at. */
export function tagAt(cursor: Cursor): Tag {
  const tag = cursor.at(1) === codeOf('<') ? fullTag(cursor) : shortTag(cursor);
  if (!isBlankOrEnd(cursor.at())) cursor.fail('a space must follow a tag');
  return tag;
}

function fullTag(cursor: Cursor): Tag {
  cursor.offset += 2;
  const suffix = uriAt(cursor);
  if (suffix === '' || cursor.at() !== codeOf('>')) cursor.fail('the tag has no end');
  cursor.offset++;
  return { handle: '', suffix };
}

function shortTag(cursor: Cursor): Tag {
  const handle = handleAt(cursor);
  if (handle.length > 1 && handle.endsWith('!')) {
    const suffix = uriAt(cursor);
    if (suffix === '') cursor.fail('the tag has no name');
    return { handle, suffix };
  }
  const suffix = handle.slice(1) + uriAt(cursor);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

/** `!`, `!name` or `!name!`. */
function handleAt(cursor: Cursor): string {
  const start = cursor.offset;
  cursor.offset++;
  cursor.takeWhile(isNameCharacter);
  if (cursor.at() === BANG) cursor.offset++;
  return cursor.text.slice(start, cursor.offset);
}

function uriAt(cursor: Cursor): string {
  const start = cursor.offset;
  const uri = cursor.takeWhile((code) => code !== END && /[-\w;/?:@&=+$,.!~*'()[\]%]/.test(String.fromCharCode(code)));
  try {
    return decodeURIComponent(uri);
  } catch {
    cursor.fail('the tag has a % that two hexadecimal digits do not follow', start);
  }
}

export type Directive =
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'tag'; readonly handle: string; readonly prefix: string };

/** The directive that the cursor stands at, with its line. */
export function directiveAt(cursor: Cursor): Directive {
  const start = cursor.offset;
  cursor.offset++;
  const name = cursor.takeWhile(isNameCharacter);
  if (!(name === 'YAML' || name === 'TAG') || !isBlankOrEnd(cursor.at())) {
    cursor.fail('a line that begins with % must be a directive, %YAML or %TAG', start);
  }
  cursor.takeWhile(isBlank);
  const directive = name === 'YAML' ? versionAt(cursor) : prefixAt(cursor);
  cursor.takeWhile(isBlank);
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.at())) cursor.fail('only a comment may follow a directive');
  cursor.takeBreak();
  return directive;
}

function versionAt(cursor: Cursor): Directive {
  const major = cursor.takeWhile(isDigit);
  const hasPoint = cursor.at() === codeOf('.');
  if (hasPoint) cursor.offset++;
  const minor = cursor.takeWhile(isDigit);
  if (!hasPoint || ![major, minor].every((number) => /^\d{1,2}$/.test(number))) cursor.fail('%YAML needs a version');
  return { kind: 'version', version: `${Number(major)}.${Number(minor)}` };
}

function prefixAt(cursor: Cursor): Directive {
  const start = cursor.offset;
  const handle = cursor.at() === BANG ? handleAt(cursor) : '';
  const hasSpace = cursor.takeWhile(isBlank) !== '';
  const prefix = hasSpace ? uriAt(cursor) : '';
  if (!handle.endsWith('!') || prefix === '' || !isBlankOrEnd(cursor.at())) {
    cursor.fail('%TAG needs a handle such as !name! and a prefix', start);
  }
  return { kind: 'tag', handle, prefix };
}

/**
 * Finds the documents of a text as `kubectl -f` does: JSON values one after another, or YAML between lines that begin with `---`.
 */
import { composeYaml, YamlError, type YamlNode } from 'controller-runtime/yaml';
import { parseJsonAt, skipJsonSpace } from './json-node.ts';

/** A document, or the error that prevents a part of the text from being a document. */
export type ParsedDocument = (TextRange & { readonly kind: 'document'; readonly root: YamlNode }) | UnreadableDocument;

type UnreadableDocument = TextRange & { readonly kind: 'unreadable'; readonly error: YamlError };

interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** kubectl searches for a brace in this many bytes. */
const GUESSED_LENGTH = 4096;
const GO_SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const SPACE_IN_LINE = new RegExp(`(?:(?!\\n)${GO_SPACE})*`, 'y');
const BEGINS_AS_JSON = new RegExp(`^${GO_SPACE}*\\{`);

/** kubectl stops at the first invalid document; this function continues. */
export function* parseDocuments(text: string): Generator<ParsedDocument> {
  // kubectl adds the end of the last line.
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  if (BEGINS_AS_JSON.test(whole.slice(0, GUESSED_LENGTH))) yield* parseJsonDocuments(whole, text.length);
  else yield* parseYamlDocuments(whole, 0);
}

/** If the text is not JSON after all, the rest is YAML. @param length Length without the added line end. */
function* parseJsonDocuments(text: string, length: number): Generator<ParsedDocument> {
  let count = 0;
  let end = 0;
  for (let start = skipJsonSpace(text, 0); start < text.length; start = skipJsonSpace(text, end)) {
    const found = readDocument({ start, end: text.length }, () => {
      const json = parseJsonAt(text, start);
      ({ end } = json);
      return json.node;
    });
    if (found?.kind === 'unreadable') {
      const yaml = count > 1 ? undefined : findYamlStart(text.slice(0, length), end);
      if (yaml === undefined) yield found;
      else yield* yamlOrJson(text, yaml, found);
      return;
    }
    count++;
    if (found !== undefined) yield { ...found, end };
  }
}

/** For a text that is neither JSON nor YAML, returns the error that comes later in the text, because it is more useful. */
function* yamlOrJson(text: string, start: number, json: UnreadableDocument): Generator<ParsedDocument> {
  let isFirst = true;
  for (const found of parseYamlDocuments(text, start)) {
    const isJson = isFirst && found.kind === 'unreadable' && json.error.offset > found.error.offset;
    yield isJson ? { ...found, error: json.error } : found;
    isFirst = false;
  }
}

/**
 * The start after white space, up to the end of its line. `undefined` when fewer than the four bytes remain that kubectl examines.
 */
function findYamlStart(text: string, offset: number): number | undefined {
  SPACE_IN_LINE.lastIndex = offset;
  SPACE_IN_LINE.test(text);
  const at = SPACE_IN_LINE.lastIndex;
  if (Buffer.byteLength(text.slice(at, at + 4)) < 4) return undefined;
  return text[at] === '\n' ? at + 1 : at;
}

function* parseYamlDocuments(text: string, offset: number): Generator<ParsedDocument> {
  for (const part of splitYaml(text, offset)) {
    if (part instanceof YamlError) {
      yield { kind: 'unreadable', error: part, start: part.offset, end: part.offset };
      continue;
    }
    const found = readDocument(part, () => composeYaml(text, part));
    if (found !== undefined) yield found;
  }
}

/** Parts between lines that begin with `---`. A part includes such a line at its beginning. */
function* splitYaml(text: string, offset: number): Generator<TextRange | YamlError> {
  let start = offset;
  for (let line = offset; line < text.length; ) {
    const next = text.indexOf('\n', line) + 1 || text.length;
    if (text.startsWith('---', line)) {
      const rest = text.slice(line + 3, next).trim();
      if (rest !== '' && !rest.startsWith('#')) yield new YamlError('only a comment may follow "---"', line + 3);
      if (line > start) {
        yield { start, end: line };
        start = next;
      }
    }
    line = next;
  }
  if (start < text.length) yield { start, end: text.length };
}

function readDocument(part: TextRange, read: () => YamlNode | undefined): ParsedDocument | undefined {
  try {
    const root = read();
    return root === undefined ? undefined : { ...part, kind: 'document', root };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { ...part, kind: 'unreadable', error };
  }
}

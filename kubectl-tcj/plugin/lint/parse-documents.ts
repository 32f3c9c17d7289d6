/**
 * Splits a text into documents in the same way as `kubectl apply -f`. The text contains consecutive JSON values, or YAML documents
 * with `---` lines between them.
 */
import { composeYaml, YamlError, type YamlNode } from 'controller-runtime/yaml';
import { parseJsonAt, skipJsonSpace } from './json-node.ts';

export type DocumentOrError = (TextRange & { readonly kind: 'document'; readonly root: YamlNode }) | UnreadableDocument;

type UnreadableDocument = TextRange & { readonly kind: 'unreadable'; readonly error: YamlError };

interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** kubectl searches this number of bytes at the start of a file for `{` to detect JSON. */
const JSON_DETECTION_LENGTH = 4096;
const GO_WHITE_SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const SPACE_IN_LINE = new RegExp(`(?:(?!\\n)${GO_WHITE_SPACE})*`, 'y');
const JSON_START = new RegExp(`^${GO_WHITE_SPACE}*\\{`);

/** Continues after an invalid document, whereas kubectl stops. */
export function* parseDocuments(text: string): Generator<DocumentOrError> {
  // kubectl adds a missing line break to the last line.
  const textWithLineBreak = text.endsWith('\n') ? text : `${text}\n`;
  if (JSON_START.test(textWithLineBreak.slice(0, JSON_DETECTION_LENGTH)))
    yield* parseJsonDocuments(textWithLineBreak, text.length);
  else yield* parseYamlDocuments(textWithLineBreak, 0);
}

/**
 * If a value is invalid JSON, tries to parse the rest of the text as YAML.
 * @param length The length of the text without the final line break, which the caller added.
 */
function* parseJsonDocuments(text: string, length: number): Generator<DocumentOrError> {
  let count = 0;
  let end = 0;
  for (let start = skipJsonSpace(text, 0); start < text.length; start = skipJsonSpace(text, end)) {
    const document = readDocument({ start, end: text.length }, () => {
      const json = parseJsonAt(text, start);
      ({ end } = json);
      return json.node;
    });
    if (document?.kind === 'unreadable') {
      const yamlStart = count > 1 ? undefined : findYamlStart(text.slice(0, length), end);
      if (yamlStart === undefined) yield document;
      else yield* parseYamlOrJson(text, yamlStart, document);
      return;
    }
    count++;
    if (document !== undefined) yield { ...document, end };
  }
}

/** If the text is invalid as JSON and as YAML, yields the error that occurs later in the text. */
function* parseYamlOrJson(text: string, start: number, jsonDocument: UnreadableDocument): Generator<DocumentOrError> {
  let isFirst = true;
  for (const document of parseYamlDocuments(text, start)) {
    const hasLaterJsonError =
      isFirst && document.kind === 'unreadable' && jsonDocument.error.offset > document.error.offset;
    yield hasLaterJsonError ? { ...document, error: jsonDocument.error } : document;
    isFirst = false;
  }
}

/**
 * Skips white space up to the end of the line. Returns `undefined` if fewer than four bytes remain, because kubectl examines four
 * bytes.
 */
function findYamlStart(text: string, offset: number): number | undefined {
  SPACE_IN_LINE.lastIndex = offset;
  SPACE_IN_LINE.test(text);
  const start = SPACE_IN_LINE.lastIndex;
  if (Buffer.byteLength(text.slice(start, start + 4)) < 4) return undefined;
  return text[start] === '\n' ? start + 1 : start;
}

function* parseYamlDocuments(text: string, offset: number): Generator<DocumentOrError> {
  for (const rangeOrError of splitYaml(text, offset)) {
    if (rangeOrError instanceof YamlError) {
      yield { kind: 'unreadable', error: rangeOrError, start: rangeOrError.offset, end: rangeOrError.offset };
      continue;
    }
    const document = readDocument(rangeOrError, () => composeYaml(text, rangeOrError));
    if (document !== undefined) yield document;
  }
}

/** Splits a text at lines that begin with `---`. Each range includes the `---` line before the document. */
function* splitYaml(text: string, offset: number): Generator<TextRange | YamlError> {
  let start = offset;
  for (let lineStart = offset; lineStart < text.length; ) {
    const nextLineStart = text.indexOf('\n', lineStart) + 1 || text.length;
    if (text.startsWith('---', lineStart)) {
      const separatorSuffix = text.slice(lineStart + 3, nextLineStart).trim();
      if (separatorSuffix !== '' && !separatorSuffix.startsWith('#'))
        yield new YamlError('only a comment may follow "---"', lineStart + 3);
      if (lineStart > start) {
        yield { start, end: lineStart };
        start = nextLineStart;
      }
    }
    lineStart = nextLineStart;
  }
  if (start < text.length) yield { start, end: text.length };
}

function readDocument(range: TextRange, parse: () => YamlNode | undefined): DocumentOrError | undefined {
  try {
    const root = parse();
    return root === undefined ? undefined : { ...range, kind: 'document', root };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { ...range, kind: 'unreadable', error };
  }
}

/** Reads manifests as kubectl does: YAML 1.1 or JSON, many documents in one text. */
import { type Document, LineCounter, type Pair, parseAllDocuments, type Tags, visit } from 'yaml';
import { isRecord } from '../../api/v1/raw-object.ts';
import type { Fault } from './fault.ts';
import { jsonParts } from './json-stream.ts';
import { keyOffset, nameOf, Places } from './place.ts';
import { quotingHint } from './quoting.ts';

/** An object of a manifest. */
export interface Manifest {
  readonly value: unknown;
  readonly document: Document.Parsed;
  readonly places: Places;
  /** Where it is in the document, such as `items[2]`; empty for the document itself. */
  readonly path: string;
}

export interface ReadManifests {
  readonly manifests: readonly Manifest[];
  /** What keeps documents from being read. These are not among the manifests. */
  readonly faults: readonly Fault[];
  readonly lines: LineCounter;
}

/** Never throws, whatever the text. */
export function readManifests(text: string): ReadManifests {
  const { documents, lines } = parsed(text);
  const faults: Fault[] = [];
  const manifests: Manifest[] = [];
  for (const document of documents) {
    const found = document.errors.length > 0 ? syntaxFaults(document, text, lines) : manifestsOf(document, text);
    if ('faults' in found) faults.push(...found.faults);
    else manifests.push(...found.manifests);
  }
  return { manifests, faults, lines };
}

interface ParsedText {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

function parsed(text: string): ParsedText {
  const lines = new LineCounter();
  const parts = jsonParts(text);
  if (parts === undefined) {
    return { documents: parseAllDocuments(text, { ...OPTIONS, lineCounter: lines }), lines };
  }
  for (let start = 0; ; ) {
    lines.addNewLine(start);
    start = text.indexOf('\n', start) + 1;
    if (start === 0) break;
  }
  const documents = parts.flatMap(({ start, end }) =>
    parseAllDocuments(text.slice(start, end), OPTIONS).map((document) => moved(document, start)),
  );
  return { documents, lines };
}

/** The same document, with its offsets in the whole text. */
function moved(document: Document.Parsed, by: number): Document.Parsed {
  for (const error of document.errors) error.pos = [error.pos[0] + by, error.pos[1] + by];
  if (document.errors.length > 0) return document;
  visit(document, {
    Node: (_, node) => {
      if (node.range) node.range = [node.range[0] + by, node.range[1] + by, node.range[2] + by];
    },
  });
  return document;
}

/** What YAML 1.1 has and kubectl does not read: times, binary, base 60. */
const UNREAD_TAGS: ReadonlySet<string> = new Set(['timestamp', 'binary', 'omap', 'pairs', 'set'].map(tagNamed));

function tagNamed(name: string): string {
  return `tag:yaml.org,2002:${name}`;
}

function isRead(tag: Tags[number]): boolean {
  return typeof tag === 'string' || !(UNREAD_TAGS.has(tag.tag) || ('format' in tag && tag.format === 'TIME'));
}

const OPTIONS = {
  version: '1.1',
  prettyErrors: false,
  logLevel: 'error',
  // Its search for them takes the square of the number of keys; see repeatedKeys.
  uniqueKeys: false,
  customTags: (tags: Tags) => tags.filter(isRead),
} as const;

/** Of one anchor, multiplied with those that are within it. */
const MAX_ALIASES = 10_000;

type Found = { readonly manifests: readonly Manifest[] } | { readonly faults: readonly Fault[] };

function manifestsOf(document: Document.Parsed, text: string): Found {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // Of aliases: one without its anchor, or so many that the object would fill the memory.
    if (!(error instanceof ReferenceError)) throw error;
    const offset = document.contents?.range[0] ?? 0;
    const [, alias] = /: (\S+)$/.exec(error.message) ?? [];
    const at = alias === undefined ? -1 : text.indexOf(`*${alias}`, offset);
    const hint = at === -1 ? '' : hintFor(lineAt(text, at));
    return { faults: [{ offset, message: `${error.message}${hint}` }] };
  }
  return { manifests: objectsIn({ value, document, places: new Places(document), path: '' }) };
}

/** The object itself, or those of a list. Nothing of an empty document. */
function objectsIn(manifest: Manifest): readonly Manifest[] {
  const { value } = manifest;
  if (value === null || value === undefined) return [];
  const { apiVersion, kind, items } = isRecord(value) ? value : {};
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [manifest];
  // The API server lists objects without their kind.
  const itemKind = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.map((item, index) => ({
    ...manifest,
    value: isRecord(item) ? { ...itemKind, ...item } : item,
    path: `items[${index}]`,
  }));
}

/** One of each line: what follows is about the same. */
function syntaxFaults({ errors }: Document.Parsed, text: string, lines: LineCounter): Found {
  const faults = new Map<number, Fault>();
  for (const { code, message, pos } of errors) {
    const { line } = lines.linePos(pos[0]);
    const what = code === 'RESOURCE_EXHAUSTION' ? 'nested too deeply to be read' : message;
    if (!faults.has(line)) faults.set(line, { offset: pos[0], message: `${what}${hintFor(lineAt(text, pos[0]))}` });
  }
  return { faults: [...faults.values()].slice(0, MAX_SYNTAX_FAULTS) };
}

/** Of one document. */
const MAX_SYNTAX_FAULTS = 10;

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text.slice(start, end === -1 ? undefined : end);
}

function hintFor(line: string): string {
  if (line.includes('{{'))
    return '; this looks like a template: check what it renders, as in helm template . | kubectl tcj lint -';
  return quotingHint(line) ?? '';
}

/** Keys that a map of the document has twice. kubectl takes the last one of them, silently. */
export function repeatedKeys(document: Document.Parsed): readonly Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<string>();
      for (const pair of items) {
        const key = nameOf(pair);
        // A merge may be repeated.
        if (key === undefined || key === '<<') continue;
        if (known.has(key)) faults.push(repeated(key, pair));
        known.add(key);
      }
    },
  });
  return faults;
}

function repeated(key: string, pair: Pair): Fault {
  return {
    offset: keyOffset(pair),
    message: `${JSON.stringify(key)} is given twice, and only the last one counts; remove one`,
  };
}

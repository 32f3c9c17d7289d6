/**
 * Reads YAML as kubectl and the API server do: sigs.k8s.io/yaml, which takes go-yaml v2's value of a document and makes JSON of it. YAML 1.1
 * with differences: octal in both notations, no base 60, times are text, of a key that is there twice the last one counts.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  type Node,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { plainScalar, type ScalarValue } from './plain-scalar.ts';

/** What keeps a document from being read. The message has nothing of the document's content but names of anchors and tags. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** In the text; absent when the document as a whole is at fault. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** For the parser, so that {@link yamlValue} gets every scalar as it is written. */
const YAML_OPTIONS = {
  version: '1.1',
  schema: 'failsafe',
  merge: false,
  // Its search for them takes the square of the number of keys.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** The text of a file: UTF-8 or, with a byte order mark, UTF-16. Throws a {@link YamlError} for bytes or characters that go-yaml refuses. */
export function yamlText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new YamlError('is neither UTF-8 nor UTF-16 with a byte order mark');
  }
  const offset = text.search(REFUSED_CHARACTERS);
  if (offset >= 0) throw new YamlError('has a control character', offset);
  // A carriage return alone ends a line.
  return text.replaceAll(/\r(?!\n)/g, '\n');
}

/** The value of the first document, `null` when there is none; as kubectl, it does not look at others. Throws a {@link YamlError}. */
export function readYaml(text: string): unknown {
  const first = firstDocument(text);
  const json = jsonValue(first);
  if (json !== undefined) return json;
  const [document] = parseAllDocuments(first, YAML_OPTIONS);
  return document === undefined ? null : yamlValue(document, first);
}

/**
 * The value of a document that was parsed with {@link YAML_OPTIONS}. Throws a {@link YamlError}.
 * @param text What the offsets of the document are of.
 */
function yamlValue(document: Document.Parsed, text: string): unknown {
  const error = document.errors.find((each) => !isBehindContents(document, each));
  if (error !== undefined) throw new YamlError(error.message, error.pos[0]);
  const { explicit, version } = document.directives.yaml;
  if (explicit && version !== '1.1') throw new YamlError('declares another version of YAML than 1.1', 0);
  return new Reading(document, text).value(document.contents);
}

/** Where a bracket, a brace or a quote ends the document, what follows on its lines is not looked at. */
function isBehindContents({ contents }: Document.Parsed, { code, pos }: YAMLError): boolean {
  if (code !== 'UNEXPECTED_TOKEN' || contents === null || !contents.range || pos[0] < contents.range[1]) return false;
  return isScalar(contents)
    ? contents.type?.startsWith('QUOTE') === true
    : 'flow' in contents && contents.flow === true;
}

/** JSON is YAML as well, and JSON.parse takes a hundredth of the time. */
function jsonValue(text: string): unknown {
  // What may be too large for a float stays text in YAML.
  if (!/^\s*[{[]/.test(text) || /\de\+?\d{3}/i.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is YAML that begins with a brace
  }
}

/** Without those that follow, so that their mistakes do not count. */
function firstDocument(text: string): string {
  const [start = ''] = /^(?:(?:[%#].*|[ \t]*)(?:\r?\n|\r))*(?:---(?=\s|$))?/.exec(text) ?? [];
  const end = text.slice(start.length).search(/^(?:---|\.\.\.)(?=\s|$)/m);
  return end < 0 ? text : text.slice(0, start.length + end);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const REFUSED_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

const TAG = 'tag:yaml.org,2002:';
const MERGE = '<<';

/** So many nodes are read before it counts how many of them came from aliases. */
const FREE_NODES = 1000;
const FREE_ALIASED_NODES = 100;

class Reading {
  readonly #text: string;
  readonly #anchored: ReadonlyMap<Node, Node>;
  /** Those that are being read: none may contain itself. */
  readonly #open = new Set<Node>();
  #nodes = 0;
  #aliasedNodes = 0;

  constructor(document: Document.Parsed, text: string) {
    this.#text = text;
    this.#anchored = anchoredNodes(document);
  }

  value(node: unknown): unknown {
    this.#count();
    if (isAlias(node)) return this.#within(node, (anchored) => this.value(anchored));
    if (isScalar(node)) return this.#scalar(node);
    if (isMap(node)) {
      const entries = new Map<string, unknown>();
      this.#addEntries(node, entries);
      return Object.fromEntries(entries);
    }
    const items = isNodeWithItems(node) ? node.items : [];
    return node === null ? null : items.map((item) => this.value(item));
  }

  #scalar(scalar: Scalar): ScalarValue {
    const value = scalarValue(scalar);
    // The parser ends a block with a line break also where the file has none.
    const isCut =
      scalar.type?.startsWith('BLOCK') && scalar.range?.[1] === this.#text.length && !/[\r\n]$/.test(this.#text);
    return isCut && typeof value === 'string' ? value.replace(/\n$/, '') : value;
  }

  #addEntries({ items }: YAMLMap, entries: Map<string, unknown>): void {
    for (const { key, value } of items) {
      if (isMerge(key)) this.#merge(value, entries);
      else entries.set(keyText(this.value(key), key), this.value(value));
    }
  }

  /** Unlike the YAML of others, what is merged overwrites what stands before it. */
  #merge(node: unknown, entries: Map<string, unknown>): void {
    this.#count();
    if (isAlias(node)) this.#within(node, (anchored) => this.#merge(anchored, entries));
    else if (isMap(node)) this.#addEntries(node, entries);
    // The first of several counts most.
    else if (isNodeWithItems(node)) for (const item of node.items.toReversed()) this.#mergeItem(item, entries);
    else throw new YamlError('merges what is no mapping', offsetOf(node));
  }

  #mergeItem(node: unknown, entries: Map<string, unknown>): void {
    const target = isAlias(node) ? this.#anchored.get(node) : node;
    if (!isMap(target)) throw new YamlError('merges what is no mapping', offsetOf(node));
    this.#merge(node, entries);
  }

  #within<T>(alias: Node, read: (anchored: Node) => T): T {
    const anchored = this.#anchored.get(alias);
    if (anchored === undefined) throw new YamlError('has an alias without its anchor', offsetOf(alias));
    if (this.#open.has(alias)) throw new YamlError('has an anchor that contains itself', offsetOf(alias));
    this.#open.add(alias);
    try {
      return read(anchored);
    } finally {
      this.#open.delete(alias);
    }
  }

  /** A few lines of aliases of aliases would fill the memory. */
  #count(): void {
    this.#nodes++;
    if (this.#open.size > 0) this.#aliasedNodes++;
    if (this.#nodes <= FREE_NODES || this.#aliasedNodes <= FREE_ALIASED_NODES) return;
    if (this.#aliasedNodes / this.#nodes > allowedAliasRatio(this.#nodes)) throw new YamlError('has too many aliases');
  }
}

/** As go-yaml has it: 99 % of a small document, 10 % of a large one. */
function allowedAliasRatio(nodes: number): number {
  const [small, large] = [400_000, 4_000_000];
  return 0.99 - 0.89 * Math.min(1, Math.max(0, (nodes - small) / (large - small)));
}

/** By their aliases. An anchor that is given twice counts from there on. */
function anchoredNodes(document: Document.Parsed): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const found = new Map<Node, Node>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const anchored = anchors.get(node.source);
        if (anchored !== undefined) found.set(node, anchored);
      } else if ('anchor' in node && node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return found;
}

function scalarValue(scalar: Scalar): ScalarValue {
  const text = String(scalar.value);
  const tag = scalar.tag?.startsWith(TAG) ? scalar.tag.slice(TAG.length) : scalar.tag;
  if (tag === undefined) return scalar.type === 'PLAIN' ? plainScalar(text) : text;
  const read = TAGGED[tag];
  // Of a tag that is unknown, the text counts.
  const value = read === undefined ? text : read(text);
  if (value === undefined) throw new YamlError(`has a value that does not fit its tag ${tag}`, offsetOf(scalar));
  return value;
}

const TAGGED: Readonly<Record<string, (text: string) => ScalarValue | undefined>> = {
  str: (text) => text,
  bool: (text) => ofType('boolean', plainScalar(text)),
  null: (text) => (plainScalar(text) === null ? null : undefined),
  int: (text) => {
    const value = ofType('number', plainScalar(text));
    return Number.isInteger(value) && !/[.e]/i.test(text.replace(/^[-+]?0x.*/i, '')) ? value : undefined;
  },
  float: (text) => ofType('number', plainScalar(text)),
  timestamp: (text) => (/^\d{4}-\d/.test(text) ? text : undefined),
  binary: (text) => (isBase64(text) ? Buffer.from(text, 'base64').toString('utf8') : undefined),
};

function ofType<T extends 'boolean' | 'number'>(type: T, value: ScalarValue): ScalarValue | undefined {
  return typeof value === type ? value : undefined;
}

/** As Go's encoding/base64 reads it: with padding; line breaks may stand anywhere. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replaceAll(/[\r\n]/g, ''));
}

function keyText(key: unknown, node: unknown): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean' || typeof key === 'number') return String(key);
  throw new YamlError('has a key that is neither text, number nor boolean', offsetOf(node));
}

function isMerge(key: unknown): boolean {
  if (!isScalar(key) || key.value !== MERGE) return false;
  return key.tag === undefined ? key.type === 'PLAIN' : key.tag === `${TAG}merge`;
}

function isNodeWithItems(node: unknown): node is Node & { readonly items: readonly unknown[] } {
  return typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items);
}

function offsetOf(node: unknown): number | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? node.range[0]
    : undefined;
}

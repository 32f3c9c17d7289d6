/** Parses the tokens of a YAML document into a tree of nodes, with the grammar of libyaml. */
import type { TextRange } from './cursor.ts';
import type { Tag } from './property-text.ts';
import { Scanner } from './scanner.ts';
import type { Token } from './token.ts';
import { YamlError } from './yaml-error.ts';

/** A node of a YAML document. */
export type YamlNode = YamlScalar | YamlSequence | YamlMapping | YamlAlias;

/** A scalar. The range of a scalar excludes tags and anchors. The text of a missing value is empty. */
export interface YamlScalar extends TextRange {
  readonly kind: 'scalar';
  /** The value as text, without quotes and escapes. */
  readonly text: string;
  /** Whether the scalar has no quotes and is not a block, so that `1` is a number. */
  readonly isPlain: boolean;
  /** Full name of the tag, such as `tag:yaml.org,2002:str`. */
  readonly tag: string | undefined;
}

/** A list. */
export interface YamlSequence {
  readonly kind: 'sequence';
  /** Offset in the text where the node starts. */
  readonly start: number;
  /** The items in the order of the document. */
  readonly items: readonly YamlNode[];
}

/** A map, which may contain the same key twice. */
export interface YamlMapping {
  readonly kind: 'mapping';
  /** Offset in the text where the node starts. */
  readonly start: number;
  /** The entries in the order of the document. */
  readonly entries: readonly YamlEntry[];
}

/** A key of a map with its value. */
export interface YamlEntry {
  /** The key, usually a scalar. */
  readonly key: YamlNode;
  /** The value. A missing value is a scalar with empty text. */
  readonly value: YamlNode;
}

/** A reference to an anchor. */
export interface YamlAlias {
  readonly kind: 'alias';
  /** Offset in the text where the node starts. */
  readonly start: number;
  /** The node that the alias references. The node may itself contain the alias. */
  readonly target: YamlNode;
}

/**
 * Maximum nesting, because functions that traverse the nodes are recursive. The API server accepts up to 10,000 levels.
 */
export const MAX_DEPTH = 500;

/** Maximum number of nodes in a document, to limit the memory. A Kubernetes object has a few hundred nodes. */
export const MAX_NODES = 1_000_000;

export const CORE_TAG_PREFIX = 'tag:yaml.org,2002:';

/**
 * Parses the first document in a range of a text. Returns `undefined` if the range contains no document. The text after the
 * document is ignored, as in kubectl. Throws a {@link YamlError}.
 */
export function composeYaml(text: string, range: TextRange): YamlNode | undefined {
  const index = text.slice(range.start, range.end).search(FORBIDDEN_CHARACTERS_PATTERN);
  if (index >= 0) throw new YamlError('YAML does not allow this control character', range.start + index);
  return new Composer(new Scanner(text, range)).composeDocument();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const FORBIDDEN_CHARACTERS_PATTERN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

type TokenKind = Token['kind'];

class Composer {
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #tagPrefixes = new Map<string, string>();
  #depth = 0;
  #nodeCount = 0;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  composeDocument(): YamlNode | undefined {
    if (this.#isNext('stream end')) return undefined;
    if (this.#isNext('document end')) this.#fail('no document precedes "..."; remove it');
    const root = this.#isNext('directive', 'document start')
      ? this.#composeExplicitDocument()
      : this.#composeNode({ isBlock: true });
    // The text after the document is ignored, but its first token must be valid.
    this.#scanner.peek();
    return root;
  }

  #composeExplicitDocument(): YamlNode {
    this.#readDirectives();
    if (!this.#isNext('document start'))
      this.#fail('remove the lines that begin with %: no "---" follows them in this document');
    this.#scanner.take();
    const isEmpty = this.#isNext('directive', 'document start', 'document end', 'stream end');
    return isEmpty ? this.#createEmptyScalar() : this.#composeNode({ isBlock: true });
  }

  #readDirectives(): void {
    const directives = new Set<string>();
    for (let token = this.#scanner.peek(); token.kind === 'directive'; token = this.#scanner.peek()) {
      const { directive } = token;
      const name = directive.kind === 'version' ? '%YAML' : `%TAG ${directive.handle}`;
      if (directives.has(name)) this.#fail(`${name} occurs twice`);
      directives.add(name);
      if (directive.kind === 'tag') this.#tagPrefixes.set(directive.handle, directive.prefix);
      else if (directive.version !== '1.1') this.#fail('only YAML 1.1 is supported; remove this line');
      this.#scanner.take();
    }
  }

  #composeNode(context: YamlNodeContext): YamlNode {
    if (this.#depth >= MAX_DEPTH) this.#fail('the document is nested too deeply');
    this.#depth++;
    this.#nodeCount++;
    if (this.#nodeCount > MAX_NODES) this.#fail('the document has too many values');
    const node = this.#isNext('alias') ? this.#composeAlias() : this.#composeNodeWithProperties(context);
    this.#depth--;
    return node;
  }

  #composeAlias(): YamlNode {
    const token = this.#scanner.take();
    const target = token.kind === 'alias' ? this.#anchors.get(token.name) : undefined;
    if (target === undefined) throw new YamlError('the anchor of the alias is missing', token.start);
    return { kind: 'alias', start: token.start, target };
  }

  #composeNodeWithProperties(context: YamlNodeContext): YamlNode {
    const { anchor, tag } = this.#readProperties();
    const hasProperties = anchor !== undefined || tag !== undefined;
    const token = this.#scanner.peek();
    if (token.kind === 'scalar') {
      this.#scanner.take();
      const { text, isPlain, start, end } = token;
      return this.#saveAnchor(anchor, { kind: 'scalar', text, isPlain, tag, start, end });
    }
    const collection = this.#createCollection(token, context);
    if (collection === undefined) {
      if (!hasProperties) this.#fail('a value is missing');
      return this.#saveAnchor(anchor, { ...this.#createEmptyScalar(), tag });
    }
    const { node, readContent: fill } = collection;
    this.#saveAnchor(anchor, node);
    fill();
    return node;
  }

  #readProperties(): { readonly anchor: string | undefined; readonly tag: string | undefined } {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (let token = this.#scanner.peek(); ; token = this.#scanner.peek()) {
      if (token.kind === 'anchor' && anchor === undefined) anchor = token.name;
      else if (token.kind === 'tag' && tag === undefined) tag = this.#resolveTag(token.tag);
      else return { anchor, tag };
      this.#scanner.take();
    }
  }

  #resolveTag({ handle, suffix }: Tag): string {
    if (handle === '') return suffix;
    const prefix = this.#tagPrefixes.get(handle) ?? DEFAULT_TAG_PREFIXES[handle];
    if (prefix === undefined) this.#fail(`there is no %TAG directive for ${handle}`);
    return prefix + suffix;
  }

  #saveAnchor(anchor: string | undefined, node: YamlNode): YamlNode {
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  /** Creates an empty collection first, because an alias in the content may reference the collection. */
  #createCollection({ kind, start }: Token, context: YamlNodeContext): OpenCollection | undefined {
    const readItems = this.#selectItemReader(kind, context);
    if (readItems !== undefined) {
      const items: YamlNode[] = [];
      return { node: { kind: 'sequence', start, items }, readContent: () => readItems(items) };
    }
    if (kind !== '{' && !(kind === 'block mapping' && context.isBlock)) return undefined;
    const readEntries = kind === '{' ? this.#readFlowEntries : this.#readBlockEntries;
    const entries: YamlEntry[] = [];
    return { node: { kind: 'mapping', start, entries }, readContent: () => readEntries(entries) };
  }

  #selectItemReader(
    kind: TokenKind,
    { isBlock, canBeSequence }: YamlNodeContext,
  ): ((items: YamlNode[]) => void) | undefined {
    if (kind === '[') return this.#readFlowItems;
    if (kind === 'block sequence' && isBlock) return this.#readBlockItems;
    return kind === 'block entry' && canBeSequence === true ? this.#readUnindentedItems : undefined;
  }

  readonly #readBlockItems = (items: YamlNode[]): void => {
    this.#scanner.take();
    while (this.#takeIf('block entry')) {
      items.push(
        this.#isNext('block entry', 'block end') ? this.#createEmptyScalar() : this.#composeNode({ isBlock: true }),
      );
    }
    this.#expect('block end', 'this line must begin with "-", like the other items of the list');
  };

  /** Reads a list in the same column as its key, for which the scanner emits no start and end tokens. */
  readonly #readUnindentedItems = (items: YamlNode[]): void => {
    while (this.#takeIf('block entry')) {
      const isEmpty = this.#isNext('block entry', 'key', 'value', 'block end');
      items.push(isEmpty ? this.#createEmptyScalar() : this.#composeNode({ isBlock: true }));
    }
  };

  readonly #readBlockEntries = (entries: YamlEntry[]): void => {
    this.#scanner.take();
    while (this.#takeIf('key')) {
      const key = this.#composeKeyOrValue();
      const value = this.#takeIf('value') ? this.#composeKeyOrValue() : this.#createEmptyScalar();
      entries.push({ key, value });
    }
    this.#expect('block end', 'this line must be a key of the mapping above or have another indentation');
  };

  #composeKeyOrValue(): YamlNode {
    return this.#isNext('key', 'value', 'block end')
      ? this.#createEmptyScalar()
      : this.#composeNode({ isBlock: true, canBeSequence: true });
  }

  readonly #readFlowItems = (items: YamlNode[]): void => {
    this.#scanner.take();
    for (let isFirst = true; !this.#isNext(']'); isFirst = false) {
      if (!isFirst) this.#expect(',', '"," or "]" is missing');
      if (this.#isNext(']')) break;
      items.push(this.#isNext('key') ? this.#composePair() : this.#composeNode({ isBlock: false }));
    }
    this.#scanner.take();
  };

  /** Reads a mapping with one key in a sequence, such as `[a: b]`. */
  #composePair(): YamlNode {
    const { start } = this.#scanner.take();
    const isKeyMissing = this.#isNext('value', ',', ']');
    const key = isKeyMissing ? this.#createEmptyScalar() : this.#composeNode({ isBlock: false });
    // If the key is missing, libyaml skips one token.
    if (isKeyMissing) this.#scanner.take();
    const value =
      this.#takeIf('value') && !this.#isNext(',', ']')
        ? this.#composeNode({ isBlock: false })
        : this.#createEmptyScalar();
    return { kind: 'mapping', start, entries: [{ key, value }] };
  }

  readonly #readFlowEntries = (entries: YamlEntry[]): void => {
    this.#scanner.take();
    for (let isFirst = true; !this.#isNext('}'); isFirst = false) {
      if (!isFirst) this.#expect(',', '"," or "}" is missing');
      if (this.#isNext('}')) break;
      entries.push(
        this.#takeIf('key')
          ? this.#readFlowEntry()
          : { key: this.#composeNode({ isBlock: false }), value: this.#createEmptyScalar() },
      );
    }
    this.#scanner.take();
  };

  #readFlowEntry(): YamlEntry {
    const key = this.#isNext('value', ',', '}') ? this.#createEmptyScalar() : this.#composeNode({ isBlock: false });
    const value =
      this.#takeIf('value') && !this.#isNext(',', '}')
        ? this.#composeNode({ isBlock: false })
        : this.#createEmptyScalar();
    return { key, value };
  }

  #createEmptyScalar(): YamlScalar {
    const { start } = this.#scanner.peek();
    return { kind: 'scalar', text: '', isPlain: true, tag: undefined, start, end: start };
  }

  #isNext(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.#scanner.peek().kind);
  }

  #takeIf(kind: TokenKind): boolean {
    const isNext = this.#isNext(kind);
    if (isNext) this.#scanner.take();
    return isNext;
  }

  #expect(kind: TokenKind, message: string): void {
    if (!this.#takeIf(kind)) this.#fail(message);
  }

  #fail(message: string): never {
    throw new YamlError(message, this.#scanner.peek().start);
  }
}

interface YamlNodeContext {
  readonly isBlock: boolean;
  /** Whether the node may be a list in the same column as its key. */
  readonly canBeSequence?: boolean;
}

interface OpenCollection {
  readonly node: YamlSequence | YamlMapping;
  readonly readContent: () => void;
}

const DEFAULT_TAG_PREFIXES: Readonly<Record<string, string>> = { '!': '!', '!!': CORE_TAG_PREFIX };

/** Parses JSON into YAML nodes, which contain the offset of each value. */
import { MAX_DEPTH, MAX_NODES, YamlError, type YamlNode } from 'controller-runtime/yaml';

export interface JsonNode {
  readonly node: YamlNode;
  /** The offset after the last character. */
  readonly end: number;
}

/** Parses the JSON value at an offset and ignores the text after the value. Throws a {@link YamlError}. */
export function parseJsonAt(text: string, offset: number): JsonNode {
  const reader = new JsonReader(text, offset);
  const node = reader.readValue();
  return { node, end: reader.offset };
}

/** Returns the offset after JSON white space. */
export function skipJsonSpace(text: string, offset: number): number {
  const spacePattern = /[ \t\r\n]*/y;
  spacePattern.lastIndex = offset;
  spacePattern.test(text);
  return spacePattern.lastIndex;
}

class JsonReader {
  readonly #text: string;
  #depth = 0;
  #nodeCount = 0;
  offset: number;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.offset = offset;
  }

  readValue(): YamlNode {
    this.#skipSpace();
    if (this.#depth >= MAX_DEPTH) this.#fail('the document is nested too deeply');
    this.#depth++;
    this.#nodeCount++;
    if (this.#nodeCount > MAX_NODES) this.#fail('the document has too many values');
    const node = this.#readNode();
    this.#depth--;
    return node;
  }

  #readNode(): YamlNode {
    const start = this.offset;
    switch (this.#text[start]) {
      case '{':
        return { kind: 'mapping', start, entries: this.#readList('}', () => this.#readEntry()) };
      case '[':
        return { kind: 'sequence', start, items: this.#readList(']', () => this.readValue()) };
      case '"':
        return this.#readString();
      default:
        return this.#readWord();
    }
  }

  #readList<T>(closingBracket: string, readElement: () => T): readonly T[] {
    const start = this.offset;
    const elements: T[] = [];
    this.offset++;
    this.#skipSpace();
    while (this.#text[this.offset] !== closingBracket) {
      if (elements.length > 0) this.#expect(',', `expected "," or "${closingBracket}"`, start);
      elements.push(readElement());
      this.#skipSpace();
    }
    this.offset++;
    return elements;
  }

  #readEntry() {
    this.#skipSpace();
    if (this.#text[this.offset] !== '"') this.#fail('expected a key in double quotes');
    const key = this.#readString();
    this.#skipSpace();
    this.#expect(':', 'expected ":" after the key', this.offset);
    return { key, value: this.readValue() };
  }

  #readString(): YamlNode {
    const start = this.offset;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) this.#fail('the closing quote is missing');
    try {
      const text: unknown = JSON.parse(this.#text.slice(start, end + 1));
      this.offset = end + 1;
      return { kind: 'scalar', text: String(text), isPlain: false, tag: undefined, start, end: this.offset };
    } catch {
      this.#fail('this is not a valid JSON string');
    }
  }

  #readWord(): YamlNode {
    const start = this.offset;
    const wordPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)/y;
    wordPattern.lastIndex = start;
    const [text] = wordPattern.exec(this.#text) ?? [];
    if (text === undefined) this.#fail('expected a JSON value');
    if (/\d/.test(text) && !Number.isFinite(Number(text))) this.#fail('this number is too large');
    this.offset = start + text.length;
    return { kind: 'scalar', text, isPlain: true, tag: undefined, start, end: this.offset };
  }

  /** @param valueStart The offset to report if the text ends inside the value. */
  #expect(expected: string, message: string, valueStart: number): void {
    if (this.offset >= this.#text.length) throw new YamlError('unexpected end: this value is not closed', valueStart);
    if (this.#text[this.offset] !== expected) this.#fail(message);
    this.offset++;
  }

  #skipSpace(): void {
    this.offset = skipJsonSpace(this.#text, this.offset);
  }

  #fail(message: string): never {
    throw new YamlError(message, this.offset);
  }
}

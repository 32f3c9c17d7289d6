/** Deeper than any object of the Kubernetes API by far, and far from what overflows a stack: the API server takes 10,000. */
export const MAX_JSON_DEPTH = 500;
/** More than two objects of the 1.5 MiB that etcd takes, with all their managedFields, have. */
export const MAX_JSON_VALUES = 300_000;
/** Bytes of memory that a parsed value takes at most: one of a JSON text of three bytes, `{},`, takes 56 and its place in the list. */
const BYTES_PER_VALUE = 128;

export type JsonExcess = 'too-deep' | 'too-many-values';

/**
 * Measures a JSON text as it comes, before it is parsed: a text of 3 MiB may become objects of 100 MiB, or be nested deeper than any
 * stack. A text that is no JSON is measured as something: it is for the parser to refuse it.
 */
export class JsonBounds {
  #depth = 0;
  #values = 1;
  #isInText = false;
  #isEscaped = false;

  /** Memory in bytes that what came so far takes when it is parsed, at most. */
  get parsedBytes(): number {
    return this.#values * BYTES_PER_VALUE;
  }

  /** Looks at the next bytes; says what is too much of them, if anything. */
  add(bytes: Uint8Array): JsonExcess | undefined {
    for (const byte of bytes) {
      if (this.#isInText) this.#readText(byte);
      else if (this.#readStructure(byte)) return 'too-deep';
    }
    return this.#values > MAX_JSON_VALUES ? 'too-many-values' : undefined;
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  /** Whether it is too deep now. */
  #readStructure(byte: number): boolean {
    switch (byte) {
      case QUOTE:
        this.#isInText = true;
        return false;
      case COMMA:
        this.#values++;
        return false;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        this.#values++;
        return ++this.#depth > MAX_JSON_DEPTH;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        this.#depth--;
        return false;
      default:
        return false;
    }
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

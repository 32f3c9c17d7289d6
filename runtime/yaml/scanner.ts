/**
 * Splits a YAML document into tokens. For collections without brackets, the scanner derives start and end tokens from
 * the indentation.
 *
 * In `a: b`, only the colon shows that `a` is a key. The scanner therefore stores tokens in a queue until a colon or
 * the end of the line follows. The algorithm comes from libyaml. A key must be on one line and have at most 1024
 * characters, the same limits as in libyaml.
 */
import { BLANKS_PATTERN, Cursor, SPACES_PATTERN, type TextRange, WHITE_SPACE_OR_END_PATTERN } from './cursor.ts';
import { readAnchorName, readDirective, readTag } from './property-text.ts';
import { readBlockScalar, readPlainScalar, readQuotedScalar } from './scalar-text.ts';
import type { SymbolToken, Token } from './token.ts';

/** A token that is a key if a colon follows. */
interface PossibleKey {
  readonly tokenIndex: number;
  readonly offset: number;
  readonly lineStart: number;
  /** Whether a colon must follow the token. */
  readonly isRequired: boolean;
}

const MAX_KEY_LENGTH = 1024;

export class Scanner {
  readonly #cursor: Cursor;
  /** Tokens that {@link take} has not returned yet. {@link MAX_KEY_LENGTH} also limits the length of the queue. */
  readonly #queue: Token[] = [];
  #takenCount = 0;
  /** Column of the current collection without brackets, or -1 for the document. */
  #indent = -1;
  readonly #enclosingIndents: number[] = [];
  /** The possible key at each nesting level of brackets, starting with the possible key outside of brackets. */
  readonly #possibleKeys: (PossibleKey | undefined)[] = [undefined];
  #isKeyAllowed = true;
  #isNextTokenKnown = false;

  constructor(text: string, range: TextRange) {
    this.#cursor = new Cursor(text, range);
  }

  /** Returns the next token, which stays in the queue. After the last token, the next token is always `stream end`. */
  peek(): Token {
    if (!this.#isNextTokenKnown)
      while (this.#queue.length === 0 || this.#isPossibleKey(this.#takenCount)) this.#scanToken();
    this.#isNextTokenKnown = true;
    return this.#queue[0] as Token;
  }

  take(): Token {
    const token = this.peek();
    if (token.kind === 'stream end') return token;
    this.#queue.shift();
    this.#takenCount++;
    this.#isNextTokenKnown = false;
    return token;
  }

  /** Returns whether the token is a key if a colon follows. */
  #isPossibleKey(tokenIndex: number): boolean {
    const bracketDepth = this.#possibleKeys.findIndex((key) => key?.tokenIndex === tokenIndex);
    return bracketDepth >= 0 && this.#getPossibleKey(bracketDepth) !== undefined;
  }

  /**
   * Returns the possible key at a level of brackets. Discards a possible key that is on an earlier line or too long.
   */
  #getPossibleKey(bracketDepth: number): PossibleKey | undefined {
    const key = this.#possibleKeys[bracketDepth];
    if (key === undefined) return undefined;
    const { offset, lineStart } = this.#cursor;
    if (key.lineStart === lineStart && offset - key.offset <= MAX_KEY_LENGTH) return key;
    if (key.isRequired) this.#cursor.fail('":" must follow the key', key.offset);
    this.#possibleKeys[bracketDepth] = undefined;
    return undefined;
  }

  #savePossibleKey(): void {
    if (!this.#isKeyAllowed) return;
    this.#discardPossibleKey();
    const { offset, lineStart, column } = this.#cursor;
    const isRequired = !this.#isInFlow && this.#indent === column;
    this.#possibleKeys[this.#possibleKeys.length - 1] = {
      tokenIndex: this.#takenCount + this.#queue.length,
      offset,
      lineStart,
      isRequired,
    };
  }

  #discardPossibleKey(): void {
    const key = this.#possibleKeys.at(-1);
    if (key?.isRequired) this.#cursor.fail('":" must follow the key', key.offset);
    this.#possibleKeys[this.#possibleKeys.length - 1] = undefined;
  }

  get #isInFlow(): boolean {
    return this.#possibleKeys.length > 1;
  }

  #scanToken(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unindent(cursor.column);
    const { marker } = cursor;
    if (cursor.isAtEnd) this.#scanStreamEnd();
    else if (cursor.column === 0 && cursor.peek() === '%') this.#scanDirective();
    else if (marker !== undefined) this.#scanDocumentMarker(marker === '---' ? 'document start' : 'document end');
    else this.#scanContent(cursor.peek());
  }

  #scanContent(character: string): void {
    const isIndicator = this.#cursor.matches(WHITE_SPACE_OR_END_PATTERN, 1) || (this.#isInFlow && character !== '-');
    if (character === '[' || character === '{') this.#scanOpeningBracket(character);
    else if (character === ']' || character === '}') this.#scanClosingBracket(character);
    else if (character === ',') this.#scanComma();
    else if (isIndicator && '-?:'.includes(character)) this.#scanIndicator(character);
    else this.#scanNode(character);
  }

  #scanIndicator(character: string): void {
    if (character === '-') this.#scanBlockEntry();
    else if (character === '?') this.#scanKey();
    else this.#scanValue();
  }

  #scanNode(character: string): void {
    const cursor = this.#cursor;
    const start = cursor.offset;
    if ((character === '|' || character === '>') && !this.#isInFlow) {
      this.#discardPossibleKey();
      this.#isKeyAllowed = true;
      const text = readBlockScalar(cursor, this.#indent);
      this.#push({ kind: 'scalar', text, isPlain: false, start, end: cursor.offset });
      return;
    }
    this.#savePossibleKey();
    this.#isKeyAllowed = false;
    if (character === '*' || character === '&') {
      const name = readAnchorName(cursor);
      this.#push({ kind: character === '*' ? 'alias' : 'anchor', name, start, end: cursor.offset });
    } else if (character === '!') {
      const tag = readTag(cursor);
      this.#push({ kind: 'tag', tag, start, end: cursor.offset });
    } else if (character === "'" || character === '"') {
      const text = readQuotedScalar(cursor);
      this.#push({ kind: 'scalar', text, isPlain: false, start, end: cursor.offset });
    } else this.#scanPlainScalar(character);
  }

  #scanPlainScalar(character: string): void {
    const cursor = this.#cursor;
    const start = cursor.offset;
    if (character === '\t') cursor.fail('a tab is not allowed as indentation');
    if ('|>%@`'.includes(character)) cursor.fail(`a value that begins with ${character} needs quotes`);
    const { text, end, isBeforeBreak } = readPlainScalar(cursor, {
      indent: this.#indent + 1,
      isInFlow: this.#isInFlow,
    });
    if (isBeforeBreak) this.#isKeyAllowed = true;
    this.#push({ kind: 'scalar', text, isPlain: true, start, end });
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      const areTabsAllowed = this.#isInFlow || !this.#isKeyAllowed;
      cursor.take(areTabsAllowed ? BLANKS_PATTERN : SPACES_PATTERN);
      cursor.skipComment();
      if (cursor.takeBreak() === '') return;
      if (!this.#isInFlow) this.#isKeyAllowed = true;
    }
  }

  #scanStreamEnd(): void {
    // The end of the text counts as a new line, which discards possible keys within unclosed brackets.
    this.#cursor.lineStart = this.#cursor.offset;
    this.#closeCollections();
    this.#pushSymbol('stream end', 0);
  }

  #scanDocumentMarker(kind: 'document start' | 'document end'): void {
    this.#closeCollections();
    this.#pushSymbol(kind, 3);
  }

  #scanDirective(): void {
    this.#closeCollections();
    const start = this.#cursor.offset;
    const directive = readDirective(this.#cursor);
    this.#push({ kind: 'directive', directive, start, end: this.#cursor.offset });
  }

  /** Closes all collections without brackets. */
  #closeCollections(): void {
    this.#unindent(-1);
    this.#discardPossibleKey();
    this.#isKeyAllowed = false;
  }

  #scanOpeningBracket(kind: '[' | '{'): void {
    this.#savePossibleKey();
    this.#possibleKeys.push(undefined);
    this.#isKeyAllowed = true;
    this.#pushSymbol(kind);
  }

  #scanClosingBracket(kind: ']' | '}'): void {
    this.#discardPossibleKey();
    if (this.#isInFlow) this.#possibleKeys.pop();
    this.#isKeyAllowed = false;
    this.#pushSymbol(kind);
  }

  #scanComma(): void {
    this.#discardPossibleKey();
    this.#isKeyAllowed = true;
    this.#pushSymbol(',');
  }

  #scanBlockEntry(): void {
    this.#startCollection('block sequence', 'a list item is not allowed here');
    this.#isKeyAllowed = true;
    this.#pushSymbol('block entry');
  }

  #scanKey(): void {
    this.#startCollection('block mapping', 'a key is not allowed here');
    this.#isKeyAllowed = !this.#isInFlow;
    this.#pushSymbol('key');
  }

  /** Starts a collection if its first list item or key is at the cursor. */
  #startCollection(kind: 'block sequence' | 'block mapping', message: string): void {
    if (!this.#isInFlow) {
      if (!this.#isKeyAllowed) this.#cursor.fail(message);
      this.#indentTo(kind, this.#cursor.column, { offset: this.#cursor.offset });
    }
    this.#discardPossibleKey();
  }

  #scanValue(): void {
    const { offset, column } = this.#cursor;
    const key = this.#getPossibleKey(this.#possibleKeys.length - 1);
    if (key !== undefined) {
      const position = { offset: key.offset, index: key.tokenIndex - this.#takenCount };
      this.#insert({ kind: 'key', start: key.offset, end: key.offset }, position.index);
      if (!this.#isInFlow) this.#indentTo('block mapping', key.offset - key.lineStart, position);
      this.#possibleKeys[this.#possibleKeys.length - 1] = undefined;
      this.#isKeyAllowed = false;
    } else {
      if (!this.#isInFlow) {
        if (!this.#isKeyAllowed)
          this.#cursor.fail('a value with ":" is not allowed here; put text with ": " in quotes');
        this.#indentTo('block mapping', column, { offset });
      }
      this.#isKeyAllowed = !this.#isInFlow;
    }
    this.#pushSymbol('value');
  }

  /**
   * Starts a collection if `column` is indented more than the current collection.
   * @param position Offset of the token in the text and index in the queue. Default index: the end of the queue.
   */
  #indentTo(
    kind: 'block sequence' | 'block mapping',
    column: number,
    position: { offset: number; index?: number },
  ): void {
    if (this.#indent >= column) return;
    this.#enclosingIndents.push(this.#indent);
    this.#indent = column;
    this.#insert({ kind, start: position.offset, end: position.offset }, position.index);
  }

  #unindent(column: number): void {
    if (this.#isInFlow) return;
    while (this.#indent > column) {
      this.#pushSymbol('block end', 0);
      this.#indent = this.#enclosingIndents.pop() ?? -1;
    }
  }

  #pushSymbol(kind: SymbolToken, length = 1): void {
    const start = this.#cursor.offset;
    this.#cursor.offset += length;
    this.#push({ kind, start, end: this.#cursor.offset });
  }

  #push(token: Token): void {
    this.#queue.push(token);
  }

  #insert(token: Token, index = this.#queue.length): void {
    this.#queue.splice(index, 0, token);
  }
}

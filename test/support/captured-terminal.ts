/** What a command writes, kept; and what it is given to read. */
export class CapturedTerminal {
  readonly #input: Uint8Array;
  #out = '';
  #err = '';

  /** @param input The standard input. */
  constructor(input: string | Uint8Array = '') {
    this.#input = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  }

  readonly read = async (): Promise<Uint8Array> => this.#input;

  readonly out = (text: string): void => {
    this.#out += text;
  };
  readonly err = (text: string): void => {
    this.#err += text;
  };

  get texts(): { readonly out: string; readonly err: string } {
    return { out: this.#out, err: this.#err };
  }
}

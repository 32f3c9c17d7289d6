/** What a command writes, kept. */
export class CapturedTerminal {
  #out = '';
  #err = '';

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

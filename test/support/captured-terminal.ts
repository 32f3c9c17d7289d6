import { Readable } from 'node:stream';

/** Records the output of a command, and provides its input. */
export class CapturedTerminal {
  readonly #input: Uint8Array;
  #out = '';
  #err = '';

  readonly width: number | undefined;
  readonly hasColors: boolean;

  /** @param input The standard input. @param screen Terminal for the output. Default: none. */
  constructor(input: string | Uint8Array = '', screen: { readonly width?: number; readonly hasColors?: boolean } = {}) {
    this.#input = typeof input === 'string' ? new TextEncoder().encode(input) : input;
    this.width = screen.width;
    this.hasColors = screen.hasColors ?? false;
    const write = (bytes: Uint8Array) => this.out(this.#decoder.decode(bytes, { stream: true }));
    this.writeRaw = screen.width === undefined ? write : undefined;
  }

  readonly readStdin = (): AsyncIterable<Uint8Array> => Readable.from([this.#input]);

  readonly #decoder = new TextDecoder();
  readonly writeRaw: ((bytes: Uint8Array) => void) | undefined;

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

/** A key pair in two files that somebody else renews: cert-manager through a mounted Secret, as a rule. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Clock, sleep } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { KeyPair, KeyPairSource } from './key-pair.ts';

/** How often the files are looked at. A kubelet takes about a minute to bring a renewed Secret. */
const POLL_INTERVAL_MS = 10_000;

export interface KeyPairFilesOptions {
  /** Folder with `tls.crt` and `tls.key`, the names in a Secret of type kubernetes.io/tls. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Looks at the files from time to time instead of watching them: a mounted Secret is replaced by turning a symbolic link
 * above them, which file watches miss on some systems.
 */
export class KeyPairFiles implements KeyPairSource {
  readonly #certPath: string;
  readonly #keyPath: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  #loaded: KeyPair | undefined;
  #isFailing = false;

  constructor({ folder, clock, log }: KeyPairFilesOptions) {
    this.#certPath = join(folder, 'tls.crt');
    this.#keyPath = join(folder, 'tls.key');
    this.#clock = clock;
    this.#log = log.with({ certificate: this.#certPath });
  }

  async load(): Promise<KeyPair> {
    const pair = await this.#read();
    this.#loaded = pair;
    return pair;
  }

  async watch(signal: AbortSignal, onChange: (pair: KeyPair) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#clock, POLL_INTERVAL_MS, signal);
      if (signal.aborted) return;
      const pair = await this.reload();
      if (pair) onChange(pair);
    }
  }

  /**
   * The pair, when it is another than the one loaded last. What cannot be used is logged and not returned: it may be half
   * written, or cert and key were read on two sides of a renewal.
   */
  async reload(): Promise<KeyPair | undefined> {
    const before = this.#loaded;
    try {
      const pair = await this.load();
      this.#isFailing = false;
      if (pair.cert === before?.cert && pair.key === before.key) return undefined;
      this.#log.info('loaded new certificate');
      return pair;
    } catch (error) {
      if (!this.#isFailing) this.#log.error('could not load certificate, still using the old one', error);
      this.#isFailing = true;
      return undefined;
    }
  }

  async #read(): Promise<KeyPair> {
    const cert = await readText(this.#certPath);
    const key = await readText(this.#keyPath);
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      throw new Error(`${this.#certPath} and ${this.#keyPath} are not a key pair`, { cause: error });
    }
    return { cert, key };
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`read ${path}`, { cause: error });
  }
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Clock, sleep } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { KeyPair, KeyPairSource } from './key-pair.ts';

/** The kubelet updates a mounted Secret within about a minute. */
const POLL_INTERVAL_MS = 10_000;

export interface KeyPairFilesOptions {
  /** Folder with the files `tls.crt` and `tls.key`, such as a mounted Secret of type kubernetes.io/tls. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Loads a key pair from two files, and reloads the files when cert-manager or another program changes them. Polls the
 * files, because a file watch may miss the update of a mounted Secret: the kubelet changes a symbolic link to a parent
 * folder.
 */
export class KeyPairFiles implements KeyPairSource {
  readonly #certPath: string;
  readonly #keyPath: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  #loadedPair: KeyPair | undefined;
  #isFailing = false;

  constructor({ folder, clock, log }: KeyPairFilesOptions) {
    this.#certPath = join(folder, 'tls.crt');
    this.#keyPath = join(folder, 'tls.key');
    this.#clock = clock;
    this.#log = log.with({ certificate: this.#certPath });
  }

  async load(): Promise<KeyPair> {
    const pair = await this.#read();
    this.#loadedPair = pair;
    return pair;
  }

  async watch(signal: AbortSignal, onChange: (keyPair: KeyPair) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#clock, POLL_INTERVAL_MS, signal);
      if (signal.aborted) return;
      const pair = await this.reload();
      if (pair) onChange(pair);
    }
  }

  /**
   * Returns the key pair if the files have changed. Logs an invalid key pair and returns `undefined`, because another
   * program may be writing the files.
   */
  async reload(): Promise<KeyPair | undefined> {
    const previous = this.#loadedPair;
    try {
      const pair = await this.load();
      this.#isFailing = false;
      if (pair.cert === previous?.cert && pair.key === previous.key) return undefined;
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

/** A key pair in two files that another program renews, usually cert-manager through a mounted Secret. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Clock, sleep } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { KeyPair, KeyPairSource } from './key-pair.ts';

/** Interval between checks of the files. A kubelet takes about a minute to update a mounted Secret. */
const POLL_INTERVAL_MS = 10_000;

export interface KeyPairFilesOptions {
  /** Folder with `tls.crt` and `tls.key`, the names in a Secret of type kubernetes.io/tls. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Polls the files instead of watching them: the kubelet replaces a mounted Secret by changing a symbolic link above the
 * files, which file watches miss on some systems.
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
   * Returns the pair when it differs from the last loaded one. Logs an invalid pair instead of returning it: it may be
   * half written, or cert and key may come from different sides of a renewal.
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

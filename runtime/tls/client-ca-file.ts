import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { ClientCaSource } from './key-pair.ts';

const POLL_INTERVAL_MS = 10_000;

export interface ClientCaFileOptions {
  /** Path of a file with one or more certificates in PEM. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Loads the certificates of client authorities from a file, and reloads the file when it changes. */
export class ClientCaFile implements ClientCaSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  #loadedPem: string | undefined;
  #isFailing = false;

  constructor({ path, clock, log }: ClientCaFileOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log.with({ clientCa: path });
  }

  async load(): Promise<string> {
    const pem = await this.#read();
    this.#loadedPem = pem;
    return pem;
  }

  async watch(signal: AbortSignal, onChange: (pem: string) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#clock, POLL_INTERVAL_MS, signal);
      if (signal.aborted) return;
      const pem = await this.#reload();
      if (pem !== undefined) onChange(pem);
    }
  }

  /**
   * Returns the certificates if they have changed. If the new file is invalid, logs the error and returns `undefined`.
   */
  async #reload(): Promise<string | undefined> {
    const previous = this.#loadedPem;
    try {
      const pem = await this.load();
      this.#isFailing = false;
      if (pem === previous) return undefined;
      this.#log.info('loaded new client CA');
      return pem;
    } catch (error) {
      if (!this.#isFailing) this.#log.error('could not load client CA, still using the old one', error);
      this.#isFailing = true;
      return undefined;
    }
  }

  async #read(): Promise<string> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      throw new Error(`read ${this.#path}`, { cause: error });
    }
    return parseCertificates(text, this.#path);
  }
}

const PEM_CERTIFICATE_PATTERN = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Throws if the file has no certificate, because a TLS server without a configured CA would trust all public CAs. */
function parseCertificates(text: string, path: string): string {
  const certificates = text.match(PEM_CERTIFICATE_PATTERN) ?? [];
  if (certificates.length === 0) throw new Error(`${path} contains no PEM certificate`);
  for (const certificate of certificates) assertCertificate(certificate, path);
  return `${certificates.join('\n')}\n`;
}

function assertCertificate(pem: string, path: string): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new Error(`${path} contains a certificate that cannot be parsed`, { cause: error });
  }
}

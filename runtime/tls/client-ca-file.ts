/** The certificates of client authorities, in a file that another program may renew. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { ClientCaSource } from './key-pair.ts';

/** As often as key pairs are checked. */
const POLL_INTERVAL_MS = 10_000;

export interface ClientCaFileOptions {
  /** Certificates in PEM, one after the other. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Polls the file, as `KeyPairFiles` does and for the same reasons. */
export class ClientCaFile implements ClientCaSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  #loaded: string | undefined;
  #isFailing = false;

  constructor({ path, clock, log }: ClientCaFileOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log.with({ clientCa: path });
  }

  async load(): Promise<string> {
    const pem = await this.#read();
    this.#loaded = pem;
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

  /** Returns the certificates when they have changed. Logs invalid ones: the earlier authorities stay trusted. */
  async #reload(): Promise<string | undefined> {
    const before = this.#loaded;
    try {
      const pem = await this.load();
      this.#isFailing = false;
      if (pem === before) return undefined;
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

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Never empty: without its own CA, a TLS server trusts every public CA. */
function parseCertificates(text: string, path: string): string {
  const certificates = text.match(CERTIFICATE) ?? [];
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

/**
 * The Secret with the certificates that all replicas share. If several replicas write the Secret, one write succeeds,
 * and the other replicas read the Secret again.
 */
import type { Client } from '../client/client.ts';
import { core, type Secret } from '../kubernetes/core.ts';
import { formatKey } from '../kubernetes/resource.ts';
import {
  type CertificateSet,
  type DecodedCertificates,
  decodeCertificates,
  encodeCertificates,
  omitCertificates,
} from './certificate-set.ts';

const { secrets } = core.v1;

export interface StoredCertificates {
  readonly certificates: DecodedCertificates;
  /** The Secret, or `undefined` if it does not exist. */
  readonly secret: Secret | undefined;
}

export class CertificateSecret {
  readonly #client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly #objectKey: { readonly namespace: string; readonly name: string };

  constructor(
    client: Pick<Client, 'get' | 'create' | 'update'>,
    objectKey: { readonly namespace: string; readonly name: string },
  ) {
    this.#client = client;
    this.#objectKey = objectKey;
  }

  async read(
    requirements: { readonly hosts: readonly string[]; readonly now: Date },
    signal: AbortSignal,
  ): Promise<StoredCertificates> {
    const secret = await this.#withErrorContext('get', () => this.#client.get(secrets, this.#objectKey, { signal }));
    if (secret === undefined) return { secret, certificates: { kind: 'invalid', reason: 'the Secret does not exist' } };
    return { secret, certificates: decodeCertificates(secret.data ?? {}, requirements) };
  }

  /** Rejects with a conflict if another client has changed the Secret since it was read. */
  async store(certificates: CertificateSet, { secret }: StoredCertificates, signal: AbortSignal): Promise<void> {
    const data = encodeCertificates(certificates);
    if (secret === undefined) {
      const newSecret = { type: 'kubernetes.io/tls', metadata: this.#objectKey, data };
      await this.#withErrorContext('create', () => this.#client.create(secrets, newSecret, { signal }));
    } else {
      const updatedSecret = { ...secret, data: { ...omitCertificates(secret.data ?? {}), ...data } };
      await this.#withErrorContext('update', () => this.#client.update(secrets, updatedSecret, { signal }));
    }
  }

  async #withErrorContext<R>(verb: string, request: () => Promise<R>): Promise<R> {
    try {
      return await request();
    } catch (cause) {
      throw new Error(`${verb} Secret ${formatKey(this.#objectKey)}`, { cause });
    }
  }
}

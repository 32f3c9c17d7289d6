/** The Secret through which replicas agree: the first write wins, and the other replicas read it again. */
import type { Client } from '../client/client.ts';
import { core, type Secret } from '../kubernetes/core.ts';
import { formatKey } from '../kubernetes/resource.ts';
import { type CertificateSet, type DecodedSet, decodeSet, encodeSet, omitSet } from './certificate-set.ts';

const { secrets } = core.v1;

/** The result of one read of the Secret, and the state that a write builds on. */
export interface StoredCertificates {
  readonly set: DecodedSet;
  /** Absent when the Secret does not exist. */
  readonly secret: Secret | undefined;
}

export class CertificateSecret {
  readonly #client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly #key: { readonly namespace: string; readonly name: string };

  /** @param client Must read from the API server, not from a cache. */
  constructor(
    client: Pick<Client, 'get' | 'create' | 'update'>,
    key: { readonly namespace: string; readonly name: string },
  ) {
    this.#client = client;
    this.#key = key;
  }

  async read(
    expected: { readonly hosts: readonly string[]; readonly now: Date },
    signal: AbortSignal,
  ): Promise<StoredCertificates> {
    const secret = await this.#withRequestName('get', () => this.#client.get(secrets, this.#key, { signal }));
    if (secret === undefined) return { secret, set: { kind: 'invalid', reason: 'the Secret does not exist' } };
    return { secret, set: decodeSet(secret.data ?? {}, expected) };
  }

  /** Rejects with a conflict when another client has written since `found`. */
  async store(set: CertificateSet, { secret }: StoredCertificates, signal: AbortSignal): Promise<void> {
    const data = encodeSet(set);
    if (secret === undefined) {
      const newSecret = { type: 'kubernetes.io/tls', metadata: this.#key, data };
      await this.#withRequestName('create', () => this.#client.create(secrets, newSecret, { signal }));
    } else {
      const updatedSecret = { ...secret, data: { ...omitSet(secret.data ?? {}), ...data } };
      await this.#withRequestName('update', () => this.#client.update(secrets, updatedSecret, { signal }));
    }
  }

  async #withRequestName<R>(verb: string, request: () => Promise<R>): Promise<R> {
    try {
      return await request();
    } catch (cause) {
      throw new Error(`${verb} Secret ${formatKey(this.#key)}`, { cause });
    }
  }
}

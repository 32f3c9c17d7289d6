/** The Secret through which replicas agree: the first write wins, and the other replicas read it again. */
import type { Client } from '../client/client.ts';
import { core, type Secret } from '../kubernetes/core.ts';
import { formatKey } from '../kubernetes/resource.ts';
import { type CertificateSet, decodeSet, encodeSet, type FoundSet, withoutSet } from './certificate-set.ts';

const { secrets } = core.v1;

/** The result of one read of the Secret, and the state that a write builds on. */
export interface Found {
  readonly set: FoundSet;
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

  async read(wanted: { readonly hosts: readonly string[]; readonly now: Date }, signal: AbortSignal): Promise<Found> {
    const secret = await this.#named('get', () => this.#client.get(secrets, this.#key, { signal }));
    if (secret === undefined) return { secret, set: { kind: 'unsound', reason: 'there is no Secret' } };
    return { secret, set: decodeSet(secret.data ?? {}, wanted) };
  }

  /** Rejects with a conflict when another client has written since `found`. */
  async store(set: CertificateSet, { secret }: Found, signal: AbortSignal): Promise<void> {
    const data = encodeSet(set);
    if (secret === undefined) {
      const created = { type: 'kubernetes.io/tls', metadata: this.#key, data };
      await this.#named('create', () => this.#client.create(secrets, created, { signal }));
    } else {
      const updated = { ...secret, data: { ...withoutSet(secret.data ?? {}), ...data } };
      await this.#named('update', () => this.#client.update(secrets, updated, { signal }));
    }
  }

  async #named<R>(verb: string, request: () => Promise<R>): Promise<R> {
    try {
      return await request();
    } catch (cause) {
      throw new Error(`${verb} Secret ${formatKey(this.#key)}`, { cause });
    }
  }
}

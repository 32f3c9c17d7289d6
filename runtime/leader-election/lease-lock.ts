/**
 * The Lease as a lock: its holder, since when this process has observed that state, and the writes that acquire, renew
 * and release it.
 */
import type { Client } from '../client/client.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { Clock } from '../clock/clock.ts';
import { coordination, type Lease } from '../kubernetes/coordination.ts';
import type { Logger } from '../log/logger.ts';

const { leases } = coordination.v1;

interface LeaseLockOptions {
  /** Must read from the API server, not from a cache, over a transport that only the lease uses. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
}

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  /** The Lease as last read or written. */
  #lease: Lease | undefined;
  /** When, on the local clock, the content of {@link #lease} was first observed. */
  #observedAtMs = 0;
  #mayHold = false;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /**
   * Whether this process may be the holder: it has sent a write to become the holder, and nothing since has shown
   * otherwise.
   */
  get mayHold(): boolean {
    return this.#mayHold;
  }

  /**
   * Makes this process the holder if the rules allow it; returns the holder. A leader that finds another holder has
   * lost, and does not take the lease back. Throws the errors of the client.
   */
  async tryAcquireOrRenew(isLeading: boolean, signal: AbortSignal): Promise<string> {
    const { client, key, identity } = this.#options;
    if (isLeading && (await this.#renewWithoutRead(signal))) return identity;
    const lease = await client.get(leases, key, { signal });
    // An attempt that was aborted during its read must not write.
    signal.throwIfAborted();
    if (lease === undefined) return this.#create(signal);
    const holder = this.#observe(lease);
    if (holder === identity) return this.#write(lease, signal);
    this.#mayHold = false;
    if (isLeading || (holder !== '' && !this.#isExpired(lease))) return holder;
    return this.#write(lease, signal);
  }

  /**
   * A leader updates the version that it wrote last, which costs one request instead of two. Returns false when that
   * version is outdated.
   */
  async #renewWithoutRead(signal: AbortSignal): Promise<boolean> {
    if (this.#lease === undefined) return false;
    try {
      await this.#write(this.#lease, signal);
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /** Stores `lease` and since when it has this content. Returns its holder, or an empty text without a holder. */
  #observe(lease: Lease): string {
    const { clock, log, identity } = this.#options;
    const holder = getHolder(lease);
    const isChanged = JSON.stringify(lease.spec) !== JSON.stringify(this.#lease?.spec);
    if (isChanged) this.#observedAtMs = clock.monotonicMs();
    if (holder !== '' && holder !== identity && holder !== getHolder(this.#lease)) {
      log.info('another process leads', { holder });
    }
    this.#lease = lease;
    return holder;
  }

  /** Whether the holder's own lease duration has passed since the last observed change of the Lease. */
  #isExpired({ spec }: Lease): boolean {
    const { clock, leaseDurationMs } = this.#options;
    const seconds = spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? leaseDurationMs : seconds * 1000;
    return clock.monotonicMs() - this.#observedAtMs >= durationMs;
  }

  async #create(signal: AbortSignal): Promise<string> {
    const { client, key } = this.#options;
    const now = this.#now();
    const spec = { ...this.#holderFields(now), acquireTime: now, leaseTransitions: 0 };
    this.#mayHold = true;
    return this.#observe(await client.create(leases, { metadata: { ...key }, spec }, { signal }));
  }

  async #write(lease: Lease, signal: AbortSignal): Promise<string> {
    const { client, identity } = this.#options;
    const now = this.#now();
    const isHolder = getHolder(lease) === identity;
    const transitions = lease.spec?.leaseTransitions ?? 0;
    const spec = {
      ...lease.spec,
      ...this.#holderFields(now),
      acquireTime: isHolder ? (lease.spec?.acquireTime ?? now) : now,
      leaseTransitions: isHolder ? transitions : transitions + 1,
    };
    this.#mayHold = true;
    return this.#observe(await client.update(leases, { ...lease, spec }, { signal }));
  }

  #holderFields(now: string): NonNullable<Lease['spec']> {
    const { identity, leaseDurationMs } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000), renewTime: now };
  }

  /** `metav1.MicroTime`, which requires six digits. */
  #now(): string {
    return this.#options.clock.now().toISOString().replace('Z', '000Z');
  }

  /**
   * Releases the Lease if this process holds it, so that no other process has to wait for its expiry. Reads it first:
   * the last write may have been aborted after it arrived.
   */
  async release(signal: AbortSignal): Promise<void> {
    const { client, log, key, identity } = this.#options;
    const lease = await client.get(leases, key, { signal });
    signal.throwIfAborted();
    if (lease !== undefined && getHolder(lease) === identity) {
      const now = this.#now();
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
      await client.update(leases, { ...lease, spec }, { signal });
      log.info('released leadership', { identity });
    }
    this.#mayHold = false;
  }
}

function getHolder(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

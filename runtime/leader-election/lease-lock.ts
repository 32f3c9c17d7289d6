/** Acquires, renews and releases a Lease as a lock. */
import type { Client } from '../client/client.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { Clock } from '../clock/clock.ts';
import { coordination, type Lease } from '../kubernetes/coordination.ts';
import type { Logger } from '../log/logger.ts';

const { leases } = coordination.v1;

interface LeaseLockOptions {
  /** A client that reads from the API server, with a transport that only the lease uses. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
}

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  /** The last version of the Lease that this process read or wrote. */
  #lease: Lease | undefined;
  /** Time at which this process first observed the content of {@link #lease}, on the local clock. */
  #lastChangeMs = 0;
  #mayBeHolder = false;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Whether this process has tried to acquire the lease and has not observed another holder since. */
  get mayBeHolder(): boolean {
    return this.#mayBeHolder;
  }

  /**
   * Acquires or renews the lease if possible. Returns the holder. A leader that observes another holder does not
   * acquire the lease again. Throws if a request fails.
   */
  async tryAcquireOrRenew(isLeading: boolean, signal: AbortSignal): Promise<string> {
    const { client, key, identity } = this.#options;
    if (isLeading && (await this.#renewWithoutRead(signal))) return identity;
    const lease = await client.get(leases, key, { signal });
    // An attempt that was aborted during the read must not write.
    signal.throwIfAborted();
    if (lease === undefined) return this.#create(signal);
    const holder = this.#recordLease(lease);
    if (holder === identity) return this.#writeAsHolder(lease, signal);
    this.#mayBeHolder = false;
    if (isLeading || (holder !== '' && !this.#isExpired(lease))) return holder;
    return this.#writeAsHolder(lease, signal);
  }

  /** Renews the lease without a read. Returns false if the stored version of the Lease is outdated. */
  async #renewWithoutRead(signal: AbortSignal): Promise<boolean> {
    if (this.#lease === undefined) return false;
    try {
      await this.#writeAsHolder(this.#lease, signal);
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Stores the observed Lease and the time of its last change. Returns the holder of the Lease, or an empty string if
   * the Lease has no holder.
   */
  #recordLease(lease: Lease): string {
    const { clock, log, identity } = this.#options;
    const holder = getHolder(lease);
    const isChanged = JSON.stringify(lease.spec) !== JSON.stringify(this.#lease?.spec);
    if (isChanged) this.#lastChangeMs = clock.monotonicMs();
    if (holder !== '' && holder !== identity && holder !== getHolder(this.#lease)) {
      log.info('another process leads', { holder });
    }
    this.#lease = lease;
    return holder;
  }

  /** Whether the lease duration of the holder has passed since the last observed change. */
  #isExpired({ spec }: Lease): boolean {
    const { clock, leaseDurationMs } = this.#options;
    const seconds = spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? leaseDurationMs : seconds * 1000;
    return clock.monotonicMs() - this.#lastChangeMs >= durationMs;
  }

  async #create(signal: AbortSignal): Promise<string> {
    const { client, key } = this.#options;
    const now = this.#formatNow();
    const spec = { ...this.#createHolderFields(now), acquireTime: now, leaseTransitions: 0 };
    this.#mayBeHolder = true;
    return this.#recordLease(await client.create(leases, { metadata: { ...key }, spec }, { signal }));
  }

  async #writeAsHolder(lease: Lease, signal: AbortSignal): Promise<string> {
    const { client, identity } = this.#options;
    const now = this.#formatNow();
    const isHolder = getHolder(lease) === identity;
    const previousTransitions = lease.spec?.leaseTransitions ?? 0;
    const spec = {
      ...lease.spec,
      ...this.#createHolderFields(now),
      acquireTime: isHolder ? (lease.spec?.acquireTime ?? now) : now,
      leaseTransitions: isHolder ? previousTransitions : previousTransitions + 1,
    };
    this.#mayBeHolder = true;
    return this.#recordLease(await client.update(leases, { ...lease, spec }, { signal }));
  }

  #createHolderFields(now: string): NonNullable<Lease['spec']> {
    const { identity, leaseDurationMs } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000), renewTime: now };
  }

  /** Returns the time as `metav1.MicroTime`, which requires six fractional digits. */
  #formatNow(): string {
    return this.#options.clock.now().toISOString().replace('Z', '000Z');
  }

  /**
   * Releases the Lease if this process is its holder, so that other processes need not wait until the Lease expires.
   * Reads the Lease first, because the API server may have stored an aborted write.
   */
  async release(signal: AbortSignal): Promise<void> {
    const { client, log, key, identity } = this.#options;
    const lease = await client.get(leases, key, { signal });
    signal.throwIfAborted();
    if (lease !== undefined && getHolder(lease) === identity) {
      const now = this.#formatNow();
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
      await client.update(leases, { ...lease, spec }, { signal });
      log.info('released leadership', { identity });
    }
    this.#mayBeHolder = false;
  }
}

function getHolder(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

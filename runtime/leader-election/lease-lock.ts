/** The Lease as a lock: who holds it, since when it has looked like that, and the writes that take, keep and free it. */
import type { Client } from '../client/client.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { Clock } from '../clock/clock.ts';
import { coordination, type Lease } from '../kubernetes/coordination.ts';
import type { Logger } from '../log/logger.ts';

const { leases } = coordination.v1;

interface LeaseLockOptions {
  /** Must read from the API server, not from a cache, over a transport that nothing else uses. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
}

export class LeaseLock {
  readonly #client: LeaseLockOptions['client'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #key: LeaseLockOptions['key'];
  readonly #identity: string;
  readonly #leaseDurationMs: number;

  /** The Lease as it was last seen or written. */
  #lease: Lease | undefined;
  /** When, on our own clock, the content of {@link #lease} was first seen. */
  #observedAtMs = 0;
  #mayHold = false;

  constructor(options: LeaseLockOptions) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#key = options.key;
    this.#identity = options.identity;
    this.#leaseDurationMs = options.leaseDurationMs;
  }

  /** A write was sent that would make us the holder, and nothing since has shown that we are not. */
  get mayHold(): boolean {
    return this.#mayHold;
  }

  /**
   * Makes us the holder if the rules allow it; returns the holder. A leader that finds another holder has lost, and takes
   * nothing back. Throws what the client throws.
   */
  async takeOrRenew(isLeading: boolean, signal: AbortSignal): Promise<string> {
    if (isLeading && (await this.#renewUnread(signal))) return this.#identity;
    const lease = await this.#client.get(leases, this.#key, { signal });
    // An attempt that was given up while it read must not write any more.
    signal.throwIfAborted();
    if (lease === undefined) return this.#create(signal);
    const holder = this.#observe(lease);
    if (holder === this.#identity) return this.#write(lease, signal);
    this.#mayHold = false;
    if (isLeading || (holder !== '' && !this.#isExpired(lease))) return holder;
    return this.#write(lease, signal);
  }

  /** A leader writes on top of what it wrote last, which costs one request instead of two. False when that is outdated. */
  async #renewUnread(signal: AbortSignal): Promise<boolean> {
    if (this.#lease === undefined) return false;
    try {
      await this.#write(this.#lease, signal);
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /** Remembers `lease`, and since when it has looked like this. Returns its holder, empty when there is none. */
  #observe(lease: Lease): string {
    const holder = holderOf(lease);
    const isNews = JSON.stringify(lease.spec) !== JSON.stringify(this.#lease?.spec);
    if (isNews) this.#observedAtMs = this.#clock.monotonicMs();
    if (holder !== '' && holder !== this.#identity && holder !== holderOf(this.#lease)) {
      this.#log.info('another process leads', { holder });
    }
    this.#lease = lease;
    return holder;
  }

  /** Whether the holder's own promised duration has passed since we saw it change the Lease. */
  #isExpired({ spec }: Lease): boolean {
    const seconds = spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#leaseDurationMs : seconds * 1000;
    return this.#clock.monotonicMs() - this.#observedAtMs >= durationMs;
  }

  async #create(signal: AbortSignal): Promise<string> {
    const now = microTime(this.#clock.now());
    const spec = { ...this.#claim(now), acquireTime: now, leaseTransitions: 0 };
    this.#mayHold = true;
    const created = await this.#client.create(
      leases,
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...this.#key }, spec },
      { signal },
    );
    return this.#observe(created);
  }

  async #write(lease: Lease, signal: AbortSignal): Promise<string> {
    const now = microTime(this.#clock.now());
    const isOurs = holderOf(lease) === this.#identity;
    const transitions = lease.spec?.leaseTransitions ?? 0;
    const spec = {
      ...lease.spec,
      ...this.#claim(now),
      acquireTime: isOurs ? (lease.spec?.acquireTime ?? now) : now,
      leaseTransitions: isOurs ? transitions : transitions + 1,
    };
    this.#mayHold = true;
    return this.#observe(await this.#client.update(leases, { ...lease, spec }, { signal }));
  }

  #claim(now: string): NonNullable<Lease['spec']> {
    return {
      holderIdentity: this.#identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      renewTime: now,
    };
  }

  /**
   * Frees the Lease if it is ours, so that nobody has to wait for it to run out. Reads it first: the last write may have been
   * cut off after it arrived.
   */
  async giveBack(signal: AbortSignal): Promise<void> {
    const lease = await this.#client.get(leases, this.#key, { signal });
    signal.throwIfAborted();
    if (lease !== undefined && holderOf(lease) === this.#identity) {
      const now = microTime(this.#clock.now());
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
      await this.#client.update(leases, { ...lease, spec }, { signal });
      this.#log.info('released leadership', { identity: this.#identity });
    }
    this.#mayHold = false;
  }
}

function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

/** `metav1.MicroTime`, which wants six digits. */
function microTime(instant: Date): string {
  return instant.toISOString().replace('Z', '000Z');
}

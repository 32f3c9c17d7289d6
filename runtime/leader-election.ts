/**
 * One leader among several processes, by a coordination.k8s.io Lease, with client-go's rules.
 *
 * Only differences of the local clock count: times in the Lease come from other machines and are never compared with
 * ours. Like client-go's, this is no fence: a leader that was stopped by its machine for longer than the lease lasts may
 * act once more before it notices.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from './client/client.ts';
import { isAlreadyExists, isConflict, isNotFound } from './client/errors.ts';
import type { KubernetesObject, Resource } from './client/object.ts';
import { type Cancel, type Clock, sleep } from './clock/clock.ts';
import { withTimeout } from './clock/timeout.ts';
import type { Logger } from './log/logger.ts';

export interface LeaderElectionTimings {
  /** How long the others leave a lease alone after its last renewal. More than {@link renewDeadlineMs}. */
  readonly leaseDurationMs: number;
  /** A leader whose last successful renewal is older than this has lost. */
  readonly renewDeadlineMs: number;
  /** Wait between attempts; jitter makes it up to 2.2 times longer for those who do not lead. */
  readonly retryPeriodMs: number;
}

/** Those of client-go's core components and controller-runtime. */
const DEFAULT_TIMINGS: LeaderElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderElectionMetrics {
  setLeading(leading: boolean): void;
}

/** Measures nothing. */
const noLeaderElectionMetrics: LeaderElectionMetrics = { setLeading() {} };

/** The signal of the leader's work aborts with this when the lease is lost, and not because the process was told to stop. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** `stopped`: as asked, or the work ended by itself; the lease is free again. `lost`: somebody else leads, or soon will. */
export type LeadershipEnd = 'stopped' | 'lost';

export interface Lease extends KubernetesObject {
  readonly spec?: LeaseSpec;
}

interface LeaseSpec {
  /** Empty after a release. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with six digits, as {@link renewTime}. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

const LEASE: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

const JITTER_FACTOR = 1.2;
const RELEASE_ATTEMPTS = 3;

export interface LeaderElectorOptions {
  /** Must read from the API server, not from a cache. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Tells this process from all others. Default `<hostname>_<uuid>`. */
  readonly identity?: string;
  /** Default 15 s, 10 s and 2 s. */
  readonly timings?: LeaderElectionTimings;
  readonly metrics?: LeaderElectionMetrics;
  /** In [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** What one look at the Lease, and where that allows it one write, came to. */
type Attempt =
  | { readonly kind: 'held'; readonly sentAtMs: number }
  | { readonly kind: 'elsewhere'; readonly holder: string }
  | { readonly kind: 'failed' };

export class LeaderElector {
  readonly #client: LeaderElectorOptions['client'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #key: LeaderElectorOptions['lease'];
  readonly #identity: string;
  readonly #timings: LeaderElectionTimings;
  readonly #metrics: LeaderElectionMetrics;
  readonly #random: () => number;

  /** The Lease as it was last seen or written. */
  #lease: Lease | undefined;
  /** When, on our own clock, the content of {@link #lease} was first seen. */
  #observedAtMs = 0;
  #isLeading = false;
  /** A write was sent that would make us the holder, and nothing since has shown that we are not. */
  #mayHold = false;
  #isFailing = false;

  /** Throws when the timings contradict each other. */
  constructor(options: LeaderElectorOptions) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#key = options.lease;
    this.#identity = options.identity ?? newIdentity();
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#metrics = options.metrics ?? noLeaderElectionMetrics;
    this.#random = options.random ?? Math.random;
    this.#log = options.log.with({ lease: `${options.lease.namespace}/${options.lease.name}` });
    checkTimings(this.#timings);
  }

  /**
   * Waits until this process leads, then runs `lead` and keeps the lease while that runs. The signal given to `lead`
   * aborts when `signal` does or when the lease is lost. Only after `lead` has ended is the lease given back, so that no
   * other process starts before this one has stopped working; the promise resolves after that.
   *
   * Rejects only with what `lead` rejects with. When leadership was lost, `lead` should end at once: up to
   * `leaseDurationMs - renewDeadlineMs` after the signal another process may lead.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<LeadershipEnd> {
    const sentAtMs = await this.#acquire(signal);
    if (sentAtMs === undefined || signal.aborted) {
      await this.#release();
      return 'stopped';
    }
    const lost = new AbortController();
    const done = new AbortController();
    const renewing = this.#renew(sentAtMs, AbortSignal.any([done.signal, lost.signal]), (reason) =>
      this.#lose(lost, reason),
    );
    this.#setLeading(true);
    this.#log.info('became leader', { identity: this.#identity });
    try {
      await lead(AbortSignal.any([signal, lost.signal]));
    } finally {
      done.abort();
      await renewing;
      if (!lost.signal.aborted) {
        this.#setLeading(false);
        await this.#release();
      }
    }
    return lost.signal.aborted ? 'lost' : 'stopped';
  }

  /** When the write that made us leader was sent; `undefined` when `signal` aborted first. */
  async #acquire(signal: AbortSignal): Promise<number | undefined> {
    this.#log.info('waiting for leadership', { identity: this.#identity });
    while (!signal.aborted) {
      const attempt = await this.#attempt(signal);
      if (attempt.kind === 'held') return attempt.sentAtMs;
      const jitter = 1 + this.#random() * JITTER_FACTOR;
      await sleep(this.#clock, this.#timings.retryPeriodMs * jitter, signal);
    }
    return undefined;
  }

  /** Renews until `signal` aborts; calls `lose` when the lease is another's or could not be renewed in time. */
  async #renew(sentAtMs: number, signal: AbortSignal, lose: (reason: string) => void): Promise<void> {
    let cancelDeadline = this.#armDeadline(sentAtMs, lose);
    while (!signal.aborted) {
      await sleep(this.#clock, this.#timings.retryPeriodMs, signal);
      if (signal.aborted) break;
      const attempt = await this.#attempt(signal);
      if (signal.aborted) break;
      if (attempt.kind === 'held') {
        cancelDeadline();
        cancelDeadline = this.#armDeadline(attempt.sentAtMs, lose);
      }
      if (attempt.kind === 'elsewhere') lose(`the lease is held by "${attempt.holder}"`);
    }
    cancelDeadline();
  }

  /** The deadline counts from when the renewal was sent, which is before the server can have begun to count. */
  #armDeadline(sentAtMs: number, lose: (reason: string) => void): Cancel {
    const { renewDeadlineMs } = this.#timings;
    const leftMs = sentAtMs + renewDeadlineMs - this.#clock.monotonicMs();
    return this.#clock.schedule(leftMs, () => lose(`the lease was not renewed for ${renewDeadlineMs} ms`));
  }

  #lose(lost: AbortController, reason: string): void {
    if (lost.signal.aborted) return;
    const error = new LeadershipLostError(reason);
    this.#setLeading(false);
    this.#log.error('lost leadership', error, { identity: this.#identity });
    lost.abort(error);
  }

  #setLeading(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.#metrics.setLeading(isLeading);
  }

  /** Never rejects: what goes wrong is logged, and the next attempt may do better. */
  async #attempt(signal: AbortSignal): Promise<Attempt> {
    const sentAtMs = this.#clock.monotonicMs();
    try {
      const holder = await this.#inTime((limited) => this.#takeOrRenew(limited), signal);
      this.#isFailing = false;
      return holder === this.#identity ? { kind: 'held', sentAtMs } : { kind: 'elsewhere', holder };
    } catch (error) {
      if (!signal.aborted) this.#logFailure(error);
      return { kind: 'failed' };
    }
  }

  /** A process that cannot reach the API server tries every few seconds: the first failure is news, the rest are not. */
  #logFailure(error: unknown): void {
    if (isConflict(error) || isAlreadyExists(error)) {
      this.#log.debug('another process changed the lease first');
    } else if (this.#isFailing) {
      this.#log.debug('still cannot read or write the lease', { reason: String(error) });
    } else {
      this.#isFailing = true;
      this.#log.error('cannot read or write the lease', error);
    }
  }

  /** Makes us the holder if the rules allow it. Returns the holder. */
  async #takeOrRenew(signal: AbortSignal): Promise<string> {
    if (await this.#renewUnread(signal)) return this.#identity;
    const lease = await this.#client.get(LEASE, this.#key, { signal });
    // An attempt that was given up while it read must not write any more.
    signal.throwIfAborted();
    if (lease === undefined) return this.#create(signal);
    const holder = this.#observe(lease);
    if (holder === this.#identity) return this.#write(lease, signal);
    this.#mayHold = false;
    if (this.#isLeading || (holder !== '' && !this.#isExpired(lease))) return holder;
    return this.#write(lease, signal);
  }

  /** A leader writes on top of what it wrote last, which costs one request instead of two. False when that is outdated. */
  async #renewUnread(signal: AbortSignal): Promise<boolean> {
    if (!this.#isLeading || this.#lease === undefined) return false;
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
    const durationMs = seconds === undefined ? this.#timings.leaseDurationMs : seconds * 1000;
    return this.#clock.monotonicMs() - this.#observedAtMs >= durationMs;
  }

  async #create(signal: AbortSignal): Promise<string> {
    const now = microTime(this.#clock.now());
    const spec = { ...this.#claim(now), acquireTime: now, leaseTransitions: 0 };
    this.#mayHold = true;
    const created = await this.#client.create(
      LEASE,
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...this.#key }, spec },
      { signal, priority: 'urgent' },
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
    return this.#observe(await this.#client.update(LEASE, { ...lease, spec }, { signal, priority: 'urgent' }));
  }

  #claim(now: string): LeaseSpec {
    return {
      holderIdentity: this.#identity,
      leaseDurationSeconds: Math.ceil(this.#timings.leaseDurationMs / 1000),
      renewTime: now,
    };
  }

  /** Gives the lease back if it may be ours. Reads it first: the last write may have been cut off after it arrived. */
  async #release(): Promise<void> {
    if (!this.#mayHold) return;
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          await this.#inTime((limited) => this.#giveBack(limited));
          return;
        } catch (error) {
          if (!isConflict(error) || attempt === RELEASE_ATTEMPTS) throw error;
        }
      }
    } catch (error) {
      this.#log.error('cannot release the lease', error, { freeAfterMs: this.#timings.leaseDurationMs });
    }
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    const lease = await this.#client.get(LEASE, this.#key, { signal });
    signal.throwIfAborted();
    if (lease !== undefined && holderOf(lease) === this.#identity) {
      const now = microTime(this.#clock.now());
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
      await this.#client.update(LEASE, { ...lease, spec }, { signal, priority: 'urgent' });
      this.#log.info('released leadership', { identity: this.#identity });
    }
    this.#mayHold = false;
  }

  /** Half the renewal deadline for each request, so that one that is lost leaves time for another. */
  #inTime<R>(request: (signal: AbortSignal) => Promise<R>, signal?: AbortSignal): Promise<R> {
    const timeoutMs = this.#timings.renewDeadlineMs / 2;
    return withTimeout({ clock: this.#clock, timeoutMs, ...(signal && { signal }) }, request);
  }
}

/** `<hostname>_<uuid>`: readable, and new with each process. */
function newIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}

function checkTimings({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaderElectionTimings): void {
  if (!(retryPeriodMs > 0)) {
    throw new RangeError(`leader election: retryPeriodMs (${retryPeriodMs}) must be more than 0`);
  }
  if (!(renewDeadlineMs > retryPeriodMs * JITTER_FACTOR)) {
    throw new RangeError(
      `leader election: renewDeadlineMs (${renewDeadlineMs}) must be more than ${JITTER_FACTOR} times retryPeriodMs (${retryPeriodMs})`,
    );
  }
  if (!(leaseDurationMs > renewDeadlineMs)) {
    throw new RangeError(
      `leader election: leaseDurationMs (${leaseDurationMs}) must be more than renewDeadlineMs (${renewDeadlineMs})`,
    );
  }
}

function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

/** `metav1.MicroTime`, which wants six digits. */
function microTime(instant: Date): string {
  return instant.toISOString().replace('Z', '000Z');
}

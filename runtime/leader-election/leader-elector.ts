/**
 * Elects one leader among several processes through a coordination.k8s.io Lease, with client-go's rules.
 *
 * It uses only differences of the local clock: times in the Lease come from other machines and are never compared with
 * local times. Unlike client-go, it also fences writes: a leader that resumes after its lease has expired, because its
 * machine was suspended, sends no write, because each write calls {@link LeaderElector.throwIfStale} first.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '../client/client.ts';
import { isAlreadyExists, isConflict } from '../client/errors.ts';
import { suggestFix } from '../client/suggest-fix.ts';
import { type Cancel, type Clock, sleep } from '../clock/clock.ts';
import { withTimeout } from '../clock/timeout.ts';
import type { Logger } from '../log/logger.ts';
import { LeaseLock } from './lease-lock.ts';

export interface LeaderElectionTimings {
  /** How long other candidates wait after the last renewal of a lease. More than {@link renewDeadlineMs}. */
  readonly leaseDurationMs: number;
  /** A leader whose last successful renewal is older than this loses the lease. */
  readonly renewDeadlineMs: number;
  /** Time between attempts. Jitter extends it to at most 2.2 times this value for candidates that do not lead. */
  readonly retryPeriodMs: number;
}

/** The defaults of client-go's core components and controller-runtime. */
export const DEFAULT_TIMINGS: LeaderElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderElectionMetrics {
  setLeading(leading: boolean): void;
}

/** Reason with which the signal of the leader's work aborts when the lease is lost, as opposed to a normal stop. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/**
 * `stopped`: by request, or because the work ended; the lease is free again. `leadershipLoss`: another process leads, or soon
 * will.
 */
export type LeadershipEnd = 'stopped' | 'lost';

const JITTER_FACTOR = 1.2;
const RELEASE_ATTEMPTS = 3;

export interface LeaderElectorOptions {
  /** Must read from the API server, not from a cache, over a transport that only the lease uses. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Identifies this process. Default `<hostname>_<uuid>`: readable, and new with each process. */
  readonly identity?: string;
  /** Default 15 s, 10 s and 2 s. */
  readonly timings?: LeaderElectionTimings;
  readonly metrics?: LeaderElectionMetrics;
  /** Jitter, in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** The result of one read of the Lease and, if allowed, one write. */
type LeaseAttempt =
  | { readonly kind: 'held'; readonly sentAtMs: number }
  | { readonly kind: 'elsewhere'; readonly holder: string }
  | { readonly kind: 'failed' };

export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #identity: string;
  readonly #timings: LeaderElectionTimings;
  readonly #lock: LeaseLock;

  #isLeading = false;
  #isFailing = false;
  /** When the last renewal was sent; only while this process leads. */
  #lastRenewal: { readonly monotonicMs: number; readonly wallMs: number } | undefined;
  #leadershipLoss: LeadershipLostError | undefined;

  /** Throws when the timings contradict each other. */
  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#log = options.log.with({ lease: `${options.lease.namespace}/${options.lease.name}` });
    checkTimings(this.#timings);
    const { client, clock, lease: key } = options;
    const { leaseDurationMs } = this.#timings;
    this.#lock = new LeaseLock({ client, clock, log: this.#log, key, identity: this.#identity, leaseDurationMs });
  }

  /**
   * Waits until this process leads, then runs `lead` and renews the lease meanwhile. The signal of `lead` aborts when
   * `signal` aborts or when the lease is lost. The lease is released only after `lead` has ended, so that no other
   * process starts before this one has stopped working; then the promise resolves.
   *
   * Rejects only with the error of `lead`. After a loss of leadership, `lead` should end at once: another process may
   * lead `leaseDurationMs - renewDeadlineMs` after the signal.
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

  /**
   * Throws a {@link LeadershipLostError} when another process may lead now: the lease was lost, or not renewed in time.
   * It checks the wall clock too, because the steady clock may stand still while the machine sleeps. Never throws
   * before this process has led.
   */
  throwIfStale(): void {
    if (this.#leadershipLoss) throw this.#leadershipLoss;
    if (this.#lastRenewal === undefined) return;
    const { leaseDurationMs, renewDeadlineMs } = this.#timings;
    const isLate = this.#clock.monotonicMs() - this.#lastRenewal.monotonicMs >= renewDeadlineMs;
    const hasSlept = this.#clock.now().getTime() - this.#lastRenewal.wallMs >= leaseDurationMs;
    if (isLate || hasSlept)
      throw new LeadershipLostError('the lease was not renewed in time, so this process must not write');
  }

  /** Returns when the write that made this process the leader was sent, or `undefined` when `signal` aborted first. */
  async #acquire(signal: AbortSignal): Promise<number | undefined> {
    const { random = Math.random } = this.#options;
    this.#log.info('waiting for leadership', { identity: this.#identity });
    while (!signal.aborted) {
      const attempt = await this.#attempt(signal);
      if (attempt.kind === 'held') return attempt.sentAtMs;
      const jitter = 1 + random() * JITTER_FACTOR;
      await sleep(this.#clock, this.#timings.retryPeriodMs * jitter, signal);
    }
    return undefined;
  }

  /**
   * Renews until `signal` aborts; calls `lose` when another process holds the lease or a renewal was not possible in
   * time.
   */
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

  /** The deadline counts from when the renewal was sent, because the server starts to count later. */
  #armDeadline(sentAtMs: number, lose: (reason: string) => void): Cancel {
    const { renewDeadlineMs } = this.#timings;
    const leftMs = sentAtMs + renewDeadlineMs - this.#clock.monotonicMs();
    return this.#clock.schedule(leftMs, () => lose(`the lease was not renewed for ${renewDeadlineMs} ms`));
  }

  #lose(lost: AbortController, reason: string): void {
    if (lost.signal.aborted) return;
    const error = new LeadershipLostError(reason);
    this.#setLeading(false);
    this.#leadershipLoss = error;
    this.#log.error('lost leadership', error, { identity: this.#identity });
    lost.abort(error);
  }

  #setLeading(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.#options.metrics?.setLeading(isLeading);
  }

  /** Never rejects: it logs errors, and the next attempt may succeed. */
  async #attempt(signal: AbortSignal): Promise<LeaseAttempt> {
    const sentAtMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.now().getTime();
    try {
      const holder = await this.#withRequestTimeout(
        (requestSignal) => this.#lock.tryAcquireOrRenew(this.#isLeading, requestSignal),
        signal,
      );
      this.#isFailing = false;
      if (holder !== this.#identity) return { kind: 'elsewhere', holder };
      this.#lastRenewal = { monotonicMs: sentAtMs, wallMs };
      return { kind: 'held', sentAtMs };
    } catch (error) {
      if (!signal.aborted) this.#logFailure(error);
      return { kind: 'failed' };
    }
  }

  /**
   * A process that cannot reach the API server retries every few seconds, so only the first failure is logged
   * prominently.
   */
  #logFailure(error: unknown): void {
    if (isConflict(error) || isAlreadyExists(error)) {
      this.#log.debug('another process changed the lease first');
    } else if (this.#isFailing) {
      this.#log.debug('could not read or write the lease again', { reason: String(error) });
    } else {
      this.#isFailing = true;
      this.#log.error('could not read or write the lease, will retry', error, { fix: suggestFix(error) });
    }
  }

  /**
   * Releases the lease if this process may hold it. Reads it first: the last write may have been aborted after it
   * arrived.
   */
  async #release(): Promise<void> {
    if (!this.#lock.mayHold) return;
    try {
      await this.#withRequestTimeout((requestSignal) => this.#releaseWithRetries(requestSignal));
    } catch (error) {
      this.#log.error('could not release the lease', error, { freeAfterMs: this.#timings.leaseDurationMs });
    }
  }

  async #releaseWithRetries(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#lock.release(signal);
      } catch (error) {
        if (!isConflict(error) || attempt === RELEASE_ATTEMPTS) throw error;
      }
    }
  }

  /** Each request gets half the renewal deadline, so that a lost request leaves time for another. */
  #withRequestTimeout<R>(request: (signal: AbortSignal) => Promise<R>, signal?: AbortSignal): Promise<R> {
    const timeoutMs = requestTimeoutMs(this.#timings);
    return withTimeout({ clock: this.#clock, timeoutMs, ...(signal && { signal }) }, request);
  }
}

/**
 * Timeout of each read of the lease with the write after it, and of the release with all its attempts, in milliseconds.
 */
export function requestTimeoutMs({ renewDeadlineMs }: LeaderElectionTimings): number {
  return renewDeadlineMs / 2;
}

/** Throws a RangeError for timings that contradict each other. */
export function checkTimings(timings: LeaderElectionTimings): void {
  const fault = findTimingFault(timings, (name) => `${name} (${timings[name]})`);
  if (fault !== undefined) throw new RangeError(`leader election: ${fault}`);
}

/**
 * Returns an error message for inconsistent timings, else `undefined`.
 * @param formatName Formats a timing's name for the user who set it.
 */
export function findTimingFault(
  { leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaderElectionTimings,
  formatName: (name: keyof LeaderElectionTimings) => string,
): string | undefined {
  if (!(retryPeriodMs > 0)) return `${formatName('retryPeriodMs')} must be more than 0`;
  if (!(renewDeadlineMs > retryPeriodMs * JITTER_FACTOR)) {
    return `${formatName('renewDeadlineMs')} must be more than ${JITTER_FACTOR} times ${formatName('retryPeriodMs')}`;
  }
  if (!(leaseDurationMs > renewDeadlineMs)) {
    return `${formatName('leaseDurationMs')} must be more than ${formatName('renewDeadlineMs')}`;
  }
  return undefined;
}

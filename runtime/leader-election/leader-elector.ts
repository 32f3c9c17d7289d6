/**
 * Elects one leader among several processes with a coordination.k8s.io Lease, as client-go does.
 *
 * The elector never compares times in the Lease with local times, because times in the Lease come from other machines.
 * Unlike client-go, the elector also prevents writes after the lease has expired, for example while the machine was
 * suspended. Each write first calls {@link LeaderElector.throwIfLeaseExpired}.
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
  /**
   * Time from the last renewal until other candidates may acquire the lease. Must be more than {@link renewDeadlineMs}.
   */
  readonly leaseDurationMs: number;
  /** Time from the last renewal until the leader loses the lease. */
  readonly renewDeadlineMs: number;
  /**
   * Interval between attempts. A process that is not the leader waits for a random time between one and 2.2 intervals.
   */
  readonly retryPeriodMs: number;
}

export const DEFAULT_TIMINGS: LeaderElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderElectionMetrics {
  setLeading(isLeading: boolean): void;
}

/** The abort reason of the leader's signal after the leader has lost the lease. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** `stopped`: this process has released the lease. `lost`: another process is or may become the leader. */
export type LeadershipOutcome = 'stopped' | 'lost';

const JITTER_FACTOR = 1.2;
const MAX_RELEASE_ATTEMPTS = 3;

export interface LeaderElectorOptions {
  /** A client that reads from the API server, with a transport that only the lease uses. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Identity of this process. Default `<hostname>_<uuid>`, which is unique to each process. */
  readonly identity?: string;
  /** Default: {@link DEFAULT_TIMINGS}. */
  readonly timings?: LeaderElectionTimings;
  readonly metrics?: LeaderElectionMetrics;
  /** Returns a random number in [0, 1) for the jitter. Default `Math.random`. */
  readonly random?: () => number;
}

/** The result of one attempt to acquire or renew the lease. */
type LeaseAttempt =
  | { readonly kind: 'held'; readonly sendTimeMs: number }
  | { readonly kind: 'heldByOther'; readonly holder: string }
  | { readonly kind: 'failed' };

export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #identity: string;
  readonly #timings: LeaderElectionTimings;
  readonly #lock: LeaseLock;

  #isLeading = false;
  #hasFailed = false;
  /** Time at which the last renewal was sent. */
  #lastRenewal: { readonly monotonicMs: number; readonly wallClockMs: number } | undefined;
  #leadershipLoss: LeadershipLostError | undefined;

  /** Throws if the timings are inconsistent. */
  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#log = options.log.with({ lease: `${options.lease.namespace}/${options.lease.name}` });
    throwIfInvalidTimings(this.#timings);
    const { client, clock, lease: key } = options;
    const { leaseDurationMs } = this.#timings;
    this.#lock = new LeaseLock({ client, clock, log: this.#log, key, identity: this.#identity, leaseDurationMs });
  }

  /**
   * Waits until this process is the leader. Then calls `runAsLeader`, and renews the lease until the promise of
   * `runAsLeader` settles. The signal of `runAsLeader` aborts when `signal` aborts or when this process has lost the
   * lease. After the promise of `runAsLeader` has settled, releases the lease.
   *
   * Rejects only with the error of `runAsLeader`. After a loss of the lease, `runAsLeader` must stop immediately,
   * because another process may become the leader `leaseDurationMs - renewDeadlineMs` after the signal.
   */
  async run(signal: AbortSignal, runAsLeader: (signal: AbortSignal) => Promise<void>): Promise<LeadershipOutcome> {
    const sendTimeMs = await this.#acquire(signal);
    if (sendTimeMs === undefined || signal.aborted) {
      await this.#release();
      return 'stopped';
    }
    const lossController = new AbortController();
    const stopController = new AbortController();
    const renewal = this.#renew(sendTimeMs, AbortSignal.any([stopController.signal, lossController.signal]), (reason) =>
      this.#recordLoss(lossController, reason),
    );
    this.#setLeading(true);
    this.#log.info('became leader', { identity: this.#identity });
    try {
      await runAsLeader(AbortSignal.any([signal, lossController.signal]));
    } finally {
      stopController.abort();
      await renewal;
      if (!lossController.signal.aborted) {
        this.#setLeading(false);
        await this.#release();
      }
    }
    return lossController.signal.aborted ? 'lost' : 'stopped';
  }

  /**
   * Throws a {@link LeadershipLostError} if another process may be the leader, because this process has lost the lease
   * or has not renewed the lease in time. Compares the wall clock too, because the monotonic clock may stop while the
   * machine sleeps. Does nothing if this process has never been the leader.
   */
  throwIfLeaseExpired(): void {
    if (this.#leadershipLoss) throw this.#leadershipLoss;
    if (this.#lastRenewal === undefined) return;
    const { leaseDurationMs, renewDeadlineMs } = this.#timings;
    const isExpiredOnMonotonicClock = this.#clock.monotonicMs() - this.#lastRenewal.monotonicMs >= renewDeadlineMs;
    const isExpiredOnWallClock = this.#clock.now().getTime() - this.#lastRenewal.wallClockMs >= leaseDurationMs;
    if (isExpiredOnMonotonicClock || isExpiredOnWallClock)
      throw new LeadershipLostError('the lease was not renewed in time, so this process must not write');
  }

  /** Acquires the lease. Returns the time at which the successful write was sent, or `undefined` if `signal` aborts first. */
  async #acquire(signal: AbortSignal): Promise<number | undefined> {
    const { random = Math.random } = this.#options;
    this.#log.info('waiting for leadership', { identity: this.#identity });
    while (!signal.aborted) {
      const attempt = await this.#tryAcquireOrRenew(signal);
      if (attempt.kind === 'held') return attempt.sendTimeMs;
      const jitter = 1 + random() * JITTER_FACTOR;
      await sleep(this.#clock, this.#timings.retryPeriodMs * jitter, signal);
    }
    return undefined;
  }

  /** Renews the lease until `signal` aborts. Calls `onLoss` when this process loses the lease. */
  async #renew(sendTimeMs: number, signal: AbortSignal, onLoss: (reason: string) => void): Promise<void> {
    let cancelDeadline = this.#scheduleDeadline(sendTimeMs, onLoss);
    while (!signal.aborted) {
      await sleep(this.#clock, this.#timings.retryPeriodMs, signal);
      if (signal.aborted) break;
      const attempt = await this.#tryAcquireOrRenew(signal);
      if (signal.aborted) break;
      if (attempt.kind === 'held') {
        cancelDeadline();
        cancelDeadline = this.#scheduleDeadline(attempt.sendTimeMs, onLoss);
      }
      if (attempt.kind === 'heldByOther') onLoss(`the lease is held by "${attempt.holder}"`);
    }
    cancelDeadline();
  }

  /**
   * The deadline counts from the time when the renewal was sent, because other candidates observe the renewal only
   * later.
   */
  #scheduleDeadline(sendTimeMs: number, onLoss: (reason: string) => void): Cancel {
    const { renewDeadlineMs } = this.#timings;
    const remainingMs = sendTimeMs + renewDeadlineMs - this.#clock.monotonicMs();
    return this.#clock.schedule(remainingMs, () => onLoss(`the lease was not renewed for ${renewDeadlineMs} ms`));
  }

  #recordLoss(lossController: AbortController, reason: string): void {
    if (lossController.signal.aborted) return;
    const error = new LeadershipLostError(reason);
    this.#setLeading(false);
    this.#leadershipLoss = error;
    this.#log.error('lost leadership', error, { identity: this.#identity });
    lossController.abort(error);
  }

  #setLeading(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.#options.metrics?.setLeading(isLeading);
  }

  /** Logs errors instead of throwing them, because the next attempt may succeed. */
  async #tryAcquireOrRenew(signal: AbortSignal): Promise<LeaseAttempt> {
    const sendTimeMs = this.#clock.monotonicMs();
    const wallClockMs = this.#clock.now().getTime();
    try {
      const holder = await this.#withRequestTimeout(
        (requestSignal) => this.#lock.tryAcquireOrRenew(this.#isLeading, requestSignal),
        signal,
      );
      this.#hasFailed = false;
      if (holder !== this.#identity) return { kind: 'heldByOther', holder };
      this.#lastRenewal = { monotonicMs: sendTimeMs, wallClockMs };
      return { kind: 'held', sendTimeMs };
    } catch (error) {
      if (!signal.aborted) this.#logFailure(error);
      return { kind: 'failed' };
    }
  }

  /** Logs repeated failures at debug level, because the next attempt follows within seconds. */
  #logFailure(error: unknown): void {
    if (isConflict(error) || isAlreadyExists(error)) {
      this.#log.debug('another process changed the lease first');
    } else if (this.#hasFailed) {
      this.#log.debug('could not read or write the lease again', { reason: String(error) });
    } else {
      this.#hasFailed = true;
      this.#log.error('could not read or write the lease, will retry', error, { fix: suggestFix(error) });
    }
  }

  /** Releases the lease if this process may be its holder. */
  async #release(): Promise<void> {
    if (!this.#lock.mayBeHolder) return;
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
        if (!isConflict(error) || attempt === MAX_RELEASE_ATTEMPTS) throw error;
      }
    }
  }

  /** The timeout is half the renew deadline, so that a second attempt is possible before the deadline. */
  #withRequestTimeout<R>(request: (signal: AbortSignal) => Promise<R>, signal?: AbortSignal): Promise<R> {
    const timeoutMs = computeRequestTimeoutMs(this.#timings);
    return withTimeout({ clock: this.#clock, timeoutMs, ...(signal && { signal }) }, request);
  }
}

/** Returns the timeout for each attempt to acquire, renew or release the lease, in milliseconds. */
export function computeRequestTimeoutMs({ renewDeadlineMs }: LeaderElectionTimings): number {
  return renewDeadlineMs / 2;
}

/** Throws a RangeError for inconsistent timings. */
export function throwIfInvalidTimings(timings: LeaderElectionTimings): void {
  const problem = validateTimings(timings, (name) => `${name} (${timings[name]})`);
  if (problem !== undefined) throw new RangeError(`leader election: ${problem}`);
}

/**
 * Returns an error message for inconsistent timings, or `undefined` for valid timings.
 * @param formatName Returns the name under which the user sets a timing, such as the name of a flag.
 */
export function validateTimings(
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

/** Delays and failures of calls and watch events, and how bad the network currently is. */
import { ApiError } from '../../runtime/client/errors.ts';
import { MISHAPS, type Mishap } from './limits.ts';
import type { Random } from './random.ts';

/** Probabilities for each call, or each event. */
export interface Weather {
  /** The call fails. It may have been executed nevertheless. */
  readonly fault: number;
  /** The process dies during the call. */
  readonly crash: number;
  /** The call takes seconds. */
  readonly slow: number;
  /** The watch event comes seconds late, with all events after it. */
  readonly late: number;
  /** Other CronJobs come first for a while, so that a status must wait. */
  readonly crowded: number;
}

export const FAIR: Weather = { fault: 0, crash: 0.0007, slow: 0.0005, late: 0.0005, crowded: 0.03 };

/** The fate of one call. */
export interface Fate {
  /** Time until the server has it. */
  readonly requestMs: number;
  /** Time from then until the caller has the response. */
  readonly answerMs: number;
  /** Whether the call changes something on the server. Only relevant when the caller does not get the response. */
  readonly isCarriedOut: boolean;
  readonly kind:
    | 'Answered'
    /** The caller gets `error`. */
    | 'Failed'
    /** The process dies when it sends the call. */
    | 'CrashBefore'
    /** The process dies when the server has executed the call. */
    | 'CrashAfter';
  readonly error?: Error;
}

/** There was no response. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

export class Network {
  weather: Weather = FAIR;
  /** Time of the last fault or delay, on the monotonic clock. In the future while a call waits for a late response. */
  lastTroubleMs = Number.NEGATIVE_INFINITY;
  /** By key of the CronJob, so that the fate of one does not depend on which others exist. */
  readonly #randomOf: (key: string) => Random;
  readonly #monotonicMs: () => number;
  readonly #mishaps: readonly Mishap[];
  #cutUntilMs = Number.NEGATIVE_INFINITY;

  constructor(random: Random, monotonicMs: () => number, mishaps: readonly Mishap[] = MISHAPS) {
    this.#randomOf = random.byName();
    this.#monotonicMs = monotonicMs;
    this.#mishaps = mishaps;
  }

  /** Cuts the connection for this time: calls fail, and watch events come afterwards. */
  cut(durationMs: number): void {
    this.noteTrouble(durationMs);
    this.#cutUntilMs = this.#monotonicMs() + durationMs;
  }

  /** Draws the fate of a call for the CronJob of that key that is sent now. */
  fateOfCall(key: string): Fate {
    const random = this.#randomOf(key);
    const { fault, slow } = this.weather;
    const crash = this.#mishaps.includes('crashes') ? this.weather.crash : 0;
    const times = { requestMs: random.spread(0.5, 30), answerMs: random.spread(0.5, 30) };
    const isCarriedOut = random.chance(0.5);
    const usual: Fate = { ...times, isCarriedOut, kind: 'Answered' };
    if (this.#monotonicMs() < this.#cutUntilMs) return this.#trouble(this.#unanswered(usual, random));
    if (random.chance(crash)) {
      return this.#trouble({ ...usual, kind: random.chance(0.4) ? 'CrashBefore' : 'CrashAfter' });
    }
    if (random.chance(fault)) return this.#trouble(this.#failed(usual, random));
    if (!random.chance(slow)) return usual;
    return this.#trouble({ ...usual, requestMs: random.spread(30, 15_000), answerMs: random.spread(30, 15_000) });
  }

  /** Draws how long other CronJobs come first, in milliseconds. Usually 0. */
  crowdMs(key: string): number {
    const random = this.#randomOf(key);
    const crowded = this.#mishaps.includes('crowds') ? this.weather.crowded : 0;
    return random.chance(crowded) ? random.spread(1, 30_000) : 0;
  }

  /** Draws the delay of a watch event of an object of that key, in milliseconds. */
  lagMs(key: string): number {
    const random = this.#randomOf(key);
    const cutMs = Math.max(0, this.#cutUntilMs - this.#monotonicMs());
    if (cutMs > 0) return cutMs + random.spread(0.5, 200);
    if (!random.chance(this.weather.late)) return random.spread(0.5, 200);
    this.noteTrouble();
    return random.spread(400, 60_000);
  }

  /** @param durationMs Duration from now on. */
  noteTrouble(durationMs = 0): void {
    this.lastTroubleMs = Math.max(this.lastTroubleMs, this.#monotonicMs() + durationMs);
  }

  #unanswered(usual: Fate, random: Random): Fate {
    const answerMs = random.chance(0.2) ? random.spread(1000, 30_000) : usual.answerMs;
    return { ...usual, kind: 'Failed', isCarriedOut: false, answerMs, error: new TimeoutError('no way to the server') };
  }

  #failed(usual: Fate, random: Random): Fate {
    switch (random.int(0, 3)) {
      case 0: {
        const retryAfterMs = random.chance(0.5) ? random.int(1, 7) * 1000 : undefined;
        const error = new ApiError(429, { reason: 'TooManyRequests' }, retryAfterMs);
        return { ...usual, kind: 'Failed', isCarriedOut: false, error };
      }
      case 1: {
        const answerMs = random.spread(1000, 30_000);
        return { ...usual, kind: 'Failed', answerMs, error: new TimeoutError('request timed out') };
      }
      default:
        return { ...usual, kind: 'Failed', error: new ApiError(random.pick([500, 503, 504]), {}) };
    }
  }

  /** A call without a response blocks its pass, and occupies a seat. */
  #trouble(fate: Fate): Fate {
    this.noteTrouble(fate.requestMs + fate.answerMs);
    return fate;
  }
}

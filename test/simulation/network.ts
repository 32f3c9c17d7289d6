/** Delays and failures of calls and watch events, and how bad the network currently is. */
import { ApiError } from '../../runtime/client/errors.ts';
import { FAULT_KINDS, type FaultKind } from './limits.ts';
import type { Random } from './random.ts';

/** Probabilities for each call, or each event. */
export interface NetworkConditions {
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

export const NORMAL_CONDITIONS: NetworkConditions = {
  fault: 0,
  crash: 0.0007,
  slow: 0.0005,
  late: 0.0005,
  crowded: 0.03,
};

/** The outcome of one call. */
export interface CallFate {
  /** Time until the server has it. */
  readonly requestMs: number;
  /** Time from then until the caller has the response. */
  readonly answerMs: number;
  /** Whether the call changes something on the server. Only relevant when the caller does not get the response. */
  readonly isExecuted: boolean;
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

export class SimulatedNetwork {
  conditions: NetworkConditions = NORMAL_CONDITIONS;
  /** Time of the last fault or delay, on the monotonic clock. In the future while a call waits for a late response. */
  lastTroubleMs = Number.NEGATIVE_INFINITY;
  /** By key of the CronJob, so that the calls of one CronJob do not depend on which others exist. */
  readonly #getRandom: (key: string) => Random;
  readonly #monotonicMs: () => number;
  readonly #faultKinds: readonly FaultKind[];
  #cutUntilMs = Number.NEGATIVE_INFINITY;

  constructor(random: Random, monotonicMs: () => number, faultKinds: readonly FaultKind[] = FAULT_KINDS) {
    this.#getRandom = random.byName();
    this.#monotonicMs = monotonicMs;
    this.#faultKinds = faultKinds;
  }

  /** Cuts the connection for this time: calls fail, and watch events come afterwards. */
  cut(durationMs: number): void {
    this.noteFault(durationMs);
    this.#cutUntilMs = this.#monotonicMs() + durationMs;
  }

  /** Draws the outcome of a call for the CronJob of that key that is sent now. */
  drawFate(key: string): CallFate {
    const random = this.#getRandom(key);
    const { fault, slow } = this.conditions;
    const crash = this.#faultKinds.includes('crashes') ? this.conditions.crash : 0;
    const times = { requestMs: random.spread(0.5, 30), answerMs: random.spread(0.5, 30) };
    const isExecuted = random.chance(0.5);
    const normal: CallFate = { ...times, isExecuted, kind: 'Answered' };
    if (this.#monotonicMs() < this.#cutUntilMs) return this.#noteFaultyCall(this.#withoutResponse(normal, random));
    if (random.chance(crash)) {
      return this.#noteFaultyCall({ ...normal, kind: random.chance(0.4) ? 'CrashBefore' : 'CrashAfter' });
    }
    if (random.chance(fault)) return this.#noteFaultyCall(this.#withError(normal, random));
    if (!random.chance(slow)) return normal;
    return this.#noteFaultyCall({
      ...normal,
      requestMs: random.spread(30, 15_000),
      answerMs: random.spread(30, 15_000),
    });
  }

  /** Draws how long other CronJobs come first, in milliseconds. Usually 0. */
  drawCrowdMs(key: string): number {
    const random = this.#getRandom(key);
    const crowded = this.#faultKinds.includes('crowds') ? this.conditions.crowded : 0;
    return random.chance(crowded) ? random.spread(1, 30_000) : 0;
  }

  /** Draws the delay of a watch event of an object of that key, in milliseconds. */
  drawLagMs(key: string): number {
    const random = this.#getRandom(key);
    const cutMs = Math.max(0, this.#cutUntilMs - this.#monotonicMs());
    if (cutMs > 0) return cutMs + random.spread(0.5, 200);
    if (!random.chance(this.conditions.late)) return random.spread(0.5, 200);
    this.noteFault();
    return random.spread(400, 60_000);
  }

  /** @param durationMs Duration from now on. */
  noteFault(durationMs = 0): void {
    this.lastTroubleMs = Math.max(this.lastTroubleMs, this.#monotonicMs() + durationMs);
  }

  #withoutResponse(normal: CallFate, random: Random): CallFate {
    const answerMs = random.chance(0.2) ? random.spread(1000, 30_000) : normal.answerMs;
    return {
      ...normal,
      kind: 'Failed',
      isExecuted: false,
      answerMs,
      error: new TimeoutError('no connection to the server'),
    };
  }

  #withError(normal: CallFate, random: Random): CallFate {
    switch (random.int(0, 3)) {
      case 0: {
        const retryAfterMs = random.chance(0.5) ? random.int(1, 7) * 1000 : undefined;
        const error = new ApiError(429, { reason: 'TooManyRequests' }, retryAfterMs);
        return { ...normal, kind: 'Failed', isExecuted: false, error };
      }
      case 1: {
        const answerMs = random.spread(1000, 30_000);
        return { ...normal, kind: 'Failed', answerMs, error: new TimeoutError('request timed out') };
      }
      default:
        return { ...normal, kind: 'Failed', error: new ApiError(random.pick([500, 503, 504]), {}) };
    }
  }

  /** A call without a response blocks its reconcile, and occupies a seat. */
  #noteFaultyCall(fate: CallFate): CallFate {
    this.noteFault(fate.requestMs + fate.answerMs);
    return fate;
  }
}

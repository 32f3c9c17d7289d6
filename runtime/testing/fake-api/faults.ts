/** What can be made to go wrong, and a queue of it. */
import { type ApiCall, type CallMatch, matches } from './api-request.ts';

/** Strikes before, or instead of, the answer. */
export type AnswerFault =
  /** The socket is reset when the request has arrived. */
  | { readonly kind: 'drop' }
  /** Half of the answer, then the socket is reset. Not for watches. */
  | { readonly kind: 'cutAnswer' }
  /**
   * Answers with this HTTP status and a `metav1.Status`: 409, 410, 429, 500, 503. Default reason the one that the API server gives
   * with it: `Conflict`, `Expired`, `TooManyRequests`.
   */
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Answers with this text, as proxies do. Default header `content-type: text/plain`. */
  | {
      readonly kind: 'text';
      readonly code: number;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never answers. The connection stays open until the client gives up or the server is closed. */
  | { readonly kind: 'hang' }
  /** Handles the request only when this time has passed on the server's clock. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Handles the request only when `until` has resolved. */
  | { readonly kind: 'hold'; readonly until: Promise<void> };

/**
 * Strikes an open watch. `afterEvents` counts changes sent on this watch (initial events and bookmarks are not counted);
 * 0, the default, is at once when the watch has opened.
 */
export interface LiveWatchFault {
  /**
   * - `close` ends the answer properly, as the server does after `timeoutSeconds`; `reset` breaks the connection.
   * - `expire` sends an ERROR event with 410 Expired, `fail` one with 500; then a proper end.
   * - `halfLine` sends half a line of the next event, then a proper end.
   * - `garbage` sends a line that is not JSON in place of the next event; the watch goes on after it.
   * - `silence` sends nothing any more, bookmarks neither; the connection stays open.
   */
  readonly kind: 'close' | 'reset' | 'expire' | 'fail' | 'halfLine' | 'garbage' | 'silence';
  readonly afterEvents?: number;
}

/** Strikes a watch while it tells what there is. */
export type InitialEventsFault =
  /** Ends the answer after so many of the initial events, before the bookmark that closes them. */
  | { readonly kind: 'breakInitialEvents'; readonly afterEvents: number }
  /** The bookmark that closes the initial events comes only when `until` has resolved; changes meanwhile go before it. */
  | { readonly kind: 'lateInitialEnd'; readonly until: Promise<void> };

/** Strikes a watch. */
export type WatchFault = LiveWatchFault | InitialEventsFault;
/** What a request can meet. Those of watches are for `{ verb: 'watch' }`. */
export type Fault = AnswerFault | WatchFault;

const ANSWER_FAULTS: readonly string[] = [
  'drop',
  'cutAnswer',
  'error',
  'text',
  'hang',
  'delay',
  'hold',
] satisfies AnswerFault['kind'][];

export function isAnswerFault(fault: Fault): fault is AnswerFault {
  return ANSWER_FAULTS.includes(fault.kind);
}

export class FaultQueue {
  readonly #queued: { readonly match: CallMatch; readonly fault: Fault; times: number }[] = [];

  get length(): number {
    return this.#queued.reduce((sum, { times }) => sum + times, 0);
  }

  add(match: CallMatch, fault: Fault, times: number): void {
    if (!isAnswerFault(fault) && match.verb !== 'watch') {
      throw new TypeError(`fault "${fault.kind}" strikes watches: say { verb: 'watch' }`);
    }
    this.#queued.push({ match, fault, times });
  }

  clear(): void {
    this.#queued.length = 0;
  }

  /** The first queued fault that is meant for this call; it is queued once less. */
  take(call: ApiCall): Fault | undefined {
    const found = this.#queued.find(({ match }) => matches(match, call));
    if (found === undefined) return undefined;
    found.times--;
    if (found.times <= 0) this.#queued.splice(this.#queued.indexOf(found), 1);
    return found.fault;
  }
}

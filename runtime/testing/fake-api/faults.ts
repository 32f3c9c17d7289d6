/** The faults of the server, and their queue. */
import { type ApiCall, type CallMatch, matches } from './api-request.ts';

/** Occurs before or instead of the answer. */
export type AnswerFault =
  /** Resets the socket after the request has arrived. */
  | { readonly kind: 'drop' }
  /** Sends half of the answer, then resets the socket. Not for watches. */
  | { readonly kind: 'cutAnswer' }
  /**
   * Answers with this HTTP status and a `metav1.Status`: 409, 410, 429, 500, 503. Default reason: the API server's
   * reason for the status, such as `Conflict`, `Expired`, `TooManyRequests`.
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
  /** Never answers. The connection stays open until the client gives up or the server closes. */
  | { readonly kind: 'hang' }
  /** Handles the request after this time on the server's clock. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Handles the request after `until` has resolved. */
  | { readonly kind: 'hold'; readonly until: Promise<void> };

/**
 * Occurs in an open watch. `afterEvents` counts changes sent on this watch (not initial events or bookmarks); 0, the
 * default, means as soon as the watch is open.
 */
export interface LiveWatchFault {
  /**
   * - `close` ends the answer normally, as the server does after `timeoutSeconds`; `reset` breaks the connection.
   * - `expire` sends an ERROR event with 410 Expired, `fail` one with 500; then the answer ends normally.
   * - `halfLine` sends half a line of the next event; then the answer ends normally.
   * - `garbage` sends a line that is not JSON in place of the next event; then the watch continues.
   * - `silence` sends nothing more, not even bookmarks; the connection stays open.
   */
  readonly kind: 'close' | 'reset' | 'expire' | 'fail' | 'halfLine' | 'garbage' | 'silence';
  readonly afterEvents?: number;
}

/** Occurs while a watch sends the initial events. */
export type InitialEventsFault =
  /** Ends the answer after this many initial events, before their final bookmark. */
  | { readonly kind: 'breakInitialEvents'; readonly afterEvents: number }
  /** Sends the final bookmark of the initial events only after `until` has resolved, and later changes before it. */
  | { readonly kind: 'lateInitialEnd'; readonly until: Promise<void> };

/** A fault of a watch. */
export type WatchFault = LiveWatchFault | InitialEventsFault;
/** All faults. Faults of watches are for `{ verb: 'watch' }`. */
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
      throw new TypeError(`fault "${fault.kind}" is for watches: use { verb: 'watch' }`);
    }
    this.#queued.push({ match, fault, times });
  }

  clear(): void {
    this.#queued.length = 0;
  }

  /** Returns the first queued fault that matches this call, and decreases its count. */
  take(call: ApiCall): Fault | undefined {
    const found = this.#queued.find(({ match }) => matches(match, call));
    if (found === undefined) return undefined;
    found.times--;
    if (found.times <= 0) this.#queued.splice(this.#queued.indexOf(found), 1);
    return found.fault;
  }
}

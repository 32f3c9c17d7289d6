/** Faults that the fake API server injects. */
import { type ApiCall, type CallMatch, matchesCall } from './api-request.ts';

/** A fault that replaces or delays the response. */
export type ResponseFault =
  /** Resets the socket after the request has arrived. */
  | { readonly kind: 'drop' }
  /** Sends half of the response, then resets the socket. Not for watches. */
  | { readonly kind: 'cutAnswer' }
  /**
   * Responds with an HTTP status such as 409 and a `metav1.Status`. Default reason: the API server's reason for the
   * HTTP status, such as `Conflict`.
   */
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Responds with plain text instead of a Status, like a proxy. Default header: `content-type: text/plain`. */
  | {
      readonly kind: 'text';
      readonly code: number;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never responds. The connection stays open until the client or {@link FakeApiServer.close} closes it. */
  | { readonly kind: 'hang' }
  /** Handles the request after `delayMs` on the clock of the server. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Handles the request after `until` has resolved. */
  | { readonly kind: 'hold'; readonly until: Promise<void> };

/** A fault of an open watch. */
export interface LiveWatchFault {
  /**
   * - `close` ends the response, like an API server after `timeoutSeconds`.
   * - `reset` resets the connection.
   * - `expire` sends an ERROR event with 410 Expired and ends the response.
   * - `fail` sends an ERROR event with 500 and ends the response.
   * - `halfLine` sends half of the next event and ends the response.
   * - `garbage` sends invalid JSON instead of the next event, but the watch continues.
   * - `silence` sends no further events or bookmarks, but the connection stays open.
   */
  readonly kind: 'close' | 'reset' | 'expire' | 'fail' | 'halfLine' | 'garbage' | 'silence';
  /** Number of changes that the watch sends before the fault, without initial events and bookmarks. Default 0. */
  readonly afterEvents?: number;
}

/** A fault while a watch sends the initial events. */
export type InitialEventsFault =
  /** Ends the response after `afterEvents` initial events. */
  | { readonly kind: 'breakInitialEvents'; readonly afterEvents: number }
  /** Until `until` resolves, delays the bookmark that ends the initial events. Meanwhile, the watch sends changes. */
  | { readonly kind: 'lateInitialEnd'; readonly until: Promise<void> };

/** A fault of a watch. */
export type WatchFault = LiveWatchFault | InitialEventsFault;
/** Any fault. A {@link WatchFault} requires a match with `{ verb: 'watch' }`. */
export type Fault = ResponseFault | WatchFault;

const ANSWER_FAULTS: readonly string[] = [
  'drop',
  'cutAnswer',
  'error',
  'text',
  'hang',
  'delay',
  'hold',
] satisfies ResponseFault['kind'][];

export function isResponseFault(fault: Fault): fault is ResponseFault {
  return ANSWER_FAULTS.includes(fault.kind);
}

export class FaultQueue {
  readonly #queued: { readonly match: CallMatch; readonly fault: Fault; times: number }[] = [];

  get length(): number {
    return this.#queued.reduce((sum, { times }) => sum + times, 0);
  }

  add(match: CallMatch, fault: Fault, times: number): void {
    if (!isResponseFault(fault) && match.verb !== 'watch') {
      throw new TypeError(`fault "${fault.kind}" is for watches: use { verb: 'watch' }`);
    }
    this.#queued.push({ match, fault, times });
  }

  clear(): void {
    this.#queued.length = 0;
  }

  /** Removes the oldest fault for the request from the queue, and returns it. */
  take(call: ApiCall): Fault | undefined {
    const found = this.#queued.find(({ match }) => matchesCall(match, call));
    if (found === undefined) return undefined;
    found.times--;
    if (found.times <= 0) this.#queued.splice(this.#queued.indexOf(found), 1);
    return found.fault;
  }
}

/**
 * Sends a request and reads its whole response. Uses `dispatch` of undici, because `request` of undici creates a stream
 * for each response.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { AbortCallbacks } from './abort-callbacks.ts';
import { ResponseTooLargeError } from './errors.ts';

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Limits of a request. A request that exceeds a limit fails before its response is complete. */
export interface ExchangeLimits {
  readonly clock: Clock;
  /** Timeout until the response is complete, in milliseconds. Default: the timeout of the dispatcher. */
  readonly timeoutMs?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when a connection is available, before the request is sent. If `beforeSend` throws, the request is not sent.
   */
  readonly beforeSend?: (() => void) | undefined;
  readonly abortCallbacks: AbortCallbacks;
}

/**
 * Rejects with the errors of undici if there is no response. If the request exceeds a limit, rejects with the reason of
 * the signal, an Error with the code `ETIMEDOUT`, or a {@link ResponseTooLargeError}, and closes the connection.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    limits.signal?.throwIfAborted();
    dispatcher.dispatch(request, new HttpExchange(limits, resolve, reject));
  });
}

class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #cancelTimeout: Cancel | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #statusCode = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #byteCount = 0;

  constructor(limits: ExchangeLimits, resolve: (response: HttpResponse) => void, reject: (error: unknown) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    const { clock, timeoutMs, signal, abortCallbacks } = limits;
    if (signal) abortCallbacks.add(signal, this.#onAbort);
    if (timeoutMs !== undefined) {
      this.#cancelTimeout = clock.schedule(timeoutMs, () =>
        this.#fail(Object.assign(new Error(`no response within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })),
      );
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) {
      this.#abort(this.#failure.reason);
      return;
    }
    try {
      this.#limits.beforeSend?.();
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    this.#statusCode = statusCode;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxResponseBytes = Number.POSITIVE_INFINITY } = this.#limits;
    this.#byteCount += chunk.length;
    if (this.#byteCount > maxResponseBytes) this.#fail(new ResponseTooLargeError(this.#statusCode, maxResponseBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#cleanUp();
    const [only, ...others] = this.#chunks;
    const body = only === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : only;
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, text: body.toString('utf8') });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#cleanUp();
    this.#reject(error);
  }

  readonly #onAbort = () => this.#fail(this.#limits.signal?.reason);

  #fail(reason: unknown): void {
    this.#failure = { reason };
    this.#cleanUp();
    this.#reject(reason);
    this.#abort(reason);
  }

  #abort(reason: unknown): void {
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
  }

  #cleanUp(): void {
    const { signal, abortCallbacks } = this.#limits;
    if (signal) abortCallbacks.delete(signal, this.#onAbort);
    this.#cancelTimeout?.();
  }
}

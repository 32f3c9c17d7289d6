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

/** Options of {@link sendHttpRequest}. */
export interface ExchangeOptions {
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
 * Rejects with an error of undici if there is no response. Closes the connection and rejects if the signal aborts (with
 * its reason), the timeout passes (with the code `ETIMEDOUT`), or the response is too large (with a
 * {@link ResponseTooLargeError}).
 */
export function sendHttpRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    dispatcher.dispatch(request, new HttpExchange(options, resolve, reject));
  });
}

class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #cancelTimeout: Cancel | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #statusCode = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #byteCount = 0;

  constructor(options: ExchangeOptions, resolve: (response: HttpResponse) => void, reject: (error: unknown) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    const { clock, timeoutMs, signal, abortCallbacks } = options;
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
      this.#options.beforeSend?.();
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    this.#statusCode = statusCode;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxResponseBytes = Number.POSITIVE_INFINITY } = this.#options;
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

  readonly #onAbort = () => this.#fail(this.#options.signal?.reason);

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
    const { signal, abortCallbacks } = this.#options;
    if (signal) abortCallbacks.delete(signal, this.#onAbort);
    this.#cancelTimeout?.();
  }
}

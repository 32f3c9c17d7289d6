/** Requests to the API server with unmodified responses, including nulls. */
import { Agent, request } from 'node:https';
import { json } from 'node:stream/consumers';
import { inject } from 'vitest';
import './provided.ts';

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly query?: string;
  /** Content type. Default `application/json`. */
  readonly contentType?: string;
  readonly body?: unknown;
}

export interface RawResponse<T> {
  readonly code: number;
  readonly warnings: readonly string[];
  /** The object, or a Status. */
  readonly body: T & RefusalStatus;
}

/** The fields of a Status that objects do not have. */
export interface RefusalStatus {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field: string }[] };
}

/** Sends requests as the administrator, over connections that stay open until its disposal. */
export class RawApi implements Disposable {
  readonly #server: string;
  readonly #agent: Agent;

  constructor() {
    const { server, caPem: ca, certPem: cert, keyPem: key } = inject('apiServer');
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, ca, cert, key });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** @typeParam T Type of the object in a successful response; the caller guarantees it. */
  send<T>({ method, path, query = '', contentType = 'application/json', body }: RawRequest): Promise<RawResponse<T>> {
    const headers = body === undefined ? {} : { 'content-type': contentType };
    return new Promise((resolve, reject) => {
      request(new URL(`${path}?${query}`, this.#server), { method, agent: this.#agent, headers }, (response) => {
        const warnings = response.headersDistinct['warning'] ?? [];
        json(response).then((answer) => {
          resolve({ code: response.statusCode ?? 0, warnings, body: answer as T & RefusalStatus });
        }, reject);
      })
        .on('error', reject)
        .end(body === undefined ? '' : JSON.stringify(body));
    });
  }
}

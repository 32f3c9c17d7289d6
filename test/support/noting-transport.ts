import { type ApiRequest, findApiError, HttpTransport, SystemClock } from 'controller-runtime';
import { credentialsOf } from './cluster-client.ts';

/** A request of the client. */
export interface NotedRequest {
  readonly method: ApiRequest['method'];
  readonly path: string;
  /** Whether the API server has responded with an error. */
  isRefused: boolean;
}

export interface NotingTransportOptions {
  /** Path. */
  readonly kubeconfig: string;
  /** Records of the requests, oldest first. */
  readonly requests: NotedRequest[];
  /** Options of the transport. */
  readonly maxInFlight?: number | undefined;
}

/** The real transport, which also records its requests, except watches. */
export class NotingTransport extends HttpTransport {
  readonly #requests: NotedRequest[];

  constructor({ kubeconfig, requests, maxInFlight }: NotingTransportOptions) {
    const credentials = credentialsOf(kubeconfig);
    const limit = maxInFlight !== undefined && { maxInFlight };
    super({ clock: new SystemClock(), credentials, userAgent: 'tester', ...limit });
    this.#requests = requests;
  }

  override async request(request: ApiRequest): Promise<unknown> {
    const { method, path } = request;
    const noted: NotedRequest = { method, path, isRefused: false };
    this.#requests.push(noted);
    try {
      return await super.request(request);
    } catch (error) {
      noted.isRefused = findApiError(error) !== undefined;
      throw error;
    }
  }
}

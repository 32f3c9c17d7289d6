import { type ApiRequest, findApiError, HttpTransport, SystemClock } from 'controller-runtime';
import { loadCredentials } from './cluster-client.ts';

/** A request of the client. */
export interface LoggedRequest {
  readonly method: ApiRequest['method'];
  readonly path: string;
  /** Whether the API server has responded with an error. */
  isRefused: boolean;
}

export interface RequestLogTransportOptions {
  /** Path. */
  readonly kubeconfig: string;
  /** Records of the requests, oldest first. */
  readonly requests: LoggedRequest[];
  /** Options of the transport. */
  readonly maxInFlight?: number | undefined;
}

/** The real transport, which also records its requests, except watches. */
export class RequestLogTransport extends HttpTransport {
  readonly #requests: LoggedRequest[];

  constructor({ kubeconfig, requests, maxInFlight }: RequestLogTransportOptions) {
    const credentials = loadCredentials(kubeconfig);
    const limit = maxInFlight !== undefined && { maxInFlight };
    super({ clock: new SystemClock(), credentials, userAgent: 'tester', ...limit });
    this.#requests = requests;
  }

  override async request(request: ApiRequest): Promise<unknown> {
    const { method, path } = request;
    const entry: LoggedRequest = { method, path, isRefused: false };
    this.#requests.push(entry);
    try {
      return await super.request(request);
    } catch (error) {
      entry.isRefused = findApiError(error) !== undefined;
      throw error;
    }
  }
}

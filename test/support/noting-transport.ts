import {
  type ApiRequest,
  apiErrorOf,
  type Clock,
  HttpTransport,
  KubeConfigCredentials,
  loadKubeConfig,
  SystemClock,
} from 'controller-runtime';

/** A request that was made, and what has become of it so far. */
export interface NotedRequest {
  readonly method: ApiRequest['method'];
  readonly path: string;
  /** `refused`: the API server answered with an error. `failed`: there was no answer. */
  outcome: 'pending' | 'done' | 'refused' | 'failed';
}

export interface NotingTransportOptions {
  /** Path. */
  readonly kubeconfig: string;
  /** Where requests are noted, oldest first. */
  readonly requests: NotedRequest[];
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** As of the transport. */
  readonly maxInFlight?: number | undefined;
}

/** The real transport, which also notes what is asked of it, watches aside. */
export class NotingTransport extends HttpTransport {
  readonly #requests: NotedRequest[];

  constructor({ kubeconfig, requests, clock = new SystemClock(), maxInFlight }: NotingTransportOptions) {
    const credentials = new KubeConfigCredentials(() => loadKubeConfig(kubeconfig), new SystemClock());
    super({ clock, credentials, userAgent: 'tester', ...(maxInFlight !== undefined && { maxInFlight }) });
    this.#requests = requests;
  }

  override async request(request: ApiRequest): Promise<unknown> {
    const { method, path } = request;
    const noted: NotedRequest = { method, path, outcome: 'pending' };
    this.#requests.push(noted);
    try {
      const answer = await super.request(request);
      noted.outcome = 'done';
      return answer;
    } catch (error) {
      noted.outcome = apiErrorOf(error) === undefined ? 'failed' : 'refused';
      throw error;
    }
  }
}

import { setImmediate as settled } from 'node:timers/promises';
import { type LimitedRequest, RequestLimiter } from '../client/request-limiter.ts';

/** A request limiter whose requests last until the test ends them. */
export class RequestLimiterHarness {
  readonly limiter: RequestLimiter;
  /** Names of the requests in the order in which the limiter sent them. */
  readonly sent: string[] = [];
  readonly inFlight = new Map<string, PromiseWithResolvers<string>>();

  constructor(maxInFlight: number) {
    this.limiter = new RequestLimiter(maxInFlight);
  }

  send(name: string, request: LimitedRequest = {}): Promise<string> {
    const startRequest = () => {
      this.sent.push(name);
      const response = Promise.withResolvers<string>();
      this.inFlight.set(name, response);
      return response.promise;
    };
    return this.limiter.run(request, startRequest);
  }

  async respond(name: string): Promise<void> {
    this.#end(name).resolve(`response to ${name}`);
    await settled();
  }

  async fail(name: string): Promise<void> {
    this.#end(name).reject(new Error(`no response to ${name}`));
    await settled();
  }

  #end(name: string): PromiseWithResolvers<string> {
    const request = this.inFlight.get(name)!;
    this.inFlight.delete(name);
    return request;
  }
}

export const PRIORITIES = ['urgent', 'normal', 'background'] as const;

/** A lane, and requests that the test ends. */
import { setImmediate as settled } from 'node:timers/promises';
import { type RequestFlow, RequestLimiter } from '../client/request-limiter.ts';

/** A lane whose requests last until the test ends them. */
export class RequestLimiterHarness {
  readonly lane: RequestLimiter;
  /** Names of requests in the order in which they were sent. */
  readonly sent: string[] = [];
  readonly inFlight = new Map<string, PromiseWithResolvers<string>>();

  constructor(limit: number) {
    this.lane = new RequestLimiter(limit);
  }

  ask(name: string, request: RequestFlow = {}): Promise<string> {
    const send = () => {
      this.sent.push(name);
      const answer = Promise.withResolvers<string>();
      this.inFlight.set(name, answer);
      return answer.promise;
    };
    return this.lane.run(request, send);
  }

  async answer(name: string): Promise<void> {
    this.#end(name).resolve(`answer to ${name}`);
    await settled();
  }

  async fail(name: string): Promise<void> {
    this.#end(name).reject(new Error(`no answer to ${name}`));
    await settled();
  }

  #end(name: string): PromiseWithResolvers<string> {
    const request = this.inFlight.get(name)!;
    this.inFlight.delete(name);
    return request;
  }
}

export const PRIORITIES = ['urgent', 'normal', 'background'] as const;

/** The limit of one process for concurrent calls to the server, which all its calls share. */
import { type LimitedRequest, RequestLimiter } from '../../runtime/client/request-limiter.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import type { SimulatedFaults } from './faults.ts';

/** Fewer than in a manager, because there are fewer CronJobs. */
const MAX_IN_FLIGHT = 8;
/** Number of concurrent hanging calls of other CronJobs in a namespace. */
const CROWD_SIZE = 12;

export interface SimulatedLimiterOptions {
  readonly clock: Clock;
  readonly faults: SimulatedFaults;
  readonly isAlive: () => boolean;
}

/** The real limiter, used as in HttpTransport. */
export class SimulatedLimiter {
  readonly #limiter = new RequestLimiter(MAX_IN_FLIGHT);
  readonly #options: SimulatedLimiterOptions;

  constructor(options: SimulatedLimiterOptions) {
    this.#options = options;
  }

  run<R>(request: LimitedRequest, send: () => Promise<R>): Promise<R> {
    return this.#limiter.run(request, send);
  }

  /** Simulates additional due CronJobs in a namespace whose calls hang. Returns a function that ends this. */
  startCrowds(): () => void {
    const { hangingNamespaces } = this.#options.faults;
    const startCrowd = (namespace: string) => {
      for (let index = 0; index < CROWD_SIZE; index++) void this.#sendHangingCalls(namespace);
    };
    for (const namespace of hangingNamespaces.keys()) startCrowd(namespace);
    return hangingNamespaces.onStart(startCrowd);
  }

  /** One of these CronJobs: call after call. */
  async #sendHangingCalls(namespace: string): Promise<void> {
    const { clock, faults, isAlive } = this.#options;
    const send = async () => {
      const { forMs = 0 } = faults.hangingNamespaces.get(namespace) ?? {}; // the hang may be over when its turn comes
      await new Promise<void>((resolve) => clock.schedule(forMs, resolve));
    };
    while (isAlive() && faults.hangingNamespaces.get(namespace) !== undefined) {
      await this.run({ priority: 'urgent', namespace }, send);
    }
  }
}

/** The way of one process to the server, which all its calls share. */
import { type LaneRequest, RequestLane } from '../../runtime/client/request-lane.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import type { Faults } from './faults.ts';

/** Fewer than in a manager, as there are fewer CronJobs. */
const MAX_IN_FLIGHT = 8;
/** Calls of other CronJobs that hang in a namespace at a time. */
const CROWD = 12;

export interface LaneOptions {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly isAlive: () => boolean;
}

/** The real lane, used as HttpTransport does. */
export class Lane {
  readonly #lane = new RequestLane(MAX_IN_FLIGHT);
  readonly #options: LaneOptions;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  run<R>(request: LaneRequest, send: () => Promise<R>): Promise<R> {
    return this.#lane.run(request, send);
  }

  /**
   * In a namespace whose calls hang there are more CronJobs than those of the simulation, and all of them are due. Returns
   * what ends that.
   */
  startCrowds(): () => void {
    const { hanging } = this.#options.faults;
    const gather = (namespace: string) => {
      for (let each = 0; each < CROWD; each++) void this.#hang(namespace);
    };
    for (const namespace of hanging.keys()) gather(namespace);
    return hanging.onBegin(gather);
  }

  /** One of the others: call after call. */
  async #hang(namespace: string): Promise<void> {
    const { clock, faults, isAlive } = this.#options;
    const send = async () => {
      const { forMs = 0 } = faults.hanging.of(namespace) ?? {}; // it may be over when its turn comes
      await new Promise<void>((resolve) => clock.schedule(forMs, resolve));
    };
    while (isAlive() && faults.hanging.of(namespace) !== undefined) {
      await this.run({ priority: 'urgent', namespace }, send);
    }
  }
}

import { FairQueue, FlowCounts } from 'controller-runtime';

const MAX_DRY_RUNS = 16;
/** Of one namespace. */
const MAX_DRY_RUNS_OF_NAMESPACE = 4;
/** As many as the others are done with in a moment. The webhook server has more places than these and {@link MAX_DRY_RUNS}. */
const MAX_WAITING_DRY_RUNS = 16;

/**
 * Bounds the dry runs that are under way, in all and of each namespace. A few more wait, and namespaces take turns; the next ones are
 * turned away, so that reviews never fill the webhook server while they wait for each other.
 */
export class DryRunPlaces {
  readonly #waiting = new FairQueue<() => void>();
  readonly #held = new FlowCounts();
  #underWay = 0;

  /** Does `work` when there is a place. Rejects when too many wait, or with the reason of `signal` when that aborts before. */
  async run<R>(namespace: string, signal: AbortSignal, work: () => Promise<R>): Promise<R> {
    signal.throwIfAborted();
    if (this.#hasPlaceFor(namespace)) this.#enter(namespace);
    else await this.#turn(namespace, signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#leave(namespace);
    }
  }

  #hasPlaceFor(namespace: string): boolean {
    return this.#underWay < MAX_DRY_RUNS && this.#held.of(namespace) < MAX_DRY_RUNS_OF_NAMESPACE;
  }

  #enter(namespace: string): void {
    this.#underWay++;
    this.#held.add(namespace);
  }

  #leave(namespace: string): void {
    this.#underWay--;
    this.#held.remove(namespace);
    this.#waiting.take((flow) => this.#hasPlaceFor(flow))?.();
  }

  #turn(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING_DRY_RUNS) throw new Error('too many checks are under way');
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', onAbort);
        this.#enter(namespace);
        resolve();
      };
      const onAbort = () => {
        this.#waiting.delete(namespace, enter);
        reject(signal.reason);
      };
      this.#waiting.add(namespace, enter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

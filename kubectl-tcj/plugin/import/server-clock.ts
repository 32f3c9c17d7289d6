/** The clock of the API server: what it has dated can only be compared with that. Whoever goes on with an import may have another one. */
import type { Clock } from 'controller-runtime';
import { parseTime } from '../../../api/time.ts';

export class ServerClock {
  readonly #clock: Clock;
  readonly #serverMs: number;
  readonly #seenMs: number;

  /** @param dated By the server, in an answer that has just come: its clock is no earlier than that. */
  constructor(clock: Clock, dated: string) {
    this.#clock = clock;
    this.#serverMs = (parseTime(dated) ?? clock.now()).getTime();
    this.#seenMs = clock.monotonicMs();
  }

  /** At the earliest. */
  now(): Date {
    return new Date(this.#serverMs + this.#clock.monotonicMs() - this.#seenMs);
  }
}

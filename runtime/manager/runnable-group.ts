/** Works until `signal` aborts, and resolves when it has stopped. */
export interface Runnable {
  /** Rejects when it cannot continue; the manager then stops. */
  start(signal: AbortSignal): Promise<void>;
}

/** Runnables that start and stop together. */
export class RunnableGroup {
  readonly #runnables: Runnable[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  #onFailure: ((error: unknown) => void) | undefined;

  /** Adds a runnable; starts it at once if the group has started. */
  add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    if (this.#onFailure) this.#launch(runnable);
  }

  /** @param onFailure Called when a runnable rejects, before or during the stop. */
  start(onFailure: (error: unknown) => void): void {
    this.#onFailure = onFailure;
    for (const runnable of this.#runnables) this.#launch(runnable);
  }

  /** Stops every runnable; resolves when all have stopped. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #launch(runnable: Runnable): void {
    const run = async () => {
      try {
        await runnable.start(this.#stopping.signal);
      } catch (error) {
        this.#onFailure?.(error);
      }
    };
    this.#running.push(run());
  }
}

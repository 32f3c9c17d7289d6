/** Something with a life: works until `signal` aborts, and resolves when it has stopped. */
export interface Runnable {
  /** Rejects when it cannot go on; the manager then stops. */
  start(signal: AbortSignal): Promise<void>;
}

/** Runnables that are started and stopped together. */
export class RunnableGroup {
  readonly #runnables: Runnable[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  #onFailure: ((error: unknown) => void) | undefined;

  /** Adds a runnable; starts it at once when the group has been started. */
  add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    if (this.#onFailure) this.#launch(runnable);
  }

  /** @param onFailure Told when a runnable rejects, before or while stopping. */
  start(onFailure: (error: unknown) => void): void {
    this.#onFailure = onFailure;
    for (const runnable of this.#runnables) this.#launch(runnable);
  }

  /** Asks every runnable to stop; resolves when all have. */
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

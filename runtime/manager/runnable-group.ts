/** A server, cache or controller that a manager starts and stops. */
export interface Runnable {
  /** Runs until `signal` aborts, and resolves after it has stopped. If the promise rejects, the manager stops. */
  start(signal: AbortSignal): Promise<void>;
}

/** A controller with a name, or another runnable. */
export type NamedRunnable = Runnable & { readonly name?: string };

export class RunnableGroup {
  readonly #runnables: Runnable[] = [];
  readonly #stopController = new AbortController();
  readonly #runPromises: Promise<void>[] = [];
  #onFailure: ((error: unknown) => void) | undefined;

  /** Adds a runnable. Starts the runnable immediately if the group has started. */
  add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    if (this.#onFailure) this.#startRunnable(runnable);
  }

  /** @param onFailure Called when a runnable rejects. */
  start(onFailure: (error: unknown) => void): void {
    this.#onFailure = onFailure;
    for (const runnable of this.#runnables) this.#startRunnable(runnable);
  }

  /** Stops all runnables. Resolves after the last runnable has stopped. */
  async stop(): Promise<void> {
    this.#stopController.abort();
    await Promise.all(this.#runPromises);
  }

  #startRunnable(runnable: Runnable): void {
    const run = async () => {
      try {
        await runnable.start(this.#stopController.signal);
      } catch (error) {
        this.#onFailure?.(error);
      }
    };
    this.#runPromises.push(run());
  }
}

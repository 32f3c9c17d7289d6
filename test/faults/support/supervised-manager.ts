import type { ManagerProcess } from '../../support/manager-process.ts';

const SHOWN_LINES = 8;

/** A manager that restarts whenever it ends, as under a kubelet. */
export class SupervisedManager implements AsyncDisposable {
  current: ManagerProcess;
  /** How each ended process ended, with its last lines. */
  readonly ends: string[] = [];
  readonly #start: () => ManagerProcess;
  #isStopping = false;
  #next: Promise<void>;

  constructor(start: () => ManagerProcess) {
    this.#start = start;
    this.current = start();
    this.#next = this.#startNext();
  }

  /** Kills it; resolves when the next one has started. */
  async kill(): Promise<void> {
    const next = this.#next;
    this.current.signal('SIGCONT');
    this.current.signal('SIGKILL');
    await next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.current[Symbol.asyncDispose]();
    await this.#next;
  }

  async #startNext(): Promise<void> {
    const code = await this.current.exited;
    if (this.#isStopping) return;
    this.ends.push(`exit code ${code}: ${JSON.stringify(this.current.lines.slice(-SHOWN_LINES))}`);
    this.current = this.#start();
    this.#next = this.#startNext();
  }
}

import type { ManagerProcess } from '../../support/manager-process.ts';

const SHOWN_LINES = 8;

/** A manager that is started again whenever it ends, as a kubelet does. */
export class SupervisedManager implements AsyncDisposable {
  readonly #start: () => Promise<ManagerProcess>;
  #current: ManagerProcess;
  #isStopping = false;
  readonly #ends: string[] = [];
  #next: Promise<void>;

  private constructor(start: () => Promise<ManagerProcess>, first: ManagerProcess) {
    this.#start = start;
    this.#current = first;
    this.#next = this.#startNext();
  }

  static async start(start: () => Promise<ManagerProcess>): Promise<SupervisedManager> {
    return new SupervisedManager(start, await start());
  }

  get current(): ManagerProcess {
    return this.#current;
  }

  /** Of each process that has ended how it did, with its last lines. */
  get ends(): readonly string[] {
    return this.#ends;
  }

  /** Ends it without a chance to clean up; resolves when the next one was started. */
  async kill(): Promise<void> {
    const next = this.#next;
    this.#current.signal('SIGCONT');
    this.#current.signal('SIGKILL');
    await next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#current[Symbol.asyncDispose]();
    await this.#next;
  }

  async #startNext(): Promise<void> {
    const code = await this.#current.exited;
    if (this.#isStopping) return;
    this.#ends.push(`exit code ${code}: ${JSON.stringify(this.#current.lines.slice(-SHOWN_LINES))}`);
    this.#current = await this.#start();
    this.#next = this.#startNext();
  }
}

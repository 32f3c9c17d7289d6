/** The wall clock of a manager, which a test sets as it likes. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SupervisedManager } from './supervised-manager.ts';

const PRELOAD = new URL('./shifted-clock.ts', import.meta.url).href;

export class SetClock {
  /** For the manager that is to have this clock. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #offsetMs: number;

  /**
   * @param folder Where it keeps its file.
   * @param offsetMs Ahead of the machine's, in milliseconds.
   */
  constructor(folder: string, offsetMs: number) {
    this.#file = join(folder, `clock-${randomUUID()}`);
    this.#offsetMs = offsetMs;
    writeFileSync(this.#file, String(offsetMs));
    this.environment = { NODE_OPTIONS: `--import=${PRELOAD}`, CLOCK_OFFSET_FILE: this.#file };
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Resolves once the manager's clock is set. The same offset cannot be set twice in the life of one process. */
  async set(offsetMs: number, { current }: SupervisedManager): Promise<void> {
    writeFileSync(this.#file, String(offsetMs));
    this.#offsetMs = offsetMs;
    current.signal('SIGUSR2');
    await current.logged('clock set', { offsetMs });
  }
}

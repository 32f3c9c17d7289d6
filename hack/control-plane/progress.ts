/** Tells a waiting person what is being done and for how long: one line in place on a terminal, a line now and then in a log. */

/** Between two lines about the same step in a log, in milliseconds. */
const LOG_INTERVAL_MS = 10_000;
/** Between two updates of the line on a terminal, in milliseconds. */
const TERMINAL_INTERVAL_MS = 250;

/** Where progress is written. `process.stderr` is one. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One thing being done. Ends with {@link Step.done} or {@link Step.failed}, once. */
export interface Step {
  /** Says how far it is; shown behind the step's name. */
  update(detail: string): void;
  done(): void;
  failed(reason: string): void;
  /** It could not be found out whether it is done. */
  undecided(reason: string): void;
}

/** A reporter of steps, one after the other. */
export class Progress {
  readonly #output: ProgressOutput;

  constructor(output: ProgressOutput = process.stderr) {
    this.#output = output;
  }

  /** A sentence that belongs to no step. */
  note(sentence: string): void {
    this.#output.write(`  ${sentence}\n`);
  }

  /** Begins a step; `name` reads on after "…": `building etcd`. */
  step(name: string): Step {
    const startedAtMs = performance.now();
    const elapsed = () => formatDuration(performance.now() - startedAtMs);
    const onTerminal = this.#output.isTTY === true;
    let detail = '';
    const show = () => {
      const line = `  ${name} … ${[elapsed(), detail].filter(Boolean).join(', ')}`;
      if (onTerminal) this.#output.write(`\r\x1b[2K${line.slice(0, (this.#output.columns || 80) - 1)}`);
      else this.#output.write(`${line}\n`);
    };
    if (onTerminal) show();
    else this.#output.write(`  ${name} …\n`);
    const timer = setInterval(show, onTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
    timer.unref();
    const end = (mark: string, rest: string) => {
      clearInterval(timer);
      this.#output.write(`${onTerminal ? '\r\x1b[2K' : ''}${mark} ${name} ${rest}\n`);
    };
    return {
      update: (text) => {
        detail = text;
      },
      done: () => end('✓', `(${elapsed()})`),
      undecided: (reason) => end('?', `(${elapsed()}): ${reason}`),
      failed: (reason) => end('✗', `(${elapsed()}): ${reason}`),
    };
  }
}

/** `450 ms`, `4.2 s`, `3 min 5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

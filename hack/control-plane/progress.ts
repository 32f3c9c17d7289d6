/** Prints the current step and its duration at intervals. */

const PROGRESS_INTERVAL_MS = 10_000;

/** Call one of `done`, `failed` and `inconclusive` at the end of the step. */
export interface ProgressStep {
  /** Sets the text after the name of the step. */
  update(detail: string): void;
  done(): void;
  failed(reason: string): void;
  /** Ends a check that could not run. */
  inconclusive(reason: string): void;
}

export class Progress {
  readonly #output: { write(text: string): unknown };

  constructor(output: { write(text: string): unknown } = process.stderr) {
    this.#output = output;
  }

  note(sentence: string): void {
    this.#output.write(`  ${sentence}\n`);
  }

  /** @param name Name of the step, such as `building etcd`. */
  step(name: string): ProgressStep {
    const startedAtMs = performance.now();
    const elapsed = () => formatDuration(performance.now() - startedAtMs);
    let detail = '';
    this.note(`${name} …`);
    const timer = setInterval(() => this.note(`${name} … ${elapsed()} ${detail}`.trimEnd()), PROGRESS_INTERVAL_MS);
    timer.unref();
    const end = (mark: string, reason = '') => {
      clearInterval(timer);
      this.#output.write(`${mark} ${name} (${elapsed()})${reason === '' ? '' : `: ${reason}`}\n`);
    };
    return {
      update: (text) => {
        detail = text;
      },
      done: () => end('✓'),
      inconclusive: (reason) => end('?', reason),
      failed: (reason) => end('✗', reason),
    };
  }
}

/** Returns a text such as `0.4 s` or `3 min 5 s`. */
function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

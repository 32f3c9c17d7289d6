/** Shows a waiting user the current step and its duration: a line now and then. */

const INTERVAL_MS = 10_000;

/** One step. Ends once, with {@link ProgressStep.done}, {@link ProgressStep.failed} or {@link ProgressStep.inconclusive}. */
export interface ProgressStep {
  /** Reports the progress; shown after the step's name. */
  update(detail: string): void;
  done(): void;
  failed(reason: string): void;
  /** The step could not decide whether it passed. */
  inconclusive(reason: string): void;
}

/** Reports steps, one after the other. */
export class Progress {
  readonly #output: { write(text: string): unknown };

  constructor(output: { write(text: string): unknown } = process.stderr) {
    this.#output = output;
  }

  /** Prints a sentence that does not belong to a step. */
  note(sentence: string): void {
    this.#output.write(`  ${sentence}\n`);
  }

  /** Begins a step; `name` follows "…": `building etcd`. */
  step(name: string): ProgressStep {
    const startedAtMs = performance.now();
    const elapsed = () => formatDuration(performance.now() - startedAtMs);
    let detail = '';
    this.note(`${name} …`);
    const timer = setInterval(() => this.note(`${name} … ${elapsed()} ${detail}`.trimEnd()), INTERVAL_MS);
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

/** `0.4 s`, `3 min 5 s`. */
function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

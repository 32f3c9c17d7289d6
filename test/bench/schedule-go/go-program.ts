/** The Go side of the benchmark: main.go, built into a temporary folder and asked over pipes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { run } from '../../../hack/control-plane/run.ts';

export interface GoQuestion {
  readonly schedule: string;
  readonly timeZone: string;
  readonly startsMs: readonly number[];
  readonly minMs: number;
}

export interface GoAnswer {
  readonly nextNs: number;
  readonly parseNs: number;
  /** Of the instants found, in Unix seconds. */
  readonly sumSeconds: number;
}

/** Why there is no Go program. */
export class MissingGo implements AsyncDisposable {
  readonly kind = 'missing';
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export class GoProgram implements AsyncDisposable {
  readonly kind = 'ready';
  readonly #child: ChildProcess;
  readonly #questions: Writable;
  readonly #answers: AsyncIterator<string>;
  readonly #folder: string;

  constructor(child: ChildProcess & { stdin: Writable; stdout: Readable }, folder: string) {
    this.#child = child;
    this.#questions = child.stdin;
    this.#answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    this.#folder = folder;
  }

  async measure(question: GoQuestion): Promise<GoAnswer> {
    this.#questions.write(`${JSON.stringify(question)}\n`);
    const { done, value } = await this.#answers.next();
    if (done) throw new Error('the Go program has ended');
    return JSON.parse(value) as GoAnswer; // main.go writes it
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Builds main.go. A machine without Go, or one that cannot fetch the module, gets {@link MissingGo}. */
export async function buildGo(): Promise<GoProgram | MissingGo> {
  const folder = await mkdtemp(join(tmpdir(), 'schedule-bench-'));
  const binary = join(folder, 'schedule-bench');
  try {
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' };
    await run('go', ['build', '-o', binary, '.'], { cwd: import.meta.dirname, env });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return new MissingGo(error instanceof Error ? error.message : String(error));
  }
  return new GoProgram(spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] }), folder);
}

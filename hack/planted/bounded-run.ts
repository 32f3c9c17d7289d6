/** Commands that may hang, or break in any way: how they ended is a value. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface BoundedRun {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Besides that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface EndedRun {
  /** `undefined` when it was ended, or could not begin. */
  readonly code: number | undefined;
  /** The end of what it has printed. */
  readonly output: string;
  readonly seconds: number;
  /** Why there is no code. */
  readonly ended?: string;
}

const MAX_OUTPUT = 200_000;
/** From being told to end until being killed. */
const GRACE_MS = 10_000;

export function runBounded({ command, cwd, env, timeoutMs, signal }: BoundedRun): Promise<EndedRun> {
  const [program = '', ...args] = command;
  const startMs = performance.now();
  let output = '';
  let ended: string | undefined;
  return new Promise((resolve) => {
    // A group of its own, so that all it has started ends with it.
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const stop = (reason: string) => {
      ended = reason;
      endGroup(child, 'SIGTERM');
      kill = setTimeout(() => endGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const abort = () => stop('was interrupted');
    const bound = setTimeout(() => stop(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
    let kill: NodeJS.Timeout | undefined;
    const note = (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT);
    };
    const end = (code: number | undefined) => {
      clearTimeout(bound);
      clearTimeout(kill);
      signal?.removeEventListener('abort', abort);
      const seconds = Math.round((performance.now() - startMs) / 1000);
      resolve({ code: ended === undefined ? code : undefined, output, seconds, ...(ended !== undefined && { ended }) });
    };
    child.stdout.setEncoding('utf8').on('data', note);
    child.stderr.setEncoding('utf8').on('data', note);
    child.once('error', (error) => {
      ended ??= `cannot start: ${error.message}`;
      end(undefined);
    });
    child.once('close', (code, by) => {
      if (code === null) ended ??= `was ended by ${by}`;
      end(code ?? undefined);
    });
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** The flags and the context of commands that start runs and can wait for them. */
import type { ClusterInvocation, CommandFlag, Terminal } from '../command.ts';
import { createTimeoutFlag, parseTimeout } from '../flag-value.ts';
import { parseOutputFormat, RESULT_FORMATS, type ResultFormat, redirectMessages } from '../output.ts';
import { poll } from '../poll.ts';
import { createReconnectingClusterSession } from '../reconnecting-cluster-session.ts';

export const WAIT_FLAG = { name: 'wait', description: 'Wait until the run ends.' };
export const LOGS_FLAG = { name: 'logs', description: 'Stream the logs and wait until the run ends.' };
export const TIMEOUT_FLAG = createTimeoutFlag('Time to wait before giving up, such as 10m.');

/** The maximum time to wait until a manager starts the run. A manager with a long work queue needs several seconds. */
export const START_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 500;

export interface RunContext extends ClusterInvocation {
  readonly format: ResultFormat;
  /** Prints objects to stdout. If the command prints objects, `terminal` prints its messages to stderr. */
  readonly print: Terminal['out'];
  /** The end of the timeout as a time of the monotonic clock. */
  readonly deadlineMs: number;
}

/** @param waitFlags The flags that make the command wait for the end of the run. */
export function createRunContext(invocation: ClusterInvocation, waitFlags: readonly CommandFlag[]): RunContext {
  const { flagValues, terminal, clock } = invocation;
  const format = parseOutputFormat(flagValues, RESULT_FORMATS);
  const timeoutFromFlag = parseTimeout(flagValues, waitFlags);
  const timeoutMs = shouldWaitForEnd(invocation) ? timeoutFromFlag : START_TIMEOUT_MS;
  const notify = (text: string) => terminal.err(`${text}\n`);
  return {
    ...invocation,
    session: createReconnectingClusterSession(invocation.session, { ...invocation, notify, timeoutMs }),
    terminal: redirectMessages(terminal, format),
    format,
    print: terminal.out,
    deadlineMs: clock.monotonicMs() + timeoutMs,
  };
}

export function shouldWaitForEnd({ flagValues }: Pick<ClusterInvocation, 'flagValues'>): boolean {
  return flagValues.has(WAIT_FLAG.name) || flagValues.has(LOGS_FLAG.name);
}

/** Calls `read` until it returns a value. Returns `undefined` after the deadline. */
export async function pollUntilDeadline<T>(
  read: () => Promise<T | undefined>,
  { clock, signal, deadlineMs }: RunContext,
): Promise<T | undefined> {
  return await poll(read, { clock, signal, intervalMs: POLL_INTERVAL_MS, deadlineMs });
}

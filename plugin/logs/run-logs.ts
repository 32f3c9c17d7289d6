/** What the containers of a run print: of all its Pods, each container once. */
import { type Clock, podLogs, sleep } from 'controller-runtime';
import type { Terminal } from '../command.ts';
import { messageOf } from '../message-of.ts';
import type { Session } from '../session.ts';
import { type ContainerLog, containerLogsOf, notStarted } from './container-logs.ts';
import { type JobKey, podsOf } from './job-pods.ts';
import { linesOf } from './lines-of.ts';

export interface RunLogsOptions extends JobKey {
  /** Only this container. All when absent. */
  readonly container?: string | undefined;
  readonly tailLines?: number | undefined;
  /** Goes on until this resolves to true, also with Pods that are yet to come. Absent: what there is now. */
  readonly isOver?: (() => Promise<boolean>) | undefined;
}

interface Surroundings {
  readonly session: Session;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const LOOK_MS = 1000;

/** @returns how many logs were read. Rejects when the Pods cannot be listed; says of each log that cannot be read why. */
export async function printRunLogs(options: RunLogsOptions, surroundings: Surroundings): Promise<number> {
  const { clock, signal, terminal } = surroundings;
  const { isOver = async () => true } = options;
  const printing = new Map<string, Promise<boolean>>();
  for (;;) {
    // Before the Pods: a run that is over gets no more of them.
    const isLast = await isOver();
    const waiting = await printNew(printing, options, surroundings);
    if (isLast) {
      for (const sentence of waiting) terminal.err(`${sentence}\n`);
      return (await Promise.all(printing.values())).filter((isRead) => isRead).length;
    }
    await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
}

/** Begins with each log that is not in `printing` yet. @returns what is to be said of the containers that have none. */
async function printNew(
  printing: Map<string, Promise<boolean>>,
  options: RunLogsOptions,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  const { logs, waiting } = await logsOf(options, surroundings);
  const isOnly = logs.length + waiting.length === 1;
  for (const log of logs.filter(({ id }) => !printing.has(id))) {
    const printed = printLog(log, isOnly ? '' : `[${log.pod}/${log.container}] `, options, surroundings);
    printing.set(log.id, printed);
    // What has ended is told one after another; what goes on, as it comes.
    if (options.isOver === undefined) await printed;
  }
  return waiting;
}

/** @property waiting Of each container that has not started, a sentence that says why. */
async function logsOf(
  { namespace, jobName, container }: RunLogsOptions,
  { session, signal }: Surroundings,
): Promise<{ readonly logs: readonly ContainerLog[]; readonly waiting: readonly string[] }> {
  const pods = await podsOf({ namespace, jobName }, session, signal);
  const all = pods.flatMap(containerLogsOf).filter((log) => container === undefined || log.container === container);
  return {
    logs: all.filter(({ hasStarted }) => hasStarted),
    waiting: all.filter((log) => !log.hasStarted).map(notStarted),
  };
}

/** False when it cannot be read, which is said. */
async function printLog(
  { pod, container, id }: ContainerLog,
  prefix: string,
  { namespace, tailLines, isOver }: RunLogsOptions,
  { session, terminal, signal }: Surroundings,
): Promise<boolean> {
  try {
    const follow = isOver !== undefined;
    const key = { namespace, name: pod };
    const chunks = await podLogs(session.transport, key, {
      container,
      follow,
      signal,
      ...(tailLines !== undefined && { tailLines }),
    });
    for await (const line of linesOf(chunks)) {
      terminal.out(`${prefix}${line}\n`);
    }
    return true;
  } catch (error) {
    const message = messageOf(error);
    if (signal.aborted || message === undefined) throw error;
    terminal.err(`${id}: ${message}\n`);
    return false;
  }
}

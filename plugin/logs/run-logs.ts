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
  /** Notes at once that a container has not started, not only when it is over. Default false. */
  readonly notesWaits?: boolean;
}

/** What has been read when it is over. */
export interface LogsRead {
  /** How many logs. */
  readonly read: number;
  /** How many could not be read. */
  readonly failed: number;
  /** Names of all there are in the Pods, also when only one was asked for. Empty without Pods. */
  readonly containers: readonly string[];
}

/** Where it goes to. What is slow to take a line keeps that log waiting. */
export interface LogSink {
  line(log: Pick<ContainerLog, 'pod' | 'container'>, text: string): void | Promise<void>;
  /** A sentence: why there is no log. */
  note(text: string): void | Promise<void>;
}

interface Asking {
  readonly session: Pick<Session, 'client' | 'transport'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Surroundings extends Asking {
  readonly terminal: Terminal;
}

const LOOK_MS = 1000;

/** As {@link readRunLogs}, onto a terminal: with the name of the container before each line, where there are several. */
export async function printRunLogs(options: RunLogsOptions, surroundings: Surroundings): Promise<LogsRead> {
  const { terminal } = surroundings;
  return await readRunLogs(options, surroundings, (isOnly) => ({
    line: ({ pod, container }, text) => terminal.out(`${isOnly ? '' : `[${pod}/${container}] `}${text}\n`),
    note: (text) => terminal.err(`${text}\n`),
  }));
}

/**
 * @param sinkOf Of a log that begins. `isOnly`: there is no other one yet.
 * Rejects when the Pods cannot be listed; notes of each log that cannot be read why.
 */
export async function readRunLogs(
  options: RunLogsOptions,
  asking: Asking,
  sinkOf: (isOnly: boolean) => LogSink,
): Promise<LogsRead> {
  const { clock, signal } = asking;
  const { isOver = async () => true, notesWaits = false } = options;
  const noted = new Set<string>();
  const reading = new Map<string, Promise<boolean>>();
  for (;;) {
    // Before the Pods: a run that is over gets no more of them.
    const isLast = await isOver();
    const { waiting, containers } = await readNew(reading, options, asking, sinkOf);
    if (isLast || notesWaits) {
      for (const sentence of waiting.filter((each) => !noted.has(each))) await sinkOf(false).note(sentence);
      for (const sentence of waiting) noted.add(sentence);
    }
    if (isLast) {
      const ends = await Promise.all(reading.values());
      const read = ends.filter((isRead) => isRead).length;
      return { read, failed: ends.length - read, containers };
    }
    await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
}

/** Begins with each log that is not in `reading` yet. */
async function readNew(
  reading: Map<string, Promise<boolean>>,
  options: RunLogsOptions,
  asking: Asking,
  sinkOf: (isOnly: boolean) => LogSink,
): Promise<Pick<Found, 'waiting' | 'containers'>> {
  const { logs, waiting, containers } = await logsOf(options, asking);
  const isOnly = logs.length + waiting.length === 1;
  for (const log of logs.filter(({ id }) => !reading.has(id))) {
    const read = readLog(log, sinkOf(isOnly), options, asking);
    // Told where it is awaited, which it is not when the reading ends before.
    read.catch(() => {});
    reading.set(log.id, read);
    // What has ended is told one after another; what goes on, as it comes.
    if (options.isOver === undefined) await read;
  }
  return { waiting, containers };
}

interface Found extends Pick<LogsRead, 'containers'> {
  readonly logs: readonly ContainerLog[];
  /** Of each container that has not started, a sentence that says why. */
  readonly waiting: readonly string[];
}

async function logsOf({ namespace, jobName, container }: RunLogsOptions, { session, signal }: Asking): Promise<Found> {
  const pods = await podsOf({ namespace, jobName }, session, signal);
  const there = pods.flatMap(containerLogsOf);
  const all = there.filter((log) => container === undefined || log.container === container);
  return {
    containers: [...new Set(there.map((log) => log.container))],
    logs: all.filter(({ hasStarted }) => hasStarted),
    waiting: all.filter((log) => !log.hasStarted).map(notStarted),
  };
}

/** False when it cannot be read, which is noted. */
async function readLog(
  log: ContainerLog,
  sink: LogSink,
  { namespace, tailLines, isOver }: RunLogsOptions,
  { session, signal }: Asking,
): Promise<boolean> {
  const { pod, container, id } = log;
  try {
    const follow = isOver !== undefined;
    const key = { namespace, name: pod };
    const chunks = await podLogs(session.transport, key, {
      container,
      follow,
      signal,
      ...(tailLines !== undefined && { tailLines }),
    });
    for await (const line of linesOf(chunks)) await sink.line(log, line);
    return true;
  } catch (error) {
    const message = messageOf(error);
    if (signal.aborted || message === undefined) throw error;
    await sink.note(`${id}: ${message}`);
    return false;
  }
}

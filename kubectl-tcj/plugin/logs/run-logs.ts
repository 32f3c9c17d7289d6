/** Reads the logs of a run: each container of all its Pods once. */
import { sleep } from 'controller-runtime';
import { type ContainerLog, describeNotStarted, listContainerLogs } from './container-logs.ts';
import { listPods } from './job-objects.ts';
import { LogReader } from './log-reader.ts';
import type { LogAccess, LogSummary, LogTarget, RunLogsOptions } from './log-target.ts';

const POLL_INTERVAL_MS = 1000;
/** Maximum attempts to continue a broken log after its run has ended. */
const LAST_TRIES = 10;

/**
 * Rejects when the Pods cannot be listed; notes why a log cannot be read. With `isOver`, a broken log is continued: pass a session
 * that reconnects.
 */
export async function readRunLogs(options: RunLogsOptions, access: LogAccess, target: LogTarget): Promise<LogSummary> {
  const { clock, signal } = access;
  const { isOver = async () => true } = options;
  const note = createNoteOnce(target, options.notesWaits === true);
  const readings = new Map<string, LogReader>();
  for (let triesLeft = LAST_TRIES; ; ) {
    // Before the Pods are listed: a finished run gets no more Pods.
    const isLast = await isOver();
    const { logs, waiting, containers } = await listLogs(options, access);
    await startReaders(logs, readings, logs.length + waiting.length === 1, { options, access, target });
    await note(waiting, isLast);
    if (isLast) {
      triesLeft = (await haveAllEnded(readings)) ? 0 : triesLeft - 1;
      if (triesLeft === 0) return await summarize(readings, containers);
    }
    await sleep(clock, POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
  }
}

/** @param atOnce Whether to note immediately, instead of at the end. */
function createNoteOnce(
  { note }: LogTarget,
  atOnce: boolean,
): (sentences: readonly string[], isLast: boolean) => Promise<void> {
  const noted = new Set<string>();
  return async (sentences, isLast) => {
    if (!isLast && !atOnce) return;
    for (const sentence of sentences.filter((each) => !noted.has(each))) await note(sentence);
    for (const sentence of sentences) noted.add(sentence);
  };
}

/** Whether no log broke. */
async function haveAllEnded(readings: ReadonlyMap<string, LogReader>): Promise<boolean> {
  const all = [...readings.values()];
  await Promise.all(all.map(({ done }) => done));
  return !all.some(({ isBroken }) => isBroken);
}

async function summarize(readings: ReadonlyMap<string, LogReader>, containers: readonly string[]): Promise<LogSummary> {
  let read = 0;
  for (const reading of readings.values()) if (await reading.end()) read++;
  return { read, failed: readings.size - read, containers };
}

interface ReaderContext {
  readonly options: RunLogsOptions;
  readonly access: LogAccess;
  readonly target: LogTarget;
}

/** Starts to read each new log, and continues each log that broke or may have more. */
async function startReaders(
  logs: readonly ContainerLog[],
  readings: Map<string, LogReader>,
  isOnly: boolean,
  { options, access, target }: ReaderContext,
): Promise<void> {
  for (const log of logs) {
    const existing = readings.get(log.id);
    if (existing !== undefined) {
      await existing.resume(log);
      continue;
    }
    const reading = new LogReader(log, { options, access, sink: target.begin(log, isOnly), note: target.note });
    readings.set(log.id, reading);
    reading.begin();
    // Logs that have ended are printed one after another; logs that grow, as they arrive.
    if (options.isOver === undefined) await reading.end();
  }
}

interface LogList extends Pick<LogSummary, 'containers'> {
  readonly logs: readonly ContainerLog[];
  /** For each container that has not started, a sentence that says why. */
  readonly waiting: readonly string[];
}

async function listLogs(
  { namespace, jobName, container }: RunLogsOptions,
  { session, signal }: LogAccess,
): Promise<LogList> {
  const pods = await listPods({ namespace, jobName }, session, signal);
  const there = pods.flatMap(listContainerLogs);
  const all = there.filter((log) => container === undefined || log.container === container);
  return {
    containers: [...new Set(there.map((log) => log.container))],
    logs: all.filter(({ hasStarted }) => hasStarted),
    waiting: all.filter((log) => !log.hasStarted).map(describeNotStarted),
  };
}

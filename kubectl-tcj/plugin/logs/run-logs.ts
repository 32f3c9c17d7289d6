/** Reads the log of each container in all Pods of a run. */
import { sleep } from 'controller-runtime';
import { type ContainerLog, describeWaitingContainer, listContainerLogs } from './container-logs.ts';
import { LogReader } from './log-reader.ts';
import type { LogAccess, LogSummary, LogTarget, RunLogsOptions } from './log-target.ts';
import { listPods } from './pods-and-events.ts';

const POLL_INTERVAL_MS = 1000;
/** The maximum number of attempts to read the rest of a log after its run has ended. */
const MAX_FINAL_ATTEMPTS = 10;

/**
 * Rejects if the Pods cannot be listed. Reports the errors of a single log as notes. If `isRunFinished` is set, the function reads
 * a log again after its stream breaks, so the session must be able to reconnect.
 */
export async function readRunLogs(options: RunLogsOptions, access: LogAccess, target: LogTarget): Promise<LogSummary> {
  const { clock, signal } = access;
  const { isRunFinished = async () => true } = options;
  const note = createNoteWriter(target, options.shouldReportWaits === true);
  const readers = new Map<string, LogReader>();
  for (let attemptsLeft = MAX_FINAL_ATTEMPTS; ; ) {
    // The function checks the run before it lists the Pods, because a finished run creates no more Pods.
    const isFinal = await isRunFinished();
    const { logs, waitingSentences, containerNames } = await listLogs(options, access);
    await startReaders(logs, readers, logs.length + waitingSentences.length === 1, { options, access, target });
    await note(waitingSentences, isFinal);
    if (isFinal) {
      attemptsLeft = (await haveAllLogsEnded(readers)) ? 0 : attemptsLeft - 1;
      if (attemptsLeft === 0) return await summarizeLogs(readers, containerNames);
    }
    await sleep(clock, POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
  }
}

/** @param shouldReportImmediately Whether to report each note immediately, instead of all notes after the logs. */
function createNoteWriter(
  { note }: LogTarget,
  shouldReportImmediately: boolean,
): (sentences: readonly string[], isFinal: boolean) => Promise<void> {
  const notedSentences = new Set<string>();
  return async (sentences, isFinal) => {
    if (!isFinal && !shouldReportImmediately) return;
    for (const sentence of sentences.filter((each) => !notedSentences.has(each))) await note(sentence);
    for (const sentence of sentences) notedSentences.add(sentence);
  };
}

/** Waits until all streams end. Returns whether all logs ended without an interruption. */
async function haveAllLogsEnded(readers: ReadonlyMap<string, LogReader>): Promise<boolean> {
  const allReaders = [...readers.values()];
  await Promise.all(allReaders.map(({ streamEnd }) => streamEnd));
  return !allReaders.some(({ isBroken }) => isBroken);
}

async function summarizeLogs(
  readers: ReadonlyMap<string, LogReader>,
  containerNames: readonly string[],
): Promise<LogSummary> {
  let readCount = 0;
  for (const reader of readers.values()) if (await reader.end()) readCount++;
  return { readCount, failedCount: readers.size - readCount, containerNames };
}

interface ReaderContext {
  readonly options: RunLogsOptions;
  readonly access: LogAccess;
  readonly target: LogTarget;
}

/** Starts a reader for each new log, resumes the readers of incomplete logs, and ends the readers of replaced logs. */
async function startReaders(
  logs: readonly ContainerLog[],
  readers: Map<string, LogReader>,
  isOnlyLog: boolean,
  { options, access, target }: ReaderContext,
): Promise<void> {
  const ids = new Set(logs.map(({ id }) => id));
  for (const [id, reader] of readers) if (!ids.has(id)) await reader.endReplaced();
  for (const log of logs) {
    const existingReader = readers.get(log.id);
    if (existingReader !== undefined) {
      await existingReader.resume(log);
      continue;
    }
    const reader = new LogReader(log, { options, access, sink: target.openSink(log, isOnlyLog), note: target.note });
    readers.set(log.id, reader);
    reader.begin();
    // Complete logs are printed one after another. Growing logs are printed as they arrive.
    if (options.isRunFinished === undefined) await reader.end();
  }
}

interface LogList extends Pick<LogSummary, 'containerNames'> {
  readonly logs: readonly ContainerLog[];
  /** One sentence for each container that has not started. */
  readonly waitingSentences: readonly string[];
}

async function listLogs(
  { namespace, jobName, container }: RunLogsOptions,
  { session, signal }: LogAccess,
): Promise<LogList> {
  const pods = await listPods({ namespace, jobName }, session, signal);
  const allLogs = pods.flatMap(listContainerLogs);
  const requestedLogs = allLogs.filter((log) => container === undefined || log.container === container);
  return {
    containerNames: [...new Set(allLogs.map((log) => log.container))],
    logs: requestedLogs.filter(({ hasStarted }) => hasStarted),
    waitingSentences: requestedLogs.filter((log) => !log.hasStarted).map(describeWaitingContainer),
  };
}

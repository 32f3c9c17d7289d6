/** Reads the logs of a run: each container of all its Pods once. */
import { sleep } from 'controller-runtime';
import { type ContainerLog, containerLogsOf, notStarted } from './container-logs.ts';
import { podsOf } from './job-objects.ts';
import { LogReading } from './log-reading.ts';
import type { Asking, LogsRead, LogTarget, RunLogsOptions } from './log-target.ts';

const LOOK_MS = 1000;
/** Maximum attempts to continue a broken log after its run has ended. */
const LAST_TRIES = 10;

/**
 * Rejects when the Pods cannot be listed; notes why a log cannot be read. With `isOver`, a broken log is continued: pass a session
 * that reconnects.
 */
export async function readRunLogs(options: RunLogsOptions, asking: Asking, target: LogTarget): Promise<LogsRead> {
  const { clock, signal } = asking;
  const { isOver = async () => true } = options;
  const note = notesOnce(target, options.notesWaits === true);
  const readings = new Map<string, LogReading>();
  for (let triesLeft = LAST_TRIES; ; ) {
    // Before the Pods are listed: a finished run gets no more Pods.
    const isLast = await isOver();
    const { logs, waiting, containers } = await logsOf(options, asking);
    await readThose(logs, readings, logs.length + waiting.length === 1, { options, asking, target });
    await note(waiting, isLast);
    if (isLast) {
      triesLeft = (await haveEnded(readings)) ? 0 : triesLeft - 1;
      if (triesLeft === 0) return await ended(readings, containers);
    }
    await sleep(clock, LOOK_MS, signal);
    signal.throwIfAborted();
  }
}

/** @param atOnce Whether to note immediately, instead of at the end. */
function notesOnce(
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
async function haveEnded(readings: ReadonlyMap<string, LogReading>): Promise<boolean> {
  const all = [...readings.values()];
  await Promise.all(all.map(({ done }) => done));
  return !all.some(({ isBroken }) => isBroken);
}

async function ended(readings: ReadonlyMap<string, LogReading>, containers: readonly string[]): Promise<LogsRead> {
  let read = 0;
  for (const reading of readings.values()) if (await reading.end()) read++;
  return { read, failed: readings.size - read, containers };
}

interface Surroundings {
  readonly options: RunLogsOptions;
  readonly asking: Asking;
  readonly target: LogTarget;
}

/** Starts to read each new log, and continues each log that broke or may have more. */
async function readThose(
  logs: readonly ContainerLog[],
  readings: Map<string, LogReading>,
  isOnly: boolean,
  { options, asking, target }: Surroundings,
): Promise<void> {
  for (const log of logs) {
    const known = readings.get(log.id);
    if (known !== undefined) {
      await known.goOn(log);
      continue;
    }
    const reading = new LogReading(log, { options, asking, sink: target.begin(log, isOnly), note: target.note });
    readings.set(log.id, reading);
    reading.begin();
    // Logs that have ended are printed one after another; logs that grow, as they arrive.
    if (options.isOver === undefined) await reading.end();
  }
}

interface Found extends Pick<LogsRead, 'containers'> {
  readonly logs: readonly ContainerLog[];
  /** For each container that has not started, a sentence that says why. */
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

/** Sends the logs of a run as server-sent events. */
import type { Clock } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { describeMissingLogs } from '../commands/logs.ts';
import { reloadCronJob } from '../cron-jobs.ts';
import type { ContainerLog } from '../logs/container-logs.ts';
import { createLineSink } from '../logs/line-splitter.ts';
import type { LogSink } from '../logs/log-target.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { createReconnectingClusterSession } from '../reconnecting-cluster-session.ts';
import { findRunReport } from '../report/run-report.ts';
import type { EventStream } from './event-stream.ts';
import { toHttpError } from './http-error.ts';
import type { LogEvent } from './page-messages.ts';

interface RunReference {
  readonly cronJob: CronJob;
  readonly jobName: string;
}

/** Streams the logs until the run or the stream ends. Rejects only for internal errors. */
export async function streamLogs(
  { cronJob, jobName }: RunReference,
  stream: EventStream,
  session: ClusterSession,
  clock: Clock,
) {
  const { signal } = stream;
  const send = (event: LogEvent) => stream.send(event);
  const note = (text: string) => send({ kind: 'note', text });
  const { namespace } = cronJob.metadata;
  let latestCronJob = cronJob;
  const reconnectingSession = createReconnectingClusterSession(session, { clock, signal, notify: note });
  const isRunFinished = async () => {
    latestCronJob = await reloadCronJob(cronJob, { signal, session: reconnectingSession });
    return findRunReport(latestCronJob, jobName)?.result !== 'Running';
  };
  try {
    const logs = await readRunLogs(
      { namespace, jobName, isRunFinished, shouldReportWaits: true },
      { session: reconnectingSession, clock, signal },
      { openSink: (log) => createEventSink(send, log), note },
    );
    if (logs.readCount === 0) await note(describeMissingLogs(latestCronJob, { jobName }, logs));
  } catch (error) {
    if (signal.aborted) return;
    const httpError = toHttpError(error, session.server);
    if (httpError === undefined) throw error;
    const { message, change } = httpError.pageError;
    await note(change === undefined ? message : `${message} ${change}`);
  }
  await send({ kind: 'end' });
  stream.end();
}

function createEventSink(send: (event: LogEvent) => Promise<void>, { pod, container }: ContainerLog): LogSink {
  return createLineSink(async (lines) => {
    for (const text of lines) await send({ kind: 'line', pod, container, text });
  });
}

/** Sends the logs of a run as events. */
import type { Clock } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { describeMissingLogs } from '../commands/logs.ts';
import { reloadCronJob } from '../cron-jobs.ts';
import type { ContainerLog } from '../logs/container-logs.ts';
import { createLineSink } from '../logs/line-splitter.ts';
import type { LogSink } from '../logs/log-target.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { createReconnectingSession } from '../reconnecting-session.ts';
import { findRunReport } from '../report/run-report.ts';
import type { Session } from '../session.ts';
import type { EventStream } from './event-stream.ts';
import type { LogEvent } from './messages.ts';
import { toRefusal } from './refusal.ts';

interface RunRef {
  readonly cronJob: CronJob;
  readonly jobName: string;
}

/** Continues until the run has ended, or the stream ends. Rejects only for faults of the program. */
export async function streamLogs({ cronJob, jobName }: RunRef, stream: EventStream, session: Session, clock: Clock) {
  const { signal } = stream;
  const send = (event: LogEvent) => stream.send(event);
  const note = (text: string) => send({ kind: 'note', text });
  const { namespace } = cronJob.metadata;
  let latest = cronJob;
  const following = createReconnectingSession(session, { clock, signal, notify: note });
  const isOver = async () => {
    latest = await reloadCronJob(cronJob, { signal, session: following });
    return findRunReport(latest, jobName)?.result !== 'Running';
  };
  try {
    const logs = await readRunLogs(
      { namespace, jobName, isOver, notesWaits: true },
      { session: following, clock, signal },
      { begin: (log) => createEventSink(send, log), note },
    );
    if (logs.read === 0) await note(describeMissingLogs(latest, { jobName }, logs));
  } catch (error) {
    if (signal.aborted) return;
    const refusal = toRefusal(error, session.server);
    if (refusal === undefined) throw error;
    const { message, change } = refusal.fault;
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

/** Sends the logs of a run as events. */
import type { Clock } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { noLogs } from '../commands/logs.ts';
import { asItIsNow } from '../cron-jobs.ts';
import type { ContainerLog } from '../logs/container-logs.ts';
import { lineSink } from '../logs/line-cutter.ts';
import type { LogSink } from '../logs/log-target.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { reconnecting } from '../reconnecting.ts';
import { runNamed } from '../report/run-named.ts';
import type { Session } from '../session.ts';
import type { EventStream } from './event-stream.ts';
import { refusalOf } from './fault-of.ts';
import type { LogEvent } from './messages.ts';

interface Run {
  readonly cronJob: CronJob;
  readonly jobName: string;
}

/** Continues until the run has ended, or the stream ends. Rejects only for faults of the program. */
export async function tellLogs({ cronJob, jobName }: Run, stream: EventStream, session: Session, clock: Clock) {
  const { signal } = stream;
  const tell = (event: LogEvent) => stream.send(event);
  const note = (text: string) => tell({ kind: 'note', text });
  const { namespace } = cronJob.metadata;
  let latest = cronJob;
  const following = reconnecting(session, { clock, signal, tell: note });
  const isOver = async () => {
    latest = await asItIsNow(cronJob, { signal, session: following });
    return runNamed(latest, jobName)?.result !== 'Running';
  };
  try {
    const logs = await readRunLogs(
      { namespace, jobName, isOver, notesWaits: true },
      { session: following, clock, signal },
      { begin: (log) => linesTo(tell, log), note },
    );
    if (logs.read === 0) await note(noLogs(latest, { jobName }, logs));
  } catch (error) {
    if (signal.aborted) return;
    const refusal = refusalOf(error, session.server);
    if (refusal === undefined) throw error;
    const { message, change } = refusal.fault;
    await note(change === undefined ? message : `${message} ${change}`);
  }
  await tell({ kind: 'end' });
  stream.end();
}

function linesTo(tell: (event: LogEvent) => Promise<void>, { pod, container }: ContainerLog): LogSink {
  return lineSink(async (lines) => {
    for (const text of lines) await tell({ kind: 'line', pod, container, text });
  });
}

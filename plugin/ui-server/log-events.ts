/** What the containers of a run print, as events. */
import type { Clock } from 'controller-runtime';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { noLogs } from '../commands/logs.ts';
import { asItIsNow } from '../cron-jobs.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { runNamed } from '../report/run-named.ts';
import type { Session } from '../session.ts';
import type { EventStream } from './event-stream.ts';
import { refusalOf } from './fault-of.ts';
import type { LogEvent } from './messages.ts';

interface Run {
  readonly cronJob: CronJob;
  readonly jobName: string;
}

/** Goes on until the run is over, or the stream ends. Rejects for faults of the program alone. */
export async function tellLogs({ cronJob, jobName }: Run, stream: EventStream, session: Session, clock: Clock) {
  const { signal } = stream;
  const tell = (event: LogEvent) => stream.send(event);
  const note = (text: string) => tell({ kind: 'note', text });
  const { namespace } = cronJob.metadata;
  let latest = cronJob;
  const isOver = async () => {
    latest = await asItIsNow(cronJob, { signal }, session);
    return runNamed(latest, jobName)?.result !== 'Running';
  };
  try {
    const logs = await readRunLogs(
      { namespace, jobName, isOver, notesWaits: true },
      { session, clock, signal },
      () => ({
        line: ({ pod, container }, text) => tell({ kind: 'line', pod, container, text }),
        note,
      }),
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

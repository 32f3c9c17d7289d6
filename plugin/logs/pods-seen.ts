/** What the Pods of a run tell, with the rights of the user. */
import { messageOf } from '../message-of.ts';
import { needsEvents, podsTold } from '../report/pods-told.ts';
import type { PodsTold, ToldRun } from '../report/told-run.ts';
import type { Session } from '../session.ts';
import { eventsOf, type JobEvent } from './job-events.ts';
import { type JobKey, podsOf } from './job-pods.ts';

interface Seeing {
  readonly session: Pick<Session, 'client'>;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** Says so when they may not be seen. */
export async function podsSeen(run: ToldRun, namespace: string, { session, signal, now }: Seeing): Promise<PodsTold> {
  const { jobName } = run;
  const key = { namespace, jobName };
  try {
    const pods = await podsOf(key, session, signal);
    const events = needsEvents(run, pods) ? await visibleEvents(key, session, signal) : [];
    return podsTold(run, { pods, events, namespace, now });
  } catch (error) {
    const message = messageOf(error);
    if (signal.aborted || message === undefined) throw error;
    return { jobName, sentence: `Its Pods could not be seen (${message.replace(/\.+$/, '')}).` };
  }
}

/** None where they may not be seen. */
async function visibleEvents(
  key: JobKey,
  session: Seeing['session'],
  signal: AbortSignal,
): Promise<readonly JobEvent[]> {
  try {
    return await eventsOf(key, session, signal);
  } catch (error) {
    if (signal.aborted || messageOf(error) === undefined) throw error;
    return [];
  }
}

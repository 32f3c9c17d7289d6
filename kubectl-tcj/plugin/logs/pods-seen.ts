/** Reads the Pods of a run with the rights of the user. */
import { batch } from 'controller-runtime/kubernetes';
import type { Job } from '../../../api/kubernetes.ts';
import { explained } from '../message-of.ts';
import type { PodsTold, ToldRun } from '../report/answer.ts';
import { needsEvents, podsTold, podToAskAbout } from '../report/pods-told.ts';
import type { Session } from '../session.ts';
import { eventsOf, podsOf } from './job-objects.ts';

export interface Seeing {
  readonly session: Pick<Session, 'client'>;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** Reports when the user may not read them. */
export async function podsSeen(run: ToldRun, namespace: string, { session, signal, now }: Seeing): Promise<PodsTold> {
  const { jobName } = run;
  const visible = <T>(asked: Promise<T>) => asked.catch((error: unknown) => void explained(error, signal));
  try {
    const pods = await podsOf({ namespace, jobName }, session, signal);
    const pod = run.result === 'Running' ? podToAskAbout(pods) : undefined;
    const eventsFor = (kind: 'Job' | 'Pod', name: string | undefined) =>
      name === undefined ? undefined : visible(eventsOf(kind, { namespace, name }, session, signal));
    const [job, events = [], podEvents = []] = await Promise.all([
      run.result === 'Running' ? visible(jobNamed(jobName, namespace, { session, signal })) : undefined,
      eventsFor('Job', needsEvents(run, pods) ? jobName : undefined),
      eventsFor('Pod', pod?.metadata.name),
    ]);
    return podsTold(run, { pods, job, events, podEvents, namespace, now });
  } catch (error) {
    return { jobName, sentence: `Cannot read its Pods (${explained(error, signal).replace(/\.+$/, '')}).` };
  }
}

async function jobNamed(
  name: string,
  namespace: string,
  { session, signal }: Pick<Seeing, 'session' | 'signal'>,
): Promise<Job | 'Gone'> {
  return (await session.client.get(batch.v1.jobs, { namespace, name }, { signal })) ?? 'Gone';
}

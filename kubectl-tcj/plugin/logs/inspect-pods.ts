/** Reads the Pods of a run with the permissions of the user. */
import { batch } from 'controller-runtime/kubernetes';
import type { Job } from '../../../api/kubernetes.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { formatErrorOrThrow } from '../error-message.ts';
import type { PodReport, RunSummary } from '../report/explanation.ts';
import { findPodNeedingEvents, needsJobEvents, reportOnPods } from '../report/pod-report.ts';
import { listEvents, listPods } from './pods-and-events.ts';

export interface InspectOptions {
  readonly session: Pick<ClusterSession, 'client'>;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** If the user cannot read the Pods, the report contains the error. */
export async function inspectPods(
  run: RunSummary,
  namespace: string,
  { session, signal, now }: InspectOptions,
): Promise<PodReport> {
  const { jobName } = run;
  const readOptional = <T>(response: Promise<T>) =>
    response.catch((error: unknown) => void formatErrorOrThrow(error, signal));
  try {
    const pods = await listPods({ namespace, jobName }, session, signal);
    const pod = run.result === 'Running' ? findPodNeedingEvents(pods) : undefined;
    const readEvents = (kind: 'Job' | 'Pod', name: string | undefined) =>
      name === undefined ? undefined : readOptional(listEvents(kind, { namespace, name }, session, signal));
    const [job, events = [], podEvents = []] = await Promise.all([
      run.result === 'Running' ? readOptional(getJob(jobName, namespace, { session, signal })) : undefined,
      readEvents('Job', needsJobEvents(run, pods) ? jobName : undefined),
      readEvents('Pod', pod?.metadata.name),
    ]);
    return reportOnPods(run, { pods, job, events, podEvents, namespace, now });
  } catch (error) {
    return { jobName, sentence: `Cannot read its Pods (${formatErrorOrThrow(error, signal).replace(/\.+$/, '')}).` };
  }
}

async function getJob(
  name: string,
  namespace: string,
  { session, signal }: Pick<InspectOptions, 'session' | 'signal'>,
): Promise<Job | 'Gone'> {
  return (await session.client.get(batch.v1.jobs, { namespace, name }, { signal })) ?? 'Gone';
}

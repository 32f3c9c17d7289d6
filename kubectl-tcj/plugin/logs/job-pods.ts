import { core, type Pod } from 'controller-runtime/kubernetes';
import type { Session } from '../session.ts';

/** A Job by its name. */
export interface JobKey {
  readonly namespace: string;
  readonly jobName: string;
}

/** The Pods of a Job, of its retries too, oldest first. */
export async function podsOf(
  { namespace, jobName }: JobKey,
  { client }: Pick<Session, 'client'>,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const labelSelector = `batch.kubernetes.io/job-name=${jobName}`;
  const pods = await client.list(core.v1.pods, { namespace, labelSelector, signal });
  return pods.toSorted(
    (left, right) => Date.parse(left.metadata.creationTimestamp) - Date.parse(right.metadata.creationTimestamp),
  );
}

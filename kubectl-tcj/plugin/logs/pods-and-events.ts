/** Reads the Pods of a Job, and the events of the Job and its Pods. */
import { core, type Pod } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { ClusterSession } from '../cluster-session.ts';

/** The fields of an event that the plugin reads. */
export interface JobEvent {
  /** Normal or Warning. */
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  /** The RFC 3339 time of the last occurrence. The field can be missing if the event occurred only once. */
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
}

/** Lists the events of a Job or a Pod. The API server usually stores events for one hour. */
export async function listEvents(
  kind: 'Job' | 'Pod',
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { client }: Pick<ClusterSession, 'client'>,
  signal: AbortSignal,
): Promise<readonly JobEvent[]> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  return await client.list(core.v1.events, { namespace, fieldSelector, signal });
}

export function findNewestEvent(events: readonly JobEvent[]): JobEvent | undefined {
  const getTime = ({ lastTimestamp, eventTime }: JobEvent) => parseTime(lastTimestamp ?? eventTime)?.getTime() ?? 0;
  return events.toSorted((left, right) => getTime(left) - getTime(right)).at(-1);
}

export interface JobKey {
  readonly namespace: string;
  readonly jobName: string;
}

/** Lists all Pods of a Job, oldest first. */
export async function listPods(
  { namespace, jobName }: JobKey,
  { client }: Pick<ClusterSession, 'client'>,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const labelSelector = `batch.kubernetes.io/job-name=${jobName}`;
  const pods = await client.list(core.v1.pods, { namespace, labelSelector, signal });
  return pods.toSorted(
    (left, right) => Date.parse(left.metadata.creationTimestamp) - Date.parse(right.metadata.creationTimestamp),
  );
}

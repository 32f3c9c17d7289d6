/** Reads the Pods of a Job, and the events of both. */
import { core, type Pod } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { Session } from '../session.ts';

/** The fields of an event that are read. */
export interface JobEvent {
  /** Normal or Warning. */
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339. Absent for an event that is not repeated. */
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
}

/** Events about a Job or a Pod; the API server usually keeps them for an hour. */
export async function listEvents(
  kind: 'Job' | 'Pod',
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { client }: Pick<Session, 'client'>,
  signal: AbortSignal,
): Promise<readonly JobEvent[]> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  return await client.list(core.v1.events, { namespace, fieldSelector, signal });
}

export function findNewestEvent(events: readonly JobEvent[]): JobEvent | undefined {
  const getTime = ({ lastTimestamp, eventTime }: JobEvent) => parseTime(lastTimestamp ?? eventTime)?.getTime() ?? 0;
  return events.toSorted((left, right) => getTime(left) - getTime(right)).at(-1);
}

/** The key of a Job. */
export interface JobKey {
  readonly namespace: string;
  readonly jobName: string;
}

/** The Pods of a Job, including its retries, oldest first. */
export async function listPods(
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

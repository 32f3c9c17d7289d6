import { core } from 'controller-runtime/kubernetes';
import type { Session } from '../session.ts';
import type { JobKey } from './job-pods.ts';

/** What is read of an event. */
export interface JobEvent {
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339. Absent of one that is not repeated. */
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
}

/** What has been told of a Job in the last hour, as a rule. */
export async function eventsOf(
  { namespace, jobName }: JobKey,
  { client }: Pick<Session, 'client'>,
  signal: AbortSignal,
): Promise<readonly JobEvent[]> {
  const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${jobName}`;
  return await client.list(core.v1.events, { namespace, fieldSelector, signal });
}

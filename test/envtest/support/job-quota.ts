/** A ResourceQuota that has no room for Jobs. */
import type { LiveClient } from 'controller-runtime';
import { core } from 'controller-runtime/kubernetes';

const { resourceQuotas } = core.v1;
const NAME = 'no-jobs';

interface QuotaScope {
  readonly client: LiveClient;
  readonly namespace: string;
}

export async function forbidJobs({ client, namespace }: QuotaScope): Promise<void> {
  const hard = { 'count/jobs.batch': '0' };
  const { metadata } = await client.create(resourceQuotas, { metadata: { name: NAME, namespace }, spec: { hard } });
  // Does the work of the quota controller: a quota without a status does not limit anything.
  const body = { status: { hard, used: hard } };
  await client.patch(resourceQuotas, metadata, { kind: 'merge', body }, { subresource: 'status' });
}

export async function allowJobs({ client, namespace }: QuotaScope): Promise<void> {
  await client.delete(resourceQuotas, { namespace, name: NAME });
}

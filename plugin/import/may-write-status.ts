import { authorization } from 'controller-runtime/kubernetes';
import { CommandError } from '../command.ts';
import type { Context } from './context.ts';

/** Throws a CommandError without the right to tell Kubernetes what has run: it would start some of that again. */
export async function mayWriteStatus(namespace: string, { client, signal }: Context): Promise<void> {
  const resourceAttributes = { namespace, verb: 'patch', group: 'batch', resource: 'cronjobs', subresource: 'status' };
  const review = await client.create(
    authorization.v1.selfSubjectAccessReviews,
    { metadata: { name: '' }, spec: { resourceAttributes } },
    { signal },
  );
  if (review.status?.allowed === true) return;
  throw new CommandError(
    'this takes the right to patch cronjobs/status of batch, so that Kubernetes knows what has run here, and does not start it again',
  );
}

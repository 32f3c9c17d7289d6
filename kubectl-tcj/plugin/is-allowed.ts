import type { LiveClient } from 'controller-runtime';
import { authorization } from 'controller-runtime/kubernetes';

export interface AccessRequest {
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
}

/** Whether the API server would allow the user's request. */
export async function isAllowed(
  client: Pick<LiveClient, 'create'>,
  { subresource, ...wish }: AccessRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const resourceAttributes = { ...wish, ...(subresource !== undefined && { subresource }) };
  const review = await client.create(
    authorization.v1.selfSubjectAccessReviews,
    { metadata: { name: '' }, spec: { resourceAttributes } },
    { signal },
  );
  return review.status?.allowed === true;
}

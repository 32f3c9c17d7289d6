import type { LiveClient } from 'controller-runtime';
import { authorization } from 'controller-runtime/kubernetes';

export interface AccessRequest {
  /** The namespace of the request, or an empty string for all namespaces. */
  readonly namespace: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
}

/** Asks the API server whether the user has the permission for a request. */
export async function isAllowed(
  client: Pick<LiveClient, 'create'>,
  { subresource, ...attributes }: AccessRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const resourceAttributes = { ...attributes, ...(subresource !== undefined && { subresource }) };
  const review = await client.create(
    authorization.v1.selfSubjectAccessReviews,
    { metadata: { name: '' }, spec: { resourceAttributes } },
    { signal },
  );
  return review.status?.allowed === true;
}

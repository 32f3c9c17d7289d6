/** Requests objects as `meta.k8s.io/v1 PartialObjectMetadata`, which contain only metadata. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatApiVersion, type Resource } from '../kubernetes/resource.ts';

/** An object with kind, apiVersion and the metadata of `T`, but without spec, status or data. */
export type PartialObjectMetadata<T extends KubernetesObject = KubernetesObject> = KubernetesObject & {
  readonly metadata: T['metadata'];
};

/**
 * Value of the header `Accept` for a watch. Servers that do not support PartialObjectMetadata respond with whole
 * objects.
 */
export const METADATA_ACCEPT_HEADER = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/** Value of the header `Accept` for a list. */
export const METADATA_LIST_ACCEPT_HEADER =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Returns the metadata of an object. The API server may send PartialObjectMetadata or the whole object. */
export function toPartialObjectMetadata<T extends KubernetesObject>(
  resource: Resource,
  { metadata }: T,
): PartialObjectMetadata<T> {
  return { apiVersion: formatApiVersion(resource), kind: resource.kind, metadata };
}

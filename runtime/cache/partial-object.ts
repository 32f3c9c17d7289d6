/** Objects that are requested as metadata only: `meta.k8s.io/v1 PartialObjectMetadata`. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatApiVersion, type Resource } from '../kubernetes/resource.ts';

/** The metadata of a `T`, with its kind and apiVersion. It has no spec, status or data. */
export type PartialObjectMetadata<T extends KubernetesObject = KubernetesObject> = KubernetesObject & {
  readonly metadata: T['metadata'];
};

/** Value of `Accept` for a watch. A server that does not know it answers with whole objects. */
export const ACCEPT_METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/** Value of `Accept` for a list. */
export const ACCEPT_METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Returns the metadata of an object that arrived as PartialObjectMetadata or as a whole object. */
export function toPartialObjectMetadata<T extends KubernetesObject>(
  resource: Resource,
  { metadata }: T,
): PartialObjectMetadata<T> {
  return { apiVersion: formatApiVersion(resource), kind: resource.kind, metadata };
}

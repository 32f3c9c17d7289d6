/** Objects of which only the metadata is asked for: `meta.k8s.io/v1 PartialObjectMetadata`. */
import type { KubernetesObject } from '../kubernetes/object.ts';
import { apiVersionOf, type Resource } from '../kubernetes/resource.ts';

/** The metadata of a `T`, with the kind and apiVersion of that. No spec, no status, no data. */
export type PartialObjectMetadata<T extends KubernetesObject = KubernetesObject> = KubernetesObject & {
  readonly metadata: T['metadata'];
};

/** What to accept from a watch. A server that does not know it answers with whole objects. */
export const ACCEPT_METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/** What to accept from a list. */
export const ACCEPT_METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** What is kept of an object that came as PartialObjectMetadata, or as a whole. */
export function metadataOf<T extends KubernetesObject>(resource: Resource, { metadata }: T): PartialObjectMetadata<T> {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

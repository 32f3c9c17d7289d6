import type { KubernetesObject, NewObject, SpecOf } from '../kubernetes/object.ts';
import { formatApiVersion, type InputResource } from '../kubernetes/resource.ts';
import type { KindSchema } from '../schema/kind-schema.ts';

/** A kind, or another resource. A kind fills in the defaults of its schema. */
interface StoredResource<T extends KubernetesObject, SpecInput> extends InputResource<T, SpecInput> {
  readonly schema?: Pick<KindSchema, 'withDefaults'>;
}

/** An object for a test: its name, its spec as users write it, and any other fields. */
export type ObjectToStore<T extends KubernetesObject, SpecInput = SpecOf<T>> = Omit<
  NewObject<T, SpecInput>,
  'metadata'
> &
  Partial<Pick<T, Extract<'status', keyof T>>> & {
    readonly metadata: Partial<T['metadata']> & { readonly name: string };
  };

/**
 * Returns an object as an API server stores it, for tests of pure functions: it has a UID, versions and the defaults of
 * its kind. It is in the namespace `default` if its kind is namespaced, and dates from the beginning of 2026, unless
 * its metadata says otherwise.
 */
export function storedObject<T extends KubernetesObject, SpecInput = SpecOf<T>>(
  resource: StoredResource<T, SpecInput>,
  object: ObjectToStore<NoInfer<T>, NoInfer<SpecInput>>,
): T {
  const metadata = {
    ...(resource.namespaced && { namespace: 'default' }),
    uid: `uid-of-${object.metadata.name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...object.metadata,
  };
  const complete = { ...object, apiVersion: formatApiVersion(resource), kind: resource.kind, metadata };
  return (resource.schema?.withDefaults(complete) ?? complete) as KubernetesObject as T; // the parts have the types of T
}

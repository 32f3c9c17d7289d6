import type { KubernetesObject, NewObject, SpecOf } from '../kubernetes/object.ts';
import { formatApiVersion, type InputResource } from '../kubernetes/resource.ts';
import type { KindSchema } from '../schema/kind-schema.ts';

/** A resource, or a kind with defaults in its schema. */
interface StoredResource<T extends KubernetesObject, SpecInput> extends InputResource<T, SpecInput> {
  readonly schema?: Pick<KindSchema, 'withDefaults'>;
}

/** An object for a test, with a name. Fields with a default may be missing. */
export type ObjectToStore<T extends KubernetesObject, SpecInput = SpecOf<T>> = Omit<
  NewObject<T, SpecInput>,
  'metadata'
> &
  Partial<Pick<T, Extract<'status', keyof T>>> & {
    readonly metadata: Partial<T['metadata']> & { readonly name: string };
  };

/**
 * Returns an object with the fields that the API server adds, for tests of pure functions: a UID, a resource version
 * and the defaults of its kind. By default, the object is in the namespace `default` if its kind is namespaced, and was
 * created on 2026-01-01.
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
  return (resource.schema?.withDefaults(complete) ?? complete) as KubernetesObject as T; // all fields have the types of T
}

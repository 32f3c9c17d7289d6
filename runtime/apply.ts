/** Server-side apply of the objects that a reconciled object owns. */
import type { Writer } from './client/client.ts';
import { apiVersionOf, type KubernetesObject, type OwnerReference, type Resource } from './client/object.ts';

/** Parts of `T`: those fields whose values are to be set. */
export type ApplyConfiguration<T extends KubernetesObject> = Parts<
  Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'>
> & {
  readonly metadata: { readonly name: string } & Parts<
    Pick<T['metadata'], 'namespace' | 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'>
  >;
};

type Parts<V> = V extends readonly (infer E)[]
  ? readonly Parts<E>[]
  : V extends object
    ? { readonly [K in keyof V]?: Parts<V[K]> }
    : V;

/** An object of kind `resource`. */
interface Owner {
  readonly resource: Resource;
  readonly object: KubernetesObject;
}

interface Application<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly configuration: ApplyConfiguration<T>;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** Applies an object that `owner` controls, in the namespace of that unless it names one. Takes over fields that others own. */
export async function applyOwned<T extends KubernetesObject>(
  client: Pick<Writer, 'patch'>,
  owner: Owner,
  { resource, configuration, fieldManager, signal }: Application<T>,
): Promise<T> {
  const { name, ownerReferences = [], ...metadata } = configuration.metadata;
  const namespace = resource.namespaced ? (metadata.namespace ?? owner.object.metadata.namespace) : undefined;
  refuseUnlessOwnable(owner, resource, namespace);
  const body = {
    ...configuration,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      ...metadata,
      name,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [...ownerReferences, controllerReference(owner)],
    },
  };
  const key = namespace === undefined ? { name } : { namespace, name };
  return await client.patch(resource, key, { kind: 'apply', body, fieldManager, force: true }, { signal });
}

function controllerReference({ resource, object }: Owner): OwnerReference {
  const { name, uid } = object.metadata;
  const { kind } = resource;
  return { apiVersion: apiVersionOf(resource), kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The garbage collector deletes an object whose owner it does not find in its namespace. */
function refuseUnlessOwnable(
  { resource: owner, object }: Owner,
  resource: Resource,
  namespace: string | undefined,
): void {
  if (resource.namespaced && namespace === undefined) {
    throw new TypeError(
      `apply: metadata.namespace is missing, and ${owner.kind} has none that ${resource.kind} could be in`,
    );
  }
  if (owner.namespaced && namespace !== object.metadata.namespace) {
    throw new TypeError(`apply: ${owner.kind} is namespaced, and can own nothing outside of its namespace`);
  }
}

import type { Writer } from '../client/client.ts';
import type { ApplyConfiguration, OwnedConfiguration } from '../client/patch.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { setControllerReference } from '../kubernetes/owners.ts';
import type { Resource } from '../kubernetes/resource.ts';

/**
 * Applies an object with `owner` as its controller. Takes over fields from other field managers. The default namespace
 * is the namespace of `owner`. Throws a TypeError if `owner` is namespaced and the object is outside its namespace,
 * because the garbage collector would delete the object.
 */
export async function applyOwned<T extends KubernetesObject>(
  client: Pick<Writer, 'apply'>,
  owner: KubernetesObject,
  resource: Resource<T>,
  configuration: OwnedConfiguration<T>,
  signal: AbortSignal,
): Promise<T> {
  const { namespace = owner.metadata.namespace, ...metadata } = configuration.metadata;
  if (resource.namespaced && namespace === undefined) {
    const reason = `${resource.kind} is namespaced, and its owner ${owner.kind} is not`;
    throw new TypeError(`apply: metadata.namespace is required: ${reason}`);
  }
  const namespacedMetadata = resource.namespaced ? { ...metadata, namespace } : metadata;
  const ownedObject = setControllerReference(owner, {
    ...configuration,
    metadata: namespacedMetadata as typeof configuration.metadata,
  });
  // The cast is safe: `ownedObject` has a namespace if its kind is namespaced.
  return await client.apply(resource, ownedObject as unknown as ApplyConfiguration<T>, { force: true, signal });
}

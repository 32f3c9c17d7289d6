/** Server-side apply of the objects that a reconciled object owns. */
import type { Writer } from '../client/client.ts';
import type { ApplyConfiguration, OwnedConfiguration } from '../client/patch.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { setControllerReference } from '../kubernetes/owners.ts';
import type { Resource } from '../kubernetes/resource.ts';

/**
 * Applies an object that `owner` controls, and takes over fields that other managers own. Without a namespace, the
 * object uses the namespace of `owner`. Throws a TypeError when the owner cannot own an object there: the garbage
 * collector deletes an object whose owner it does not find in its namespace.
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
  const owned = setControllerReference(owner, {
    ...configuration,
    metadata: namespacedMetadata as typeof configuration.metadata,
  });
  // The object now has its namespace, if its kind is namespaced.
  return await client.apply(resource, owned as unknown as ApplyConfiguration<T>, { force: true, signal });
}

import type { EditableMeta, KubernetesObject, NewObject, SpecOf } from '../kubernetes/object.ts';
import { formatKey, type InputResource, type KeyFor, type ObjectKey } from '../kubernetes/resource.ts';
import type { Client, WriteOptions } from './client.ts';
import { mergeFrom } from './merge-from.ts';
import type { Patch } from './patch.ts';

/** The desired state of an object. Absent fields stay as they are; fields that are `undefined` are removed. */
export type DesiredState<T extends KubernetesObject, SpecInput = SpecOf<T>> = OptionalOrUndefined<
  Omit<NewObject<T, SpecInput>, 'apiVersion' | 'kind' | 'metadata'>
> & {
  readonly metadata?: Partial<ObjectKey> & EditableMeta;
};

/** `T` whose optional fields may be undefined. */
type OptionalOrUndefined<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

export interface CreateOrUpdateResult<T extends KubernetesObject> {
  readonly result: 'created' | 'updated' | 'unchanged';
  readonly object: T;
}

/**
 * Reads an object, and creates or updates it when `mutate` returns another state; leaves the status alone. Throws the
 * errors of the client, including a conflict when another client wrote first. If you own the whole object, {@link
 * Writer.apply} needs no read.
 * @param mutate Gets the current object, or `undefined` when it does not exist, and returns the desired state. A
 *   returned field replaces the whole field: `spec: { ...current?.spec, replicas: 2 }` keeps the defaults that the API
 *   server filled in.
 */
export async function createOrUpdate<T extends KubernetesObject, SpecInput = SpecOf<T>>(
  client: Pick<Client, 'get' | 'create' | 'update'>,
  resource: InputResource<T, SpecInput>,
  key: KeyFor<NoInfer<T>>,
  mutate: (current: T | undefined) => DesiredState<NoInfer<T>, NoInfer<SpecInput>>,
  options: WriteOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  const write = (changed: T) => client.update(resource, changed, options);
  return await writeDesired(client, { resource, key, mutate, options, write });
}

/**
 * Like {@link createOrUpdate}, but sends only the difference, as a merge patch: concurrent changes by other clients are
 * neither lost nor a conflict. Lists are replaced as a whole.
 */
export async function createOrPatch<T extends KubernetesObject, SpecInput = SpecOf<T>>(
  client: Pick<Client, 'get' | 'create' | 'patch'>,
  resource: InputResource<T, SpecInput>,
  key: KeyFor<NoInfer<T>>,
  mutate: (current: T | undefined) => DesiredState<NoInfer<T>, NoInfer<SpecInput>>,
  options: WriteOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  const write = (_: T, patch: Patch<T>) => client.patch(resource, key, patch, options);
  return await writeDesired(client, { resource, key, mutate, options, write });
}

interface DesiredWrite<T extends KubernetesObject, SpecInput> {
  readonly resource: InputResource<T, SpecInput>;
  readonly key: KeyFor<T>;
  readonly mutate: (current: T | undefined) => DesiredState<T, SpecInput>;
  readonly options: WriteOptions;
  /** Stores the changed object, or the patch that produces it. */
  readonly write: (changed: T, patch: Patch<T>) => Promise<T>;
}

async function writeDesired<T extends KubernetesObject, SpecInput>(
  client: Pick<Client, 'get' | 'create'>,
  { resource, key, mutate, options, write }: DesiredWrite<T, SpecInput>,
): Promise<CreateOrUpdateResult<T>> {
  const current = await client.get(resource, key, options);
  const desired = mutate(current);
  const metadata = mergeMetadata(key, desired);
  if (current === undefined) {
    const object = { ...desired, metadata } as unknown as NewObject<T, SpecInput>; // DesiredState has the other fields
    return { result: 'created', object: await client.create(resource, object, options) };
  }
  const changed = { ...current, ...desired, metadata: { ...current.metadata, ...metadata } };
  const patch = mergeFrom<T>(current, changed);
  if (Object.keys(patch.body).length === 0) return { result: 'unchanged', object: current };
  const object = await write(changed, patch);
  // The API server stores nothing when its defaults make both states equal.
  const isStored = object.metadata.resourceVersion !== current.metadata.resourceVersion;
  return { result: isStored ? 'updated' : 'unchanged', object };
}

function mergeMetadata(key: ObjectKey, { metadata }: { readonly metadata?: Partial<ObjectKey> }): ObjectKey {
  const { namespace, name } = key;
  const { namespace: desiredNamespace = namespace, name: desiredName = name } = metadata ?? {};
  if (desiredNamespace !== namespace || desiredName !== name) {
    throw new TypeError(`the name and namespace of ${formatKey(key)} cannot be changed`);
  }
  return { ...metadata, ...key };
}

import type { EditableMeta, KubernetesObject, NewObject, SpecOf } from '../kubernetes/object.ts';
import { formatKey, type InputResource, type KeyFor, type ObjectKey } from '../kubernetes/resource.ts';
import type { Client, WriteOptions } from './client.ts';
import { mergeFrom } from './merge-from.ts';
import type { Patch } from './patch.ts';

/** The desired state of an object. Absent fields do not change. Fields with the value `undefined` are removed. */
export type DesiredState<T extends KubernetesObject, SpecInput = SpecOf<T>> = OptionalOrUndefined<
  Omit<NewObject<T, SpecInput>, 'apiVersion' | 'kind' | 'metadata'>
> & {
  readonly metadata?: Partial<ObjectKey> & EditableMeta;
};

/** Adds `undefined` to the type of each optional field of `T`. */
type OptionalOrUndefined<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** Result of `createOrUpdate` and `createOrPatch`. */
export interface CreateOrUpdateResult<T extends KubernetesObject> {
  /** The result of the call. `unchanged` means that the stored object has not changed. */
  readonly result: 'created' | 'updated' | 'unchanged';
  /** The object that the API server stores now. */
  readonly object: T;
}

/**
 * Reads an object, and creates or updates it if `mutate` returns a different state. Does not change the status. Throws the errors
 * of the client, including a conflict if another client has changed the object. If you set all fields of the object, use {@link
 * Writer.apply} instead, which does not read the object.
 * @param mutate Receives the current object, or `undefined` if it does not exist. Returns the desired state. Each field of the
 * desired state replaces the whole current field. For example, `spec: { ...current?.spec, replicas: 2 }` keeps the defaults that
 * the API server has set.
 */
export async function createOrUpdate<T extends KubernetesObject, SpecInput = SpecOf<T>>(
  client: Pick<Client, 'get' | 'create' | 'update'>,
  resource: InputResource<T, SpecInput>,
  key: KeyFor<NoInfer<T>>,
  mutate: (current: T | undefined) => DesiredState<NoInfer<T>, NoInfer<SpecInput>>,
  options: WriteOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  const write = (updatedObject: T) => client.update(resource, updatedObject, options);
  return await writeDesiredState(client, { resource, key, mutate, options, write });
}

/**
 * Like {@link createOrUpdate}, but sends a merge patch. The patch contains only changed fields, so that it does not
 * conflict with concurrent changes of other fields. A changed list replaces the whole list.
 */
export async function createOrPatch<T extends KubernetesObject, SpecInput = SpecOf<T>>(
  client: Pick<Client, 'get' | 'create' | 'patch'>,
  resource: InputResource<T, SpecInput>,
  key: KeyFor<NoInfer<T>>,
  mutate: (current: T | undefined) => DesiredState<NoInfer<T>, NoInfer<SpecInput>>,
  options: WriteOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  const write = (_: T, patch: Patch<T>) => client.patch(resource, key, patch, options);
  return await writeDesiredState(client, { resource, key, mutate, options, write });
}

interface WriteInput<T extends KubernetesObject, SpecInput> {
  readonly resource: InputResource<T, SpecInput>;
  readonly key: KeyFor<T>;
  readonly mutate: (current: T | undefined) => DesiredState<T, SpecInput>;
  readonly options: WriteOptions;
  readonly write: (updatedObject: T, patch: Patch<T>) => Promise<T>;
}

async function writeDesiredState<T extends KubernetesObject, SpecInput>(
  client: Pick<Client, 'get' | 'create'>,
  { resource, key, mutate, options, write }: WriteInput<T, SpecInput>,
): Promise<CreateOrUpdateResult<T>> {
  const current = await client.get(resource, key, options);
  const desiredState = mutate(current);
  const metadata = mergeMetadata(key, desiredState);
  if (current === undefined) {
    // TypeScript cannot derive that DesiredState and its metadata have all fields of NewObject.
    const object = { ...desiredState, metadata } as unknown as NewObject<T, SpecInput>;
    return { result: 'created', object: await client.create(resource, object, options) };
  }
  const updatedObject = { ...current, ...desiredState, metadata: { ...current.metadata, ...metadata } };
  const patch = mergeFrom<T>(current, updatedObject);
  if (Object.keys(patch.body).length === 0) return { result: 'unchanged', object: current };
  const object = await write(updatedObject, patch);
  // The API server stores nothing if its defaults make both states equal.
  const hasChanged = object.metadata.resourceVersion !== current.metadata.resourceVersion;
  return { result: hasChanged ? 'updated' : 'unchanged', object };
}

function mergeMetadata(key: ObjectKey, { metadata }: { readonly metadata?: Partial<ObjectKey> }): ObjectKey {
  const { namespace, name } = key;
  const { namespace: desiredNamespace = namespace, name: desiredName = name } = metadata ?? {};
  if (desiredNamespace !== namespace || desiredName !== name) {
    throw new TypeError(`the name and namespace of ${formatKey(key)} cannot be changed`);
  }
  return { ...metadata, ...key };
}

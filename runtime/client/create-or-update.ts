/** Makes an object, or changes it, and tells which of the two it was. */
import { isDeepStrictEqual } from 'node:util';
import type { EditableMeta, KubernetesObject, NewObject, SpecOf } from '../kubernetes/object.ts';
import { type InputResource, type KeyOf, keyOf, type ObjectKey } from '../kubernetes/resource.ts';
import type { Client, WriteOptions } from './client.ts';

/** What an object is to have. Fields that are absent stay as they are; those that are `undefined` are removed. */
export type Wanted<T extends KubernetesObject, SpecInput = SpecOf<T>> = Removable<
  Omit<NewObject<T, SpecInput>, 'apiVersion' | 'kind' | 'metadata'>
> & {
  readonly metadata?: Partial<ObjectKey> & EditableMeta;
};

/** `T` whose optional fields may be undefined. */
type Removable<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

export interface CreatedOrUpdated<T extends KubernetesObject> {
  readonly result: 'created' | 'updated' | 'unchanged';
  /** As it is stored. */
  readonly object: T;
}

/**
 * Reads an object, and creates or updates it when `mutate` wants it otherwise; the status is left alone. Throws what the client
 * throws, a conflict when somebody else was faster. Where an object is all one's own, {@link Writer.apply} needs no read.
 * @param mutate Gets the object as it is, `undefined` when there is none, and returns what it is to have. A field that it returns
 *   is replaced as a whole: `spec: { ...current?.spec, replicas: 2 }` keeps the defaults that the API server filled in.
 */
export async function createOrUpdate<T extends KubernetesObject, SpecInput = SpecOf<T>>(
  client: Pick<Client, 'get' | 'create' | 'update'>,
  resource: InputResource<T, SpecInput>,
  key: KeyOf<NoInfer<T>>,
  mutate: (current: T | undefined) => Wanted<NoInfer<T>, NoInfer<SpecInput>>,
  options: WriteOptions = {},
): Promise<CreatedOrUpdated<T>> {
  const current = await client.get(resource, key, options);
  const wanted = mutate(current);
  const metadata = metadataOf(key, wanted);
  if (current === undefined) {
    const created = { ...wanted, metadata } as unknown as NewObject<T, SpecInput>; // Wanted has the rest of it
    return { result: 'created', object: await client.create(resource, created, options) };
  }
  const changed: T = { ...current, ...wanted, metadata: { ...current.metadata, ...metadata } };
  if (isDeepStrictEqual(asJson(changed), asJson(current))) return { result: 'unchanged', object: current };
  const object = await client.update(resource, changed, options);
  // The API server stores nothing when defaults make both the same.
  const isStored = object.metadata.resourceVersion !== current.metadata.resourceVersion;
  return { result: isStored ? 'updated' : 'unchanged', object };
}

function metadataOf(key: ObjectKey, { metadata }: { readonly metadata?: Partial<ObjectKey> }): ObjectKey {
  const { namespace, name } = key;
  const { namespace: wantedNamespace = namespace, name: wantedName = name } = metadata ?? {};
  if (wantedNamespace !== namespace || wantedName !== name) {
    throw new TypeError(`createOrUpdate: ${keyOf(key)} cannot be given another name or namespace`);
  }
  return { ...metadata, ...key };
}

/** Without what is undefined. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

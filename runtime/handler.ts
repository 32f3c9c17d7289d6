/** Which keys an event concerns. */
import { apiVersionOf, controllerOf, type KubernetesObject, keyOf, type Resource } from './client/object.ts';

/** The keys to reconcile because something happened to `object`. */
export type MapToKeys<T> = (object: T) => readonly string[];

/** The object itself. */
export const toItself: MapToKeys<KubernetesObject> = (object) => [keyOf(object)];

/** The object of kind `owner` that controls it. */
export function toController(owner: Resource): MapToKeys<KubernetesObject> {
  const group = groupOf(apiVersionOf(owner));
  return (object) => {
    const reference = controllerOf(object);
    if (reference?.kind !== owner.kind || groupOf(reference.apiVersion) !== group) return [];
    return [keyOf({ name: reference.name, ...(owner.namespaced ? namespaceOf(object) : {}) })];
  };
}

function namespaceOf({ metadata: { namespace } }: KubernetesObject): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

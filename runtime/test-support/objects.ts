/** Objects and kinds for tests of code that works with any kind. */
import type { KubernetesObject, ObjectMeta, OwnerReference } from '../kubernetes/object.ts';
import { clusterResource, type Resource } from '../kubernetes/resource.ts';
import { admissionReview, type ReviewOptions } from '../testing/admission-reviews.ts';

export interface Widget extends KubernetesObject {
  readonly spec: { readonly color: string };
  readonly status?: { readonly ready: boolean };
}

export const widgets: Resource<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  isCustomResource: true,
};

/** A cluster-scoped kind. */
export const racks: Resource = clusterResource('example.com/v1', 'Rack');

/** The Widget `default/a` at resource version 1. The UID of a Widget derives from its name. */
export function widget(metadata: Partial<ObjectMeta> = {}, spec: Widget['spec'] = { color: 'red' }): Widget {
  const { name = 'a' } = metadata;
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec,
  };
}

/** A built-in kind with only the fields that the tests use. */
export interface Job extends KubernetesObject {
  readonly spec: { readonly parallelism: number };
  readonly status?: { readonly ready: number };
}

export const jobs: Resource<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };

/** A Job as a client sends it. */
export function job(name: string, parallelism = 1, namespace = 'default') {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec: { parallelism } };
}

/** A reference to the Widget `name` as the controller of an object. */
export function widgetOwner(name: string, reference: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'example.com/v1', kind: 'Widget', name, uid: `uid-of-${name}`, controller: true, ...reference };
}

/** Returns an admission review. By default, the review is for the creation of {@link widget}. */
export function widgetReview({ request, ...options }: ReviewOptions = {}) {
  const kind = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const key = { namespace: 'default', name: 'a' };
  return admissionReview({ object: widget(), ...options, request: { kind, ...key, ...request } });
}

/** Returns `object` with a deletion timestamp. */
export function withDeletionTimestamp<T extends KubernetesObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
}

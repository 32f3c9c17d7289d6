/** The old path of what is in runtime/kubernetes. */
// biome-ignore lint/performance/noBarrelFile: until everybody imports from there
export {
  controllerOf,
  type KubernetesObject,
  type NewObject,
  type ObjectMeta,
  type OwnerReference,
} from '../kubernetes/object.ts';
export {
  apiVersionOf,
  keyOf,
  type ObjectKey,
  parseKey,
  pathOf,
  type Resource,
} from '../kubernetes/resource.ts';

/** Finds files that kustomize merges into other manifests, which are not complete CronJobs. */
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';

/** Paths relative to the folder of the kustomization; empty for an object of another kind. */
export function listKustomizePatches(object: unknown): readonly string[] {
  const kind = valueAt(object, 'kind');
  if (kind !== 'Kustomization' && kind !== 'Component') return [];
  const listed = ['patches', 'patchesStrategicMerge'].flatMap((name) => {
    const list = valueAt(object, name);
    return Array.isArray(list) ? list : [];
  });
  const paths = listed.map((patch: unknown) => (isRecord(patch) ? patch['path'] : patch));
  return paths.filter((path) => typeof path === 'string');
}

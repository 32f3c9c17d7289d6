/** Files that kustomize merges into other manifests: they are no CronJobs of their own. */
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';

/** Paths from the folder of the kustomization; none for an object of another kind. */
export function kustomizePatches(object: unknown): readonly string[] {
  const kind = valueAt(object, 'kind');
  if (kind !== 'Kustomization' && kind !== 'Component') return [];
  const listed = ['patches', 'patchesStrategicMerge'].flatMap((name) => {
    const list = valueAt(object, name);
    return Array.isArray(list) ? list : [];
  });
  const paths = listed.map((patch: unknown) => (isRecord(patch) ? patch['path'] : patch));
  return paths.filter((path) => typeof path === 'string');
}

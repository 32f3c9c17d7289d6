/** Finds the patch files of a kustomization. A patch is not a complete CronJob. */
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';

/** Returns paths relative to the folder of the kustomization. Returns an empty list if the object is not a kustomization. */
export function listKustomizePatches(object: unknown): readonly string[] {
  const kind = valueAt(object, 'kind');
  if (kind !== 'Kustomization' && kind !== 'Component') return [];
  const patches = ['patches', 'patchesStrategicMerge'].flatMap((name) => {
    const list = valueAt(object, name);
    return Array.isArray(list) ? list : [];
  });
  const paths = patches.map((patch: unknown) => (isRecord(patch) ? patch['path'] : patch));
  return paths.filter((path) => typeof path === 'string');
}

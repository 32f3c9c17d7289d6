/** Finds the patch files of a kustomization. A patch is not a complete CronJob. */
import { basename } from 'node:path';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';

/** Matches the names of the files that kustomize reads. In these files, the kind is optional. */
const KUSTOMIZATION_NAME = /^(?:kustomization\.ya?ml|Kustomization)$/;

/**
 * Returns paths relative to the folder of the kustomization. Returns an empty list if the object is not a kustomization.
 * @param file The path of the file that contains the object.
 */
export function listKustomizePatches(object: unknown, file: string): readonly string[] {
  const kind = valueAt(object, 'kind') ?? (KUSTOMIZATION_NAME.test(basename(file)) ? 'Kustomization' : undefined);
  if (kind !== 'Kustomization' && kind !== 'Component') return [];
  const patches = ['patches', 'patchesStrategicMerge'].flatMap((name) => {
    const list = valueAt(object, name);
    return Array.isArray(list) ? list : [];
  });
  const paths = patches.map((patch: unknown) => (isRecord(patch) ? patch['path'] : patch));
  return paths.filter((path) => typeof path === 'string');
}

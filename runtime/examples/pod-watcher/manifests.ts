/**
 * The rights of the watcher: `controller-runtime generate manifests.ts`. The generator adds the right to write Events.
 */
import type { OperatorManifests } from 'controller-runtime/manifests';

export const manifests: OperatorManifests = {
  manager: { name: 'pod-watcher' },
  rules: [{ group: '', resources: ['pods'], verbs: ['get', 'list', 'watch'] }],
};

/** What the watcher may do: `controller-runtime generate manifests.ts`. That it writes Events, the generator knows. */
import type { OperatorManifests } from 'controller-runtime/manifests';

export const manifests: OperatorManifests = {
  manager: { name: 'pod-watcher' },
  rules: [{ group: '', resources: ['pods'], verbs: ['get', 'list', 'watch'] }],
};

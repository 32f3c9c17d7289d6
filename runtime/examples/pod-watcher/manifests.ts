/** The permissions of the watcher: `controller-runtime generate manifests.ts` derives them from the controller. */
import type { OperatorManifests } from 'controller-runtime/manifests';
import { addController, NAME } from './watcher.ts';

export const manifests: OperatorManifests = {
  manager: { name: NAME },
  setUp: (manager) => addController(manager, 'example.com/team'),
};

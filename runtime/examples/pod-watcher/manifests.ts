/** `controller-runtime generate manifests.ts` derives the permissions of the watcher from its controller. */
import type { OperatorManifests } from 'controller-runtime/manifests';
import { addController, NAME } from './watcher.ts';

export const manifests: OperatorManifests = {
  manager: { name: NAME },
  setUp: (manager) => addController(manager, 'example.com/team'),
};

/** Adds the controller of the example `pod-watcher`. */
import { core, type Manager } from 'controller-runtime';

export const NAME = 'pod-watcher';

/** @param label The label that names the team. */
export function addController(manager: Manager, label: string): void {
  manager
    .controller('pod')
    .for(core.v1.pods, { labelSelector: `!${label}` })
    .reconcile(async (_pod, { event }) => {
      event('Warning', 'NoTeam', `this Pod has no owning team: add the label ${label}`);
    });
}

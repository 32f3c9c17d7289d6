/** Watches the Pods without the label of a team, and writes an Event about each of these Pods. */
import {
  core,
  createManager,
  managerFlags,
  parseProcessFlags,
  stopSignal,
  text,
  toManagerOptions,
} from 'controller-runtime';

const NAME = 'pod-watcher';

const flags = await parseProcessFlags({
  name: NAME,
  description: 'Reports Pods without an owning team.',
  version: '0.1.0',
  flags: {
    ...managerFlags({ name: NAME }),
    label: {
      group: 'Work',
      name: 'label',
      value: 'label',
      default: 'example.com/team',
      description: 'The label that names the team.',
      parse: text,
    },
  },
});
const manager = createManager({ name: NAME, ...toManagerOptions(flags) });
manager
  .controller('pod')
  .for(core.v1.pods, { labelSelector: `!${flags.label}` })
  .reconcile(async (_pod, { event }) => {
    event('Warning', 'NoTeam', `this Pod has no owning team: add the label ${flags.label}`);
  });
await manager.run(stopSignal());

/** Watches Pods that have no team label, and writes an Event about each of them. */
import { createManager, managerFlags, parseProcessFlags, stopSignal, text, toManagerOptions } from 'controller-runtime';
import { addController, NAME } from './watcher.ts';

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
addController(manager, flags.label);
await manager.run(stopSignal());

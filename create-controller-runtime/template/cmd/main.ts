/** The program of the operator: runs until SIGTERM or Ctrl-C. `node cmd/main.ts --help` lists the flags. */
import 'controller-runtime/no-inspector'; // first: SIGUSR1 does not open the inspector

import { createManager, parseProcessFlags, stopSignal, toManagerOptions } from 'controller-runtime';
import { NAME } from '../api/name.ts';
import manifest from '../package.json' with { type: 'json' };
import { addControllers, addWebhooks, FLAGS } from './operator.ts';

const { version } = manifest;
const flags = await parseProcessFlags({ name: NAME, version, description: 'A Kubernetes operator.', flags: FLAGS });
const manager = createManager({ name: NAME, version, ...toManagerOptions(flags) });
addControllers(manager);
addWebhooks(manager.webhooks);
await manager.run(stopSignal());

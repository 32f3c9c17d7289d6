/**
 * An operator that serves Websites. Each Website owns a ConfigMap with its page and a Deployment of a web server. The
 * ConfigMap `websites` lists the Websites of a namespace. A finalizer removes the name of a deleted Website from this
 * ConfigMap, because the ConfigMap has no owner.
 */
import 'controller-runtime/no-inspector'; // must be the first import, because a signal may arrive at any time

import { createManager, parseProcessFlags, stopSignal, toManagerOptions } from 'controller-runtime';
import { setUp } from './controller.ts';
import { FLAGS, NAME } from './website.ts';

const VERSION = '0.1.0';

const flags = await parseProcessFlags({
  name: NAME,
  description: 'Serves Websites.',
  version: VERSION,
  flags: FLAGS,
});
const manager = createManager({ name: NAME, version: VERSION, ...toManagerOptions(flags) });
setUp(manager);
await manager.run(stopSignal());

#!/usr/bin/env node
/**
 * The manager's entry point: reads the flags, creates the manager, adds webhooks and controllers, and runs until a signal stops it.
 */
import 'controller-runtime/no-inspector'; // first: after this import, SIGUSR1 opens no debugger
import 'controller-runtime/small-memory'; // early: memory allocated before this import stays allocated
import './schedule-entry.ts'; // next: `manager schedule` ends in this import, before the modules below are loaded

import { createManager, parseProcessFlags, stopSignal, toManagerOptions } from 'controller-runtime';
import { setupWithManager } from '../controllers/cronjob-controller.ts';
import { setupWebhooksWithManager } from '../controllers/cronjob-webhook.ts';
import { MANAGER, OPERATOR, withShareLease } from './flags.ts';
import { VERSION } from './version.ts';

// Dates are formatted in named zones; the zone of the machine must not affect the output.
process.env['TZ'] = 'UTC';

const flags = withShareLease(await parseProcessFlags(MANAGER));
const manager = createManager({ name: OPERATOR, version: VERSION, ...toManagerOptions(flags) });
setupWebhooksWithManager(manager.webhooks, manager);
setupWithManager(manager, flags);
await manager.run(stopSignal());

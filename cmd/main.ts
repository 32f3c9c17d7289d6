#!/usr/bin/env node
/** The manager's entry point: read the flags, create the manager, add webhooks and controllers, run until a signal stops it. */
import 'controller-runtime/no-inspector'; // first: from now on SIGUSR1 opens no debugger
import 'controller-runtime/small-memory'; // early: what is allocated before stays
import './schedule-entry.ts'; // next: `manager schedule` ends there, before anything below is loaded

import { createManager, flagsOfProcess, managerOptionsOf, stopSignal } from 'controller-runtime';
import { setupWithManager } from '../controllers/cronjob-controller.ts';
import { setupWebhooksWithManager } from '../controllers/cronjob-webhook.ts';
import { MANAGER, OPERATOR } from './flags.ts';
import { VERSION } from './version.ts';

// Dates are formatted in named zones; the zone of the machine must not affect the output.
process.env['TZ'] = 'UTC';

const flags = await flagsOfProcess(MANAGER);
const manager = createManager({ name: OPERATOR, version: VERSION, ...managerOptionsOf(flags) });
setupWebhooksWithManager(manager.webhooks, manager);
setupWithManager(manager, flags);
await manager.run(stopSignal());

#!/usr/bin/env node
/** The entry point of the manager. */
import 'controller-runtime/no-inspector'; // must be first, so that SIGUSR1 never opens a debugger
import 'controller-runtime/small-memory'; // must be early, because it does not affect memory that other modules have already allocated
import './schedule-entry.ts'; // `manager schedule` exits in this import, before the modules below are loaded

import { createManager, parseProcessFlags, stopSignal, toManagerOptions } from 'controller-runtime';
import { CronJob } from '../api/v2/cronjob-types.ts';
import { setupWithManager } from '../controllers/cronjob-controller.ts';
import { setupWebhooksWithManager } from '../controllers/cronjob-webhook.ts';
import { setupCronJobRunsWithManager } from '../controllers/cronjobrun-controller.ts';
import { setupCronJobRunWebhooksWithManager } from '../controllers/cronjobrun-webhook.ts';
import { addSelectorHashToLeaseName, MANAGER_PROGRAM, OPERATOR_NAME } from './flags.ts';
import { VERSION } from './version.ts';

// The time zone of the machine must not affect how dates are formatted.
process.env['TZ'] = 'UTC';

const flags = addSelectorHashToLeaseName(await parseProcessFlags(MANAGER_PROGRAM));
const manager = createManager({ name: OPERATOR_NAME, version: VERSION, ...toManagerOptions(flags) });
setupWebhooksWithManager(manager.webhooks, manager);
setupCronJobRunWebhooksWithManager(manager.webhooks, manager);
if (flags.convertsV2) manager.webhooks.convert(CronJob);
setupCronJobRunsWithManager(manager, setupWithManager(manager, flags));
await manager.run(stopSignal());

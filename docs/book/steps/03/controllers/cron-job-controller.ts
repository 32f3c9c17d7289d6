/** The controller of the kind CronJob. */
import type { Manager } from 'controller-runtime';
import { CronJob } from '../api/v1/cron-job-types.ts';

export function addCronJobController(manager: Manager): void {
  manager
    .controller('cron-job')
    .for(CronJob)
    .reconcile(async ({ spec }, { log }) => {
      log.info('reconciled the CronJob', { schedule: spec.schedule });
    });
}

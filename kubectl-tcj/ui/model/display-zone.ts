import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobInZone } from '../../plugin/report/sentences.ts';

/** A changed CronJob is a new object, so cached values are never stale. */
const cachedCronJobs = new WeakMap<CronJob, CronJobInZone>();

/** Two calls with the same arguments return the same object. */
export function withDisplayZone(cronJob: CronJob, zone: string): CronJobInZone {
  const cached = cachedCronJobs.get(cronJob);
  if (cached?.displayZone === zone) return cached;
  const cronJobInZone = { ...cronJob, displayZone: zone };
  cachedCronJobs.set(cronJob, cronJobInZone);
  return cronJobInZone;
}

import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobInZone } from '../../plugin/report/sentences.ts';

/** A changed CronJob is a new object, so the key is never stale. */
const cache = new WeakMap<CronJob, CronJobInZone>();

/** The CronJob with sentences whose times are in the zone. Returns the same object while both are unchanged. */
export function withDisplayZone(cronJob: CronJob, zone: string): CronJobInZone {
  const cached = cache.get(cronJob);
  if (cached?.shownZone === zone) return cached;
  const copy = { ...cronJob, shownZone: zone };
  cache.set(cronJob, copy);
  return copy;
}

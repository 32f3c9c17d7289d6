import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { ToldInZone } from '../../plugin/report/sentences.ts';

/** A changed CronJob is a new object, so the key is never stale. */
const known = new WeakMap<CronJob, ToldInZone>();

/** The CronJob with sentences whose times are in the zone. Returns the same object while both are unchanged. */
export function toldIn(cronJob: CronJob, zone: string): ToldInZone {
  const before = known.get(cronJob);
  if (before?.shownZone === zone) return before;
  const told = { ...cronJob, shownZone: zone };
  known.set(cronJob, told);
  return told;
}

import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { ToldInZone } from '../../plugin/report/sentences.ts';

/** Each object is new when it has changed. */
const known = new WeakMap<CronJob, ToldInZone>();

/** The same CronJob with sentences whose times are in the zone: the same object for as long as both are the same. */
export function toldIn(cronJob: CronJob, zone: string): ToldInZone {
  const before = known.get(cronJob);
  if (before?.shownZone === zone) return before;
  const told = { ...cronJob, shownZone: zone };
  known.set(cronJob, told);
  return told;
}

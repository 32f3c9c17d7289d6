/** Scheduled times that a suspension with an end leaves out. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { scheduleOf } from './schedule-of.ts';
import { timeOf } from './sentences.ts';

/** More are not counted. */
const MAX_COUNTED = 1000;

/** A sentence on those from now on. `undefined` for a schedule that cannot be read. */
export function leftOutSentence(cronJob: CronJob, now: Date, until: Date): string | undefined {
  // The time of the end itself runs.
  const times = scheduleOf(cronJob)?.between(now, new Date(until.getTime() - 1), { limit: MAX_COUNTED + 1 });
  if (times === undefined) return undefined;
  const [first] = times;
  if (first === undefined) return 'No time of the schedule falls into it.';
  if (times.length === 1) return `One run is left out: ${timeOf(cronJob, first)}.`;
  const many = times.length > MAX_COUNTED ? `More than ${MAX_COUNTED}` : times.length;
  return `${many} runs are left out, the first ${timeOf(cronJob, first)}.`;
}

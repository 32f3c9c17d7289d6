/** Runs that wait until the active one has ended (concurrencyPolicy Forbid). */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { slotOfJobName } from '../../../api/v1/job-names.ts';
import { waitingJobNames } from '../../../api/v1/reported.ts';
import { timeOf } from './sentences.ts';

/** Names of their Jobs. */
export function waitingRuns({ spec, status = {} }: CronJob): readonly string[] {
  return spec.concurrencyPolicy === 'Forbid' && (status.activeCount ?? 0) > 0 ? waitingJobNames(status) : [];
}

/** Empty when none waits. */
export function waitingSentence(cronJob: CronJob): string {
  const slots = waitingRuns(cronJob).map((jobName) => slotOfJobName(cronJob, jobName));
  // Runs by hand start first.
  const runs = [
    ...slots.filter((slot) => slot === undefined).map(() => 'a run by hand'),
    ...slots.filter((slot) => slot !== undefined).map((slot) => `the run of ${timeOf(cronJob, slot)}`),
  ];
  if (runs.length === 0) return '';
  const text = runs.join(', then ');
  const first = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return `${first} ${runs.length === 1 ? 'waits' : 'wait'} until the active run has ended (concurrencyPolicy Forbid).`;
}

/** One run, by the name of its Job: how it stands, and what it waits for. From the status alone. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RunResult } from '../../../api/v1/recent-lines.ts';
import { runSentence } from './sentences.ts';
import { timelineOf } from './timeline.ts';

export interface RunReport {
  readonly result: RunResult;
  readonly sentence: string;
}

/** `undefined` when the status has nothing of it: it has not started, or it is too long ago. */
export function runNamed(cronJob: CronJob, jobName: string): RunReport | undefined {
  const listed = runsOf(cronJob).find((run) => run.jobName === jobName);
  if (listed) return { result: listed.result, sentence: runSentence(cronJob, listed) };
  // With a recentRunsLimit of 0, or when more runs have started since than the list holds.
  const { active = [], lastRun } = cronJob.status ?? {};
  if (active.some(({ name }) => name === jobName)) return { result: 'Running', sentence: `Job ${jobName} is running.` };
  if (lastRun?.jobName !== jobName) return undefined;
  const { result, reason } = lastRun;
  return { result, sentence: `Job ${jobName}: ${result}${reason === undefined ? '' : `, ${reason}`}.` };
}

/** Newest first. */
export function runsOf(cronJob: CronJob): readonly RecentRun[] {
  return timelineOf(cronJob).entries.flatMap((entry) => (entry.kind === 'Run' ? [entry.run] : []));
}

/** Whether its Job could not be created. The manager tries again. */
export function isRefused({ status }: CronJob, jobName: string): boolean {
  return status?.failedStart?.jobName === jobName;
}

/** What keeps a run by hand from starting, as far as the status tells. */
export function waitsFor(cronJob: CronJob, jobName: string): string {
  const { spec, status = {} } = cronJob;
  if (isRefused(cronJob, jobName)) {
    return `its Job cannot be created: ${getCondition(status.conditions, 'Degraded')?.message ?? status.failedStart?.message}`;
  }
  if (spec.concurrencyPolicy === 'Forbid' && (status.activeCount ?? 0) > 0) {
    const names = (status.active ?? []).map(({ name }) => name).join(', ');
    return `it waits until the active run has ended (concurrencyPolicy Forbid): ${names}`;
  }
  return 'no manager has answered yet; it starts as soon as one does';
}

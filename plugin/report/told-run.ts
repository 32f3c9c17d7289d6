/** The run of which an answer tells, and what is known of its Pods. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { RecentRun } from '../../api/v1/recent-lines.ts';
import { runNamed, runsOf } from './run-named.ts';

/** One that is active, or has failed: its Pods tell why. */
export interface ToldRun {
  readonly jobName: string;
  readonly result: 'Running' | 'Failed';
}

/** What the Pods of a run tell. */
export interface PodsTold {
  readonly jobName: string;
  /** One sentence, or a few; empty when they tell nothing that matters. */
  readonly sentence: string;
  /** Better than what is to be done without knowing them. */
  readonly change?: string;
}

/** `undefined` for one whose Pods tell nothing. */
export function asTold({ jobName, result }: Pick<RecentRun, 'jobName' | 'result'>): ToldRun | undefined {
  return result === 'Running' || result === 'Failed' ? { jobName, result } : undefined;
}

/** The sentence of a run, with what its Pods tell. */
export function withPods(sentence: string, jobName: string, pods: PodsTold | undefined): string {
  return pods?.jobName === jobName && pods.sentence !== '' ? `${sentence} ${pods.sentence}` : sentence;
}

/** The newest run that is active, also where the status lists no runs (a recentRunsLimit of 0). */
export function activeRun(cronJob: CronJob): { readonly jobName: string; readonly sentence: string } | undefined {
  const jobName =
    runsOf(cronJob).find(({ result }) => result === 'Running')?.jobName ?? cronJob.status?.active?.at(-1)?.name;
  const report = jobName === undefined ? undefined : runNamed(cronJob, jobName);
  return jobName === undefined || report === undefined ? undefined : { jobName, sentence: report.sentence };
}

/** The run of which an answer tells, and what is known of its Pods. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { RecentRun } from '../../api/v1/recent-lines.ts';
import type { Remedy } from './remedy.ts';
import { runNamed, runsOf } from './run-named.ts';
import { nameOfRun } from './sentences.ts';

/** One that is active, or has failed: its Pods tell why. */
export interface ToldRun {
  readonly jobName: string;
  readonly result: 'Running' | 'Failed';
  /** Of one that failed. */
  readonly reason?: string;
  /** Of its Job. */
  readonly createdTime?: Date;
}

/** What the Pods of a run tell. */
export interface PodsTold {
  readonly jobName: string;
  /** One sentence, or a few; empty when they tell nothing that matters. */
  readonly sentence: string;
  /** Of a run that is active: said of it in place of that it runs, such as `has not started for 13m: it has no Pod`. */
  readonly notStarted?: string;
  /** They are gone, and what they printed with them. Default false. */
  readonly areGone?: boolean;
  /** Better than what is to be done without knowing them. */
  readonly remedy?: Remedy;
}

/** `undefined` for one whose Pods tell nothing. */
export function asTold(
  run: Pick<RecentRun, 'jobName' | 'result' | 'reason'> & Partial<Pick<RecentRun, 'createdTime'>>,
): ToldRun | undefined {
  const { jobName, result, reason, createdTime } = run;
  if (result !== 'Running' && result !== 'Failed') return undefined;
  return { jobName, result, ...(reason !== undefined && { reason }), ...(createdTime && { createdTime }) };
}

/** The sentence of a run, with what its Pods tell. */
export function withPods(
  cronJob: CronJob,
  { jobName, sentence }: { readonly jobName: string; readonly sentence: string },
  pods: PodsTold | undefined,
): string {
  if (pods?.jobName !== jobName) return sentence;
  const first = pods.notStarted === undefined ? sentence : `${nameWithJob(cronJob, jobName)} ${pods.notStarted}.`;
  return pods.sentence === '' ? first : `${first} ${pods.sentence}`;
}

function nameWithJob(cronJob: CronJob, jobName: string): string {
  const run = runsOf(cronJob).find((each) => each.jobName === jobName);
  return run === undefined ? `Job ${jobName}` : `${nameOfRun(cronJob, run)}, Job ${jobName},`;
}

/** The newest run that is active, also where the status lists no runs (a recentRunsLimit of 0). */
export function activeRun(cronJob: CronJob): { readonly told: ToldRun; readonly sentence: string } | undefined {
  const listed = runsOf(cronJob).find(({ result }) => result === 'Running');
  const jobName = listed?.jobName ?? cronJob.status?.active?.at(-1)?.name;
  const report = jobName === undefined ? undefined : runNamed(cronJob, jobName);
  if (jobName === undefined || report === undefined) return undefined;
  return {
    told: { jobName, result: 'Running', ...(listed && { createdTime: listed.createdTime }) },
    sentence: report.sentence,
  };
}

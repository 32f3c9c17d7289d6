/** The run of which an answer tells, and what is known of its Pods. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun } from '../../../api/v1/recent-lines.ts';
import { shownDuration } from '../terminal/times.ts';
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

/** As JSON can hold it: the page gets it from its server. */
export interface NotStarted {
  /** RFC 3339: when its Job was created. */
  readonly since: string;
  /** Such as `it has no Pod`. */
  readonly why: string;
}

/** What the Pods of a run tell. */
export interface PodsTold {
  readonly jobName: string;
  /** One sentence, or a few; empty when they tell nothing that matters. */
  readonly sentence: string;
  /** Of a run that is active and has long not started: said of it in place of that it runs. */
  readonly notStarted?: NotStarted;
  /** Its Job waits for somebody else than its Pods: no limit of time ends it, and to delete it is no help. Default false. */
  readonly isHeld?: boolean;
  /** They are gone, and what they printed with them. Default false. */
  readonly areGone?: boolean;
  /** Better than what is to be done without knowing them. */
  readonly remedy?: Remedy;
}

/** When an answer is made, and what it is made from besides the CronJob. */
export interface Known {
  readonly now: Date;
  /** What is known of the Pods of {@link Answer.run}. */
  readonly pods?: PodsTold | undefined;
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
  { now, pods }: Known,
): string {
  if (pods?.jobName !== jobName) return sentence;
  const { notStarted } = pods;
  const first =
    notStarted === undefined ? sentence : `${nameWithJob(cronJob, jobName)} ${hasNotStarted(notStarted, now)}.`;
  return pods.sentence === '' ? first : `${first} ${pods.sentence}`;
}

function hasNotStarted({ since, why }: NotStarted, now: Date): string {
  return `has not started for ${shownDuration(now.getTime() - Date.parse(since))}: ${why}`;
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

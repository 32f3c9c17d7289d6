import { integer } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import { type ClusterInvocation, type Command, CommandError, type CommandFlag, FAILED_EXIT_CODE } from '../command.ts';
import { getCronJob, reloadCronJob, runWithSession } from '../cron-jobs.ts';
import { parseFlag } from '../flag-value.ts';
import { createLogPrinter } from '../logs/log-printer.ts';
import type { LogSummary, RunLogsOptions } from '../logs/log-target.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { createReconnectingClusterSession } from '../reconnecting-cluster-session.ts';
import { findRunReport } from '../report/run-report.ts';
import { describeRun } from '../report/sentences.ts';
import { listRuns } from '../report/timeline.ts';

const RUN_FLAG: CommandFlag = {
  name: 'run',
  value: 'job',
  description: 'Job of the run (default: the most recent run).',
  values: 'runs',
};
const FOLLOW_FLAG = { name: 'follow', short: 'f', description: 'Stream the logs until the run ends.' };
const CONTAINER_FLAG = {
  name: 'container',
  short: 'c',
  value: 'name',
  description: 'Print the logs of this container only.',
};
const TAIL_FLAG = { name: 'tail', value: 'lines', description: 'Number of recent lines to print per container.' };

export const logsCommand: Command = {
  name: 'logs',
  description: 'Print the logs of all containers of a run.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [RUN_FLAG, FOLLOW_FLAG, CONTAINER_FLAG, TAIL_FLAG, ...CLUSTER_FLAGS],
  examples: [
    { task: 'Print the logs of the most recent run', args: 'logs nightly-backup' },
    { task: 'Stream the logs of the most recent run until it ends', args: 'logs nightly-backup -f' },
    { task: 'Print the logs of an older run', args: 'logs nightly-backup --run nightly-backup-1795432920' },
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal } = invocation;
    const tailLines = parseFlag(flagValues, TAIL_FLAG, integer(0, 1_000_000_000));
    const cronJob = await getCronJob(invocation);
    const { namespace } = cronJob.metadata;
    const jobName = flagValues.get(RUN_FLAG.name) ?? listRuns(cronJob)[0]?.jobName ?? cronJob.status?.lastRun?.jobName;
    if (jobName === undefined) throw new CommandError('this CronJob has no runs yet');
    const shouldFollow = flagValues.has(FOLLOW_FLAG.name);
    const notify = (sentence: string) => terminal.err(`${sentence}\n`);
    const session = shouldFollow
      ? createReconnectingClusterSession(invocation.session, { ...invocation, notify })
      : invocation.session;
    const logAccess = { ...invocation, session };
    const isRunFinished = shouldFollow ? createRunEndCheck(cronJob, jobName, logAccess) : undefined;
    const options = { namespace, jobName, container: flagValues.get(CONTAINER_FLAG.name), tailLines, isRunFinished };
    const logs = await readRunLogs(options, logAccess, createLogPrinter(terminal, false));
    if (logs.readCount > 0) return 0;
    terminal.err(`${describeMissingLogs(cronJob, options, logs)}\n`);
    return FAILED_EXIT_CODE;
  }),
};

/** Returns a function that reads the CronJob and checks whether the run has finished. */
function createRunEndCheck(
  cronJob: CronJob,
  jobName: string,
  access: Pick<ClusterInvocation, 'signal' | 'session'>,
): () => Promise<boolean> {
  return async () => findRunReport(await reloadCronJob(cronJob, access), jobName)?.result !== 'Running';
}

export function describeMissingLogs(
  cronJob: CronJob,
  { jobName, container }: Pick<RunLogsOptions, 'jobName' | 'container'>,
  { failedCount, containerNames }: LogSummary,
): string {
  const runs = listRuns(cronJob);
  const run = runs.find((each) => each.jobName === jobName);
  if (containerNames.length === 0 && findRunReport(cronJob, jobName) === undefined) {
    const names = runs.slice(0, MAX_SUGGESTED_RUNS).map((each) => each.jobName);
    const suggestion = names.length === 0 ? '' : `; the most recent runs are ${names.join(', ')}`;
    return `run ${jobName} not found${suggestion}`;
  }
  if (container !== undefined && containerNames.length > 0 && !containerNames.includes(container)) {
    return `Job ${jobName} has no container ${container}; its containers are ${containerNames.join(', ')}`;
  }
  const result = run ? ` ${describeRun(cronJob, run)}` : '';
  if (failedCount > 0) return `cannot read the logs of Job ${jobName}.${result}`;
  const cause =
    containerNames.length > 0
      ? 'no container has started'
      : run?.result === 'Running'
        ? 'it has no Pods'
        : 'its Pods no longer exist';
  return `Job ${jobName} has no logs: ${cause}.${result}`;
}

const MAX_SUGGESTED_RUNS = 5;

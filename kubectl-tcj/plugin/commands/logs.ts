import { integer } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import { type ClusterInvocation, type Command, CommandError, FAILED_EXIT_CODE, type Flag } from '../command.ts';
import { asItIsNow, atCluster, oneCronJob } from '../cron-jobs.ts';
import { flagValue } from '../flag-value.ts';
import type { LogsRead, RunLogsOptions } from '../logs/log-target.ts';
import { printedLogs } from '../logs/printed-logs.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { reconnecting } from '../reconnecting.ts';
import { runNamed } from '../report/run-named.ts';
import { runSentence } from '../report/sentences.ts';
import { runsOf } from '../report/timeline.ts';

const RUN: Flag = {
  name: 'run',
  value: 'job',
  description: 'Job to read (default: the most recent run).',
  values: 'runs',
};
const FOLLOW = { name: 'follow', short: 'f', description: 'Stream the logs until the run ends.' };
const CONTAINER = {
  name: 'container',
  short: 'c',
  value: 'name',
  description: 'Print the logs of this container only.',
};
const TAIL = { name: 'tail', value: 'lines', description: 'Number of recent lines to print per container.' };

export const logsCommand: Command = {
  name: 'logs',
  description: 'Print the logs of a run: all containers in all its Pods.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [RUN, FOLLOW, CONTAINER, TAIL, ...OF_CLUSTER],
  examples: [
    { task: 'Print the logs of the most recent run', line: 'logs nightly-backup' },
    { task: 'Stream the logs of the most recent run until it ends', line: 'logs nightly-backup -f' },
    { task: 'Print the logs of an older run', line: 'logs nightly-backup --run nightly-backup-1795432920' },
  ],
  run: atCluster(async (invocation) => {
    const { given, terminal } = invocation;
    const tailLines = flagValue(given, TAIL, integer(0, 1_000_000_000));
    const cronJob = await oneCronJob(invocation);
    const { namespace } = cronJob.metadata;
    const jobName = given.get(RUN.name) ?? runsOf(cronJob)[0]?.jobName ?? cronJob.status?.lastRun?.jobName;
    if (jobName === undefined) throw new CommandError('this CronJob has no runs yet');
    const follows = given.has(FOLLOW.name);
    const tell = (sentence: string) => terminal.err(`${sentence}\n`);
    const session = follows ? reconnecting(invocation.session, { ...invocation, tell }) : invocation.session;
    const asking = { ...invocation, session };
    const isOver = follows ? overOf(cronJob, jobName, asking) : undefined;
    const options = { namespace, jobName, container: given.get(CONTAINER.name), tailLines, isOver };
    const logs = await readRunLogs(options, asking, printedLogs(terminal, false));
    if (logs.read > 0) return 0;
    terminal.err(`${noLogs(cronJob, options, logs)}\n`);
    return FAILED_EXIT_CODE;
  }),
};

/** Returns a function that checks whether the run has ended. */
export function overOf(
  cronJob: CronJob,
  jobName: string,
  asking: Pick<ClusterInvocation, 'signal' | 'session'>,
): () => Promise<boolean> {
  return async () => runNamed(await asItIsNow(cronJob, asking), jobName)?.result !== 'Running';
}

/** The message for a run without logs. */
export function noLogs(
  cronJob: CronJob,
  { jobName, container }: Pick<RunLogsOptions, 'jobName' | 'container'>,
  { failed, containers }: LogsRead,
): string {
  const runs = runsOf(cronJob);
  const run = runs.find((each) => each.jobName === jobName);
  if (containers.length === 0 && runNamed(cronJob, jobName) === undefined) {
    const known = runs.slice(0, MAX_NAMED).map((each) => each.jobName);
    const others = known.length === 0 ? '' : `; the most recent runs are ${known.join(', ')}`;
    return `run ${jobName} not found${others}`;
  }
  if (container !== undefined && containers.length > 0 && !containers.includes(container)) {
    return `Job ${jobName} has no container ${container}; its containers are ${containers.join(', ')}`;
  }
  const known = run ? ` ${runSentence(cronJob, run)}` : '';
  if (failed > 0) return `cannot read the logs of Job ${jobName}.${known}`;
  const why =
    containers.length > 0
      ? 'no container has started'
      : run?.result === 'Running'
        ? 'it has no Pods'
        : 'its Pods no longer exist';
  return `Job ${jobName} has no logs: ${why}.${known}`;
}

/** Maximum number of runs to suggest. */
const MAX_NAMED = 5;

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
  description: 'Of this Job. Default that of the newest run.',
  values: 'runs',
};
const FOLLOW = { name: 'follow', short: 'f', description: 'Goes on until the run has ended.' };
const CONTAINER = { name: 'container', short: 'c', value: 'name', description: 'Only this one.' };
const TAIL = { name: 'tail', value: 'lines', description: 'Only the last so many lines of each.' };

export const logsCommand: Command = {
  name: 'logs',
  description: 'Shows what the containers of a run have printed, of all its Pods.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [RUN, FOLLOW, CONTAINER, TAIL, ...OF_CLUSTER],
  examples: [
    { wish: 'what the newest run printed', line: 'logs nightly-backup' },
    { wish: 'what it prints, until it ends', line: 'logs nightly-backup -f' },
    { wish: 'what an older run printed', line: 'logs nightly-backup --run nightly-backup-1795432920' },
  ],
  run: atCluster(async (invocation) => {
    const { given, terminal } = invocation;
    const tailLines = flagValue(given, TAIL, integer(0, 1_000_000_000));
    const cronJob = await oneCronJob(invocation);
    const { namespace } = cronJob.metadata;
    const jobName = given.get(RUN.name) ?? runsOf(cronJob)[0]?.jobName ?? cronJob.status?.lastRun?.jobName;
    if (jobName === undefined) throw new CommandError('no run is known of this CronJob');
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
    const others = known.length === 0 ? '' : `; its newest runs are ${known.join(', ')}`;
    return `no run ${jobName} of this CronJob is known, and it has no Pod${others}`;
  }
  if (container !== undefined && containers.length > 0 && !containers.includes(container)) {
    return `Job ${jobName} has no container ${container}; it has ${containers.join(', ')}`;
  }
  const known = run ? ` ${runSentence(cronJob, run)}` : '';
  if (failed > 0) return `no log of Job ${jobName} could be read.${known}`;
  const why =
    containers.length > 0 ? 'none has started' : run?.result === 'Running' ? 'it has no Pod' : 'its Pods are gone';
  return `no container of Job ${jobName} has a log: ${why}.${known}`;
}

/** Maximum number of runs to suggest. */
const MAX_NAMED = 5;

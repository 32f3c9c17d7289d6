/** Follows a CronJobRun until all of its runs have ended. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { type CronJobRun, RUN_PLURAL } from '../../../api/v1/cronjobrun-types.ts';
import { GROUP } from '../../../api/v1/groupversion.ts';
import { CommandError, FAILED_EXIT_CODE } from '../command.ts';
import { addClusterFlags, formatCommandLine } from '../command-line.ts';
import { reloadCronJobRun } from '../cron-job-runs.ts';
import { reloadCronJob } from '../cron-jobs.ts';
import { describeCronJobRun } from '../report/cron-job-run-state.ts';
import { formatTcjCommand } from '../report/remedy.ts';
import { pollUntilDeadline, type RunContext, START_TIMEOUT_MS } from './run-context.ts';

/** Prints the numbers of runs when they change, and the reason if no run starts. @returns the exit code. */
export async function followBackfill(cronJobRun: CronJobRun, cronJob: CronJob, context: RunContext): Promise<number> {
  const { terminal, signal } = context;
  const { name } = cronJobRun.metadata;
  try {
    const end = await waitForEnd(cronJobRun, cronJob, context);
    if (end === undefined)
      throw new CommandError(
        `timed out: CronJobRun ${name} continues; to see its state later, use: ${formatKubectlCommand('get', cronJobRun, context)}`,
      );
    const { hasFailed, message } = end;
    terminal.out(`CronJobRun ${name} ${hasFailed ? 'failed' : 'completed'}: ${message}\n`);
    if (!hasFailed) return 0;
    terminal.err(`to see its runs, use: ${addClusterFlags(formatTcjCommand('history', cronJob), context)}\n`);
    return FAILED_EXIT_CODE;
  } catch (error) {
    if (signal.aborted)
      terminal.err(
        `interrupted; CronJobRun ${name} continues; to stop it, use: ${formatKubectlCommand('delete', cronJobRun, context)}\n`,
      );
    throw error;
  }
}

async function waitForEnd(cronJobRun: CronJobRun, cronJob: CronJob, context: RunContext) {
  const { terminal, clock } = context;
  const firstWaitReportMs = clock.monotonicMs() + START_TIMEOUT_MS;
  let lastMessage = '';
  return await pollUntilDeadline(async () => {
    const run = await reloadCronJobRun(cronJobRun, context);
    const state = describeCronJobRun(run, await reloadCronJob(cronJob, context));
    if (state.kind === 'Ended') return state;
    const { message, isBlocked } = state;
    // If a run waits only for a short time, no message is necessary.
    if (message === lastMessage || (isBlocked && clock.monotonicMs() < firstWaitReportMs)) return undefined;
    if (isBlocked) terminal.err(`CronJobRun ${run.metadata.name} starts no run now: ${message}\n`);
    else terminal.out(`${message}\n`);
    lastMessage = message;
    return undefined;
  }, context);
}

function formatKubectlCommand(verb: 'get' | 'delete', { metadata }: CronJobRun, context: RunContext): string {
  const words = ['kubectl', verb, `${RUN_PLURAL}.${GROUP}`, metadata.name, '-n', metadata.namespace];
  return addClusterFlags(formatCommandLine(words), context);
}

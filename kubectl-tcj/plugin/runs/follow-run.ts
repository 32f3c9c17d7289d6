/** Follows a requested run until it starts or ends. */

import { CommandError, FAILED_EXIT_CODE } from '../command.ts';
import { addClusterFlags } from '../command-line.ts';
import { createLogPrinter } from '../logs/log-printer.ts';
import type { LogAccess } from '../logs/log-target.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { formatObjectName } from '../output.ts';
import { formatTcjCommand } from '../report/remedy.ts';
import type { RequestedRun } from './requested-run.ts';
import { LOGS_FLAG, pollUntilDeadline, type RunContext, START_TIMEOUT_MS, shouldWaitForEnd } from './run-context.ts';

/**
 * Waits until the run starts, or until it ends if the user has set a flag such as --wait.
 * @param formatResult Returns the text to print after the run has started.
 * @returns the exit code.
 */
export async function followRun(
  run: RequestedRun,
  context: RunContext,
  formatResult: () => Promise<string>,
): Promise<number> {
  try {
    const outcome = await waitForStart(run, context);
    if (outcome === 'Refused') return FAILED_EXIT_CODE;
    if (outcome === 'Waits') return reportNotStarted(run, context);
    const code = shouldWaitForEnd(context) ? await waitForEnd(run, context) : 0;
    if (context.format !== 'text') context.print(await formatResult());
    return code;
  } catch (error) {
    if (context.signal.aborted) context.terminal.err(`interrupted; Job ${run.jobName} continues\n`);
    throw error;
  }
}

/** Waits until the run starts, and reports why the run has to wait. */
async function waitForStart(
  { jobName, readProgress }: RequestedRun,
  context: RunContext,
): Promise<'Started' | 'Waits' | 'Refused'> {
  const { clock, terminal, deadlineMs } = context;
  const firstReportMs = Math.min(clock.monotonicMs() + START_TIMEOUT_MS, deadlineMs);
  let lastReason = '';
  let isRefused = false;
  const hasStarted = await pollUntilDeadline(async () => {
    const progress = await readProgress();
    if (progress.kind === 'Started') return true;
    const { reason, hasFailedStart } = progress;
    isRefused = hasFailedStart;
    if (clock.monotonicMs() < firstReportMs || reason === lastReason) return undefined;
    terminal.err(`Job ${jobName} has not started: ${reason}\n`);
    lastReason = reason;
    return undefined;
  }, context);
  if (!hasStarted) return isRefused ? 'Refused' : 'Waits';
  terminal.out(`Job ${jobName} created\n`);
  return 'Started';
}

/**
 * Reports that the run has not started. The command then fails if --wait, --logs, -o json or -o yaml is set.
 * @returns the exit code.
 */
function reportNotStarted({ jobName }: RequestedRun, { flagValues, terminal, format, print }: RunContext): number {
  if (shouldWaitForEnd({ flagValues })) {
    terminal.err(`timed out waiting for Job ${jobName} to start; it starts as soon as it can\n`);
    return FAILED_EXIT_CODE;
  }
  if (format === 'name') print(formatObjectName({ apiVersion: 'batch/v1', kind: 'Job' }, jobName));
  return format === 'text' || format === 'name' ? 0 : FAILED_EXIT_CODE;
}

/** @returns the exit code. */
async function waitForEnd(run: RequestedRun, context: RunContext): Promise<number> {
  const { flagValues, terminal } = context;
  const { cronJob, jobName } = run;
  if (flagValues.has(LOGS_FLAG.name)) await showLogs(run, context);
  const report = await pollUntilDeadline(async () => {
    const latestReport = await readReport(run);
    if (latestReport) return latestReport.result === 'Running' ? undefined : latestReport;
    throw new CommandError(`the result of Job ${jobName} is unknown: the status lists only newer runs`);
  }, context);
  if (report === undefined) {
    const historyCommandLine = addClusterFlags(formatTcjCommand('history', cronJob), context);
    throw new CommandError(
      `timed out: Job ${jobName} is still running; to see its result later, use: ${historyCommandLine}`,
    );
  }
  terminal.out(`${report.sentence}\n`);
  if (report.result === 'Succeeded') return 0;
  const logsCommandLine = addClusterFlags(formatTcjCommand('logs', cronJob, '--run', jobName), context);
  terminal.err(`to see its logs, use: ${logsCommandLine}\n`);
  return FAILED_EXIT_CODE;
}

async function readReport({ readProgress }: RequestedRun) {
  const progress = await readProgress();
  return progress.kind === 'Started' ? progress.report : undefined;
}

/** Streams the logs until the run finishes or the timeout expires. */
async function showLogs(run: RequestedRun, context: RunContext): Promise<void> {
  const { jobName, cronJob } = run;
  const { namespace } = cronJob.metadata;
  const { clock, terminal, deadlineMs } = context;
  const timeoutController = new AbortController();
  const abort = () => timeoutController.abort();
  const cancel =
    deadlineMs === Number.POSITIVE_INFINITY ? abort : clock.schedule(deadlineMs - clock.monotonicMs(), abort);
  const logAccess: LogAccess = { ...context, signal: AbortSignal.any([context.signal, timeoutController.signal]) };
  try {
    const isRunFinished = async () => (await readReport(run))?.result !== 'Running';
    await readRunLogs({ namespace, jobName, isRunFinished }, logAccess, createLogPrinter(terminal, true));
  } catch (error) {
    if (!timeoutController.signal.aborted) throw error;
  } finally {
    cancel();
  }
}

import { findApiError, sleep } from 'controller-runtime';
import { batch } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { toManualJobName } from '../../../api/v1/job-names.ts';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import {
  type ClusterInvocation,
  type Command,
  CommandError,
  FAILED_EXIT_CODE,
  type Terminal,
  UsageError,
} from '../command.ts';
import { addClusterFlags } from '../command-line.ts';
import { cronJobs, getCronJob, reloadCronJob, runWithSession } from '../cron-jobs.ts';
import { createTimeoutFlag, parseTimeout } from '../flag-value.ts';
import { createLogPrinter } from '../logs/log-printer.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import {
  formatObject,
  formatObjectName,
  parseOutputFormat,
  RESULT_FORMATS,
  RESULT_OUTPUT_FLAG,
  type ResultFormat,
  redirectMessages,
} from '../output.ts';
import { poll } from '../poll.ts';
import { createReconnectingSession, isTemporary, RESPONSE_TIMEOUT_MS } from '../reconnecting-session.ts';
import { createRunRequest } from '../report/changes.ts';
import { formatTcjCommand } from '../report/remedy.ts';
import { describeManualRunWait, findRunReport, hasFailedStart } from '../report/run-report.ts';
import { createRunEndCheck } from './logs.ts';

const WAIT_FLAG = { name: 'wait', description: 'Wait until the run ends.' };
const LOGS_FLAG = { name: 'logs', description: 'Stream the logs and wait until the run ends.' };
const TIMEOUT_FLAG = createTimeoutFlag('Time to wait before giving up, such as 10m.');

/** The maximum time until a manager starts the run, which takes several seconds if its work queue is long. */
const START_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 500;

interface RunContext extends ClusterInvocation {
  readonly format: ResultFormat;
  /** Prints objects to stdout, while `terminal` prints messages to stderr. */
  readonly print: Terminal['out'];
  /** The end of the timeout, on the monotonic clock. */
  readonly deadlineMs: number;
}

export const runCommand: Command = {
  name: 'run',
  description: 'Start a run now, in addition to the schedule. The concurrency policy applies.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [WAIT_FLAG, LOGS_FLAG, TIMEOUT_FLAG, RESULT_OUTPUT_FLAG, ...CLUSTER_FLAGS],
  examples: [
    { task: 'Start a run and print its result', args: 'run nightly-backup --wait' },
    { task: 'Start a run and stream its logs', args: 'run nightly-backup --logs' },
  ],
  exitCodes: [
    [0, 'requested (with --wait: succeeded)'],
    [1, 'failed, or no Job to print'],
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal, clock, signal } = invocation;
    const format = parseOutputFormat(flagValues, RESULT_FORMATS);
    if (format !== 'text' && flagValues.has(LOGS_FLAG.name)) {
      throw new UsageError('--output and --logs are mutually exclusive: both print to stdout');
    }
    const timeoutFromFlag = parseTimeout(flagValues, [WAIT_FLAG, LOGS_FLAG]);
    const timeoutMs = shouldWaitForEnd(invocation) ? timeoutFromFlag : START_TIMEOUT_MS;
    const context = {
      ...invocation,
      session: createReconnectingSession(invocation.session, {
        ...invocation,
        notify: (text) => terminal.err(`${text}\n`),
        timeoutMs,
      }),
      terminal: redirectMessages(terminal, format),
      format,
      print: terminal.out,
      deadlineMs: clock.monotonicMs() + timeoutMs,
    };
    const run = await requestRun(await getCronJob(invocation), context);
    try {
      return await followRun(run, context);
    } catch (error) {
      if (signal.aborted) terminal.err(`interrupted; Job ${run.jobName} continues\n`);
      throw error;
    }
  }),
};

function shouldWaitForEnd({ flagValues }: Pick<ClusterInvocation, 'flagValues'>): boolean {
  return flagValues.has(WAIT_FLAG.name) || flagValues.has(LOGS_FLAG.name);
}

interface RequestedRun {
  readonly cronJob: CronJob;
  readonly jobName: string;
  readonly annotationValue: string;
}

async function requestRun(cronJob: CronJob, context: RunContext): Promise<RequestedRun> {
  const request = createRunRequest(cronJob, context.now);
  if (request.kind === 'unobserved') throw new CommandError(request.message);
  const { body, annotationValue, note } = request;
  if (note !== undefined) context.terminal.err(`${note}\n`);
  const run = { cronJob, jobName: toManualJobName(cronJob, annotationValue), annotationValue };
  await sendRequest(run, body, context);
  return run;
}

/**
 * Sends the request. After an error without a response, sends the request again if the CronJob lacks the annotation of the request.
 */
async function sendRequest(
  { cronJob, annotationValue }: RequestedRun,
  body: object,
  context: RunContext,
): Promise<void> {
  const { clock, signal, session, deadlineMs } = context;
  const options = { signal, timeoutMs: RESPONSE_TIMEOUT_MS };
  for (;;) {
    try {
      await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, options);
      return;
    } catch (error) {
      // An error response is not retried, because it may report a webhook that does not respond.
      const isFinalError = findApiError(error) !== undefined || !isTemporary(error) || signal.aborted;
      if (isFinalError || clock.monotonicMs() >= deadlineMs) throw error;
    }
    const newestValue = getRunNowAnnotation(await reloadCronJob(cronJob, context));
    if (newestValue === annotationValue) return;
    if (newestValue !== getRunNowAnnotation(cronJob)) throw createSupersededError(newestValue);
    await sleep(clock, POLL_INTERVAL_MS, signal);
  }
}

function getRunNowAnnotation({ metadata }: CronJob): string | undefined {
  return metadata.annotations?.[RUN_NOW_ANNOTATION];
}

function createSupersededError(newestValue: string | undefined): CommandError {
  return new CommandError(`another run was requested later (${newestValue}); only the newest request starts`);
}

/** @returns the exit code. */
async function followRun(run: RequestedRun, context: RunContext): Promise<number> {
  const { format, print } = context;
  const outcome = await waitForStart(run, context);
  if (outcome === 'Refused') return FAILED_EXIT_CODE;
  if (outcome === 'Waits') return reportNotStarted(run, context);
  const code = shouldWaitForEnd(context) ? await waitForEnd(run, context) : 0;
  if (format !== 'text') print(await formatJob(run, context));
  return code;
}

/** Waits until the run starts, and reports why the run has to wait. */
async function waitForStart(run: RequestedRun, context: RunContext): Promise<'Started' | 'Waits' | 'Refused'> {
  const { clock, terminal, deadlineMs } = context;
  const { jobName, annotationValue } = run;
  const firstReportMs = Math.min(clock.monotonicMs() + START_TIMEOUT_MS, deadlineMs);
  let lastReason = '';
  let latestCronJob = run.cronJob;
  const hasStarted = await pollCronJob(run, context, (cronJob) => {
    latestCronJob = cronJob;
    if (cronJob.status?.lastManualRun === annotationValue || findRunReport(cronJob, jobName)) return true;
    const newestValue = getRunNowAnnotation(cronJob);
    if (newestValue !== annotationValue) throw createSupersededError(newestValue);
    const reason = describeManualRunWait(cronJob, jobName);
    if (clock.monotonicMs() < firstReportMs || reason === lastReason) return undefined;
    terminal.err(`Job ${jobName} has not started: ${reason}\n`);
    lastReason = reason;
    return undefined;
  });
  if (!hasStarted) return hasFailedStart(latestCronJob, jobName) ? 'Refused' : 'Waits';
  terminal.out(`Job ${jobName} created\n`);
  return 'Started';
}

/** Reports that the run has not started, which is a failure with --wait, --logs, -o json and -o yaml. @returns the exit code. */
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
  const report = await pollCronJob(run, context, (found) => {
    const latestReport = findRunReport(found, jobName);
    if (latestReport) return latestReport.result === 'Running' ? undefined : latestReport;
    throw new CommandError(`the result of Job ${jobName} is unknown: the status lists only newer runs`);
  });
  if (report === undefined) {
    const historyCommandLine = addClusterFlags(formatTcjCommand('history', cronJob), flagValues);
    throw new CommandError(
      `timed out: Job ${jobName} is still running; to see its result later, use: ${historyCommandLine}`,
    );
  }
  terminal.out(`${report.sentence}\n`);
  if (report.result === 'Succeeded') return 0;
  const logsCommandLine = addClusterFlags(formatTcjCommand('logs', cronJob, '--run', jobName), flagValues);
  terminal.err(`to see its logs, use: ${logsCommandLine}\n`);
  return FAILED_EXIT_CODE;
}

/** Streams the logs until the run finishes or the timeout expires. */
async function showLogs({ cronJob, jobName }: RequestedRun, context: RunContext): Promise<void> {
  const { namespace } = cronJob.metadata;
  const { clock, terminal, deadlineMs } = context;
  const timeoutController = new AbortController();
  const abort = () => timeoutController.abort();
  const cancel =
    deadlineMs === Number.POSITIVE_INFINITY ? abort : clock.schedule(deadlineMs - clock.monotonicMs(), abort);
  const logAccess = { ...context, signal: AbortSignal.any([context.signal, timeoutController.signal]) };
  try {
    const isRunFinished = createRunEndCheck(cronJob, jobName, logAccess);
    await readRunLogs({ namespace, jobName, isRunFinished }, logAccess, createLogPrinter(terminal, true));
  } catch (error) {
    if (!timeoutController.signal.aborted) throw error;
  } finally {
    cancel();
  }
}

/** Reads the CronJob repeatedly until `check` returns a value. Returns `undefined` after the deadline. */
async function pollCronJob<T>(
  { cronJob }: RequestedRun,
  context: RunContext,
  check: (cronJob: CronJob) => T | undefined,
): Promise<T | undefined> {
  const { clock, signal, deadlineMs } = context;
  return await poll(async () => check(await reloadCronJob(cronJob, context)), {
    clock,
    signal,
    intervalMs: POLL_INTERVAL_MS,
    deadlineMs,
  });
}

async function formatJob({ cronJob, jobName }: RequestedRun, { session, signal, format }: RunContext): Promise<string> {
  const { namespace } = cronJob.metadata;
  const job = await session.client.get(batch.v1.jobs, { namespace, name: jobName }, { signal });
  if (job === undefined) throw new CommandError(`Job ${jobName} no longer exists`);
  return formatObject(job, format);
}

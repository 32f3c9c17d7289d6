import { findApiError, sleep } from 'controller-runtime';
import { batch } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { runNowJobName } from '../../../api/v1/job-names.ts';
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
  RESULT_OUTPUT,
  type ResultFormat,
  redirectMessages,
} from '../output.ts';
import { poll } from '../poll.ts';
import { createReconnectingSession, isTemporary, RESPONSE_TIMEOUT_MS } from '../reconnecting-session.ts';
import { createRunChange } from '../report/changes.ts';
import { formatTcjCommand } from '../report/remedy.ts';
import { describeManualRunWait, findRunReport, hasFailedStart } from '../report/run-report.ts';
import { createEndCheck } from './logs.ts';

const WAIT = { name: 'wait', description: 'Wait until the run ends.' };
const LOGS = { name: 'logs', description: 'Stream the logs and wait until the run ends.' };
const TIMEOUT = createTimeoutFlag('Time to wait before giving up, such as 10m.');

/** Maximum time until a manager starts the run, including its earlier work. */
const START_MS = 10_000;
const POLL_INTERVAL_MS = 500;

/** State while the command waits for the run. */
interface RunContext extends ClusterInvocation {
  readonly format: ResultFormat;
  /** Prints objects; messages for users go to the terminal. */
  readonly print: Terminal['out'];
  /** On the monotonic clock. */
  readonly deadlineMs: number;
}

export const runCommand: Command = {
  name: 'run',
  description: 'Start a run now, in addition to the schedule. The concurrency policy applies.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [WAIT, LOGS, TIMEOUT, RESULT_OUTPUT, ...CLUSTER_FLAGS],
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
    if (format !== 'text' && flagValues.has(LOGS.name)) {
      throw new UsageError('--output and --logs are mutually exclusive: both print to stdout');
    }
    const timeoutFromFlag = parseTimeout(flagValues, [WAIT, LOGS]);
    const timeoutMs = waitsForEnd(invocation) ? timeoutFromFlag : START_MS;
    const waiting = {
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
    const run = await requestRun(await getCronJob(invocation), waiting);
    try {
      return await followRun(run, waiting);
    } catch (error) {
      if (signal.aborted) terminal.err(`interrupted; Job ${run.jobName} continues\n`);
      throw error;
    }
  }),
};

function waitsForEnd({ flagValues }: Pick<ClusterInvocation, 'flagValues'>): boolean {
  return flagValues.has(WAIT.name) || flagValues.has(LOGS.name);
}

interface StartedRun {
  readonly cronJob: CronJob;
  readonly jobName: string;
  readonly value: string;
}

async function requestRun(cronJob: CronJob, waiting: RunContext): Promise<StartedRun> {
  const change = createRunChange(cronJob, waiting.now);
  if (change.kind === 'unobserved') throw new CommandError(change.message);
  const { body, annotationValue, note } = change;
  if (note !== undefined) waiting.terminal.err(`${note}\n`);
  const run = { cronJob, jobName: runNowJobName(cronJob, annotationValue), value: annotationValue };
  await sendRequest(run, body, waiting);
  return run;
}

/** Without a response, checks whether the CronJob has the request, and sends it again if not. */
async function sendRequest({ cronJob, value }: StartedRun, body: object, waiting: RunContext): Promise<void> {
  const { clock, signal, session, deadlineMs } = waiting;
  const options = { signal, timeoutMs: RESPONSE_TIMEOUT_MS };
  for (;;) {
    try {
      await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, options);
      return;
    } catch (error) {
      // A response of the API server is final: it may report a webhook that does not respond.
      const isFinal = findApiError(error) !== undefined || !isTemporary(error) || signal.aborted;
      if (isFinal || clock.monotonicMs() >= deadlineMs) throw error;
    }
    const newest = getRequest(await reloadCronJob(cronJob, waiting));
    if (newest === value) return;
    if (newest !== getRequest(cronJob)) throw createSupersededError(newest);
    await sleep(clock, POLL_INTERVAL_MS, signal);
  }
}

function getRequest({ metadata }: CronJob): string | undefined {
  return metadata.annotations?.[RUN_NOW_ANNOTATION];
}

function createSupersededError(newest: string | undefined): CommandError {
  return new CommandError(`another run was requested later (${newest}); only the newest request starts`);
}

/** @returns the exit code. */
async function followRun(run: StartedRun, waiting: RunContext): Promise<number> {
  const { format, print } = waiting;
  const outcome = await waitForStart(run, waiting);
  if (outcome === 'Refused') return FAILED_EXIT_CODE;
  if (outcome === 'Waits') return reportNotStarted(run, waiting);
  const code = waitsForEnd(waiting) ? await waitForEnd(run, waiting) : 0;
  if (format !== 'text') print(await formatJob(run, waiting));
  return code;
}

/** If the run has not started in time, reports what it waits for. */
async function waitForStart(run: StartedRun, waiting: RunContext): Promise<'Started' | 'Waits' | 'Refused'> {
  const { clock, terminal, deadlineMs } = waiting;
  const { jobName, value } = run;
  const reportMs = Math.min(clock.monotonicMs() + START_MS, deadlineMs);
  let lastReason = '';
  let last = run.cronJob;
  const started = await pollCronJob(run, waiting, (cronJob) => {
    last = cronJob;
    if (cronJob.status?.lastManualRun === value || findRunReport(cronJob, jobName)) return true;
    const newest = getRequest(cronJob);
    if (newest !== value) throw createSupersededError(newest);
    const reason = describeManualRunWait(cronJob, jobName);
    if (clock.monotonicMs() < reportMs || reason === lastReason) return undefined;
    terminal.err(`Job ${jobName} has not started: ${reason}\n`);
    lastReason = reason;
    return undefined;
  });
  if (!started) return hasFailedStart(last, jobName) ? 'Refused' : 'Waits';
  terminal.out(`Job ${jobName} created\n`);
  return 'Started';
}

/**
 * Reports that the run has not started, which is a failure for a user who waits for it or wants to print its Job. The name of the
 * Job is already known. @returns the exit code.
 */
function reportNotStarted({ jobName }: StartedRun, { flagValues, terminal, format, print }: RunContext): number {
  if (waitsForEnd({ flagValues })) {
    terminal.err(`timed out waiting for Job ${jobName} to start; it starts as soon as it can\n`);
    return FAILED_EXIT_CODE;
  }
  if (format === 'name') print(formatObjectName({ apiVersion: 'batch/v1', kind: 'Job' }, jobName));
  return format === 'text' || format === 'name' ? 0 : FAILED_EXIT_CODE;
}

/** @returns the exit code. */
async function waitForEnd(run: StartedRun, waiting: RunContext): Promise<number> {
  const { flagValues, terminal } = waiting;
  const { cronJob, jobName } = run;
  if (flagValues.has(LOGS.name)) await showLogs(run, waiting);
  const report = await pollCronJob(run, waiting, (found) => {
    const current = findRunReport(found, jobName);
    if (current) return current.result === 'Running' ? undefined : current;
    throw new CommandError(`the result of Job ${jobName} is unknown: the status lists only newer runs`);
  });
  if (report === undefined) {
    const ask = addClusterFlags(formatTcjCommand('history', cronJob), flagValues);
    throw new CommandError(`timed out: Job ${jobName} is still running; to see its result later, use: ${ask}`);
  }
  terminal.out(`${report.sentence}\n`);
  if (report.result === 'Succeeded') return 0;
  const logs = addClusterFlags(formatTcjCommand('logs', cronJob, '--run', jobName), flagValues);
  terminal.err(`to see its logs, use: ${logs}\n`);
  return FAILED_EXIT_CODE;
}

/** Shows logs until the run has ended or the time has passed. */
async function showLogs({ cronJob, jobName }: StartedRun, waiting: RunContext): Promise<void> {
  const { namespace } = cronJob.metadata;
  const { clock, terminal, deadlineMs } = waiting;
  const ending = new AbortController();
  const end = () => ending.abort();
  const cancel = deadlineMs === Number.POSITIVE_INFINITY ? end : clock.schedule(deadlineMs - clock.monotonicMs(), end);
  const access = { ...waiting, signal: AbortSignal.any([waiting.signal, ending.signal]) };
  try {
    const isRunFinished = createEndCheck(cronJob, jobName, access);
    await readRunLogs({ namespace, jobName, isRunFinished }, access, createLogPrinter(terminal, true));
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    cancel();
  }
}

/** Reads the CronJob until `look` returns a value. `undefined` when the time has passed. */
async function pollCronJob<T>(
  { cronJob }: StartedRun,
  waiting: RunContext,
  check: (cronJob: CronJob) => T | undefined,
): Promise<T | undefined> {
  const { clock, signal, deadlineMs } = waiting;
  return await poll(async () => check(await reloadCronJob(cronJob, waiting)), {
    clock,
    signal,
    intervalMs: POLL_INTERVAL_MS,
    deadlineMs,
  });
}

async function formatJob({ cronJob, jobName }: StartedRun, { session, signal, format }: RunContext): Promise<string> {
  const { namespace } = cronJob.metadata;
  const job = await session.client.get(batch.v1.jobs, { namespace, name: jobName }, { signal });
  if (job === undefined) throw new CommandError(`Job ${jobName} no longer exists`);
  return formatObject(job, format);
}

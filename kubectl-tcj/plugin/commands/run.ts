import { findApiError, sleep } from 'controller-runtime';
import { batch } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { runNowJobName } from '../../../api/v1/job-names.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import {
  type ClusterInvocation,
  type Command,
  CommandError,
  FAILED_EXIT_CODE,
  type Terminal,
  UsageError,
} from '../command.ts';
import { forSameCluster } from '../command-line.ts';
import { asItIsNow, atCluster, cronJobs, oneCronJob } from '../cron-jobs.ts';
import { timeoutFlag, timeoutOf } from '../flag-value.ts';
import { printedLogs } from '../logs/printed-logs.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import {
  CHANGED_FORMATS,
  CHANGED_OUTPUT,
  type ChangedFormat,
  changedName,
  changedObject,
  outputFormat,
  speaking,
} from '../output.ts';
import { poll } from '../poll.ts';
import { ANSWER_MS, isPassing, reconnecting } from '../reconnecting.ts';
import { runChange } from '../report/changes.ts';
import { commandFor } from '../report/remedy.ts';
import { isRefused, runNamed, waitsFor } from '../report/run-named.ts';
import { overOf } from './logs.ts';

const WAIT = { name: 'wait', description: 'Wait until the run ends.' };
const LOGS = { name: 'logs', description: 'Stream the logs and wait until the run ends.' };
const TIMEOUT = timeoutFlag('Time to wait before giving up, such as 10m.');

/** Maximum time until a manager starts the run, including its earlier work. */
const START_MS = 10_000;
const LOOK_MS = 500;

/** State while the command waits for the run. */
interface Waiting extends ClusterInvocation {
  readonly format: ChangedFormat;
  /** Prints objects; messages for users go to the terminal. */
  readonly print: Terminal['out'];
  /** On the monotonic clock. */
  readonly deadlineMs: number;
}

export const runCommand: Command = {
  name: 'run',
  description: 'Start a run now, in addition to the schedule. The concurrency policy applies.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [WAIT, LOGS, TIMEOUT, CHANGED_OUTPUT, ...OF_CLUSTER],
  examples: [
    { task: 'Start a run and print its result', line: 'run nightly-backup --wait' },
    { task: 'Start a run and stream its logs', line: 'run nightly-backup --logs' },
  ],
  exitCodes: [
    [0, 'requested (with --wait: succeeded)'],
    [1, 'failed, or no Job to print'],
  ],
  run: atCluster(async (asked) => {
    const { given, terminal, clock, signal } = asked;
    const format = outputFormat(given, CHANGED_FORMATS);
    if (format !== 'text' && given.has(LOGS.name)) {
      throw new UsageError('--output and --logs are mutually exclusive: both print to stdout');
    }
    const wanted = timeoutOf(given, [WAIT, LOGS]);
    const timeoutMs = waits(asked) ? wanted : START_MS;
    const waiting = {
      ...asked,
      session: reconnecting(asked.session, { ...asked, tell: (text) => terminal.err(`${text}\n`), timeoutMs }),
      terminal: speaking(terminal, format),
      format,
      print: terminal.out,
      deadlineMs: clock.monotonicMs() + timeoutMs,
    };
    const run = await askFor(await oneCronJob(asked), waiting);
    try {
      return await follow(run, waiting);
    } catch (error) {
      if (signal.aborted) terminal.err(`interrupted; Job ${run.jobName} continues\n`);
      throw error;
    }
  }),
};

function waits({ given }: Pick<ClusterInvocation, 'given'>): boolean {
  return given.has(WAIT.name) || given.has(LOGS.name);
}

interface StartedRun {
  readonly cronJob: CronJob;
  readonly jobName: string;
  readonly value: string;
}

async function askFor(cronJob: CronJob, waiting: Waiting): Promise<StartedRun> {
  const change = runChange(cronJob, waiting.now);
  if (change.kind === 'unobserved') throw new CommandError(change.message);
  const { body, value, note } = change;
  if (note !== undefined) waiting.terminal.err(`${note}\n`);
  const run = { cronJob, jobName: runNowJobName(cronJob, value), value };
  await send(run, body, waiting);
  return run;
}

/** Without a response, checks whether the CronJob has the request, and sends it again if not. */
async function send({ cronJob, value }: StartedRun, body: object, waiting: Waiting): Promise<void> {
  const { clock, signal, session, deadlineMs } = waiting;
  const options = { signal, timeoutMs: ANSWER_MS };
  for (;;) {
    try {
      await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, options);
      return;
    } catch (error) {
      // A response of the API server is final: it may report a webhook that does not respond.
      const isFinal = findApiError(error) !== undefined || !isPassing(error) || signal.aborted;
      if (isFinal || clock.monotonicMs() >= deadlineMs) throw error;
    }
    const newest = newestAsked(await asItIsNow(cronJob, waiting));
    if (newest === value) return;
    if (newest !== newestAsked(cronJob)) throw isNotNewest(newest);
    await sleep(clock, LOOK_MS, signal);
  }
}

function newestAsked({ metadata }: CronJob): string | undefined {
  return metadata.annotations?.[RUN_NOW_ANNOTATION];
}

function isNotNewest(newest: string | undefined): CommandError {
  return new CommandError(`another run was requested later (${newest}); only the newest request starts`);
}

/** @returns the exit code. */
async function follow(run: StartedRun, waiting: Waiting): Promise<number> {
  const { format, print } = waiting;
  const begun = await start(run, waiting);
  if (begun === 'Refused') return FAILED_EXIT_CODE;
  if (begun === 'Waits') return notStarted(run, waiting);
  const code = waits(waiting) ? await ended(run, waiting) : 0;
  if (format !== 'text') print(await printedJob(run, waiting));
  return code;
}

/** If the run has not started in time, reports what it waits for. */
async function start(run: StartedRun, waiting: Waiting): Promise<'Started' | 'Waits' | 'Refused'> {
  const { clock, terminal, deadlineMs } = waiting;
  const { jobName, value } = run;
  const tellMs = Math.min(clock.monotonicMs() + START_MS, deadlineMs);
  let said = '';
  let last = run.cronJob;
  const started = await watched(run, waiting, (cronJob) => {
    last = cronJob;
    if (cronJob.status?.lastManualRun === value || runNamed(cronJob, jobName)) return true;
    const newest = newestAsked(cronJob);
    if (newest !== value) throw isNotNewest(newest);
    const reason = waitsFor(cronJob, jobName);
    if (clock.monotonicMs() < tellMs || reason === said) return undefined;
    terminal.err(`Job ${jobName} has not started: ${reason}\n`);
    said = reason;
    return undefined;
  });
  if (!started) return isRefused(last, jobName) ? 'Refused' : 'Waits';
  terminal.out(`Job ${jobName} created\n`);
  return 'Started';
}

/**
 * Reports that the run has not started, which is a failure for a user who waits for it or wants to print its Job. The name of the
 * Job is already known. @returns the exit code.
 */
function notStarted({ jobName }: StartedRun, { given, terminal, format, print }: Waiting): number {
  if (waits({ given })) {
    terminal.err(`timed out waiting for Job ${jobName} to start; it starts as soon as it can\n`);
    return FAILED_EXIT_CODE;
  }
  if (format === 'name') print(changedName({ apiVersion: 'batch/v1', kind: 'Job' }, jobName));
  return format === 'text' || format === 'name' ? 0 : FAILED_EXIT_CODE;
}

/** @returns the exit code. */
async function ended(run: StartedRun, waiting: Waiting): Promise<number> {
  const { given, terminal } = waiting;
  const { cronJob, jobName } = run;
  if (given.has(LOGS.name)) await showLogs(run, waiting);
  const report = await watched(run, waiting, (found) => {
    const seen = runNamed(found, jobName);
    if (seen) return seen.result === 'Running' ? undefined : seen;
    throw new CommandError(`the result of Job ${jobName} is unknown: the status lists only newer runs`);
  });
  if (report === undefined) {
    const ask = forSameCluster(commandFor('history', cronJob), given);
    throw new CommandError(`timed out: Job ${jobName} is still running; to see its result later, use: ${ask}`);
  }
  terminal.out(`${report.sentence}\n`);
  if (report.result === 'Succeeded') return 0;
  const logs = forSameCluster(commandFor('logs', cronJob, '--run', jobName), given);
  terminal.err(`to see its logs, use: ${logs}\n`);
  return FAILED_EXIT_CODE;
}

/** Shows logs until the run has ended or the time has passed. */
async function showLogs({ cronJob, jobName }: StartedRun, waiting: Waiting): Promise<void> {
  const { namespace } = cronJob.metadata;
  const { clock, terminal, deadlineMs } = waiting;
  const ending = new AbortController();
  const end = () => ending.abort();
  const cancel = deadlineMs === Number.POSITIVE_INFINITY ? end : clock.schedule(deadlineMs - clock.monotonicMs(), end);
  const asking = { ...waiting, signal: AbortSignal.any([waiting.signal, ending.signal]) };
  try {
    const isOver = overOf(cronJob, jobName, asking);
    await readRunLogs({ namespace, jobName, isOver }, asking, printedLogs(terminal, true));
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    cancel();
  }
}

/** Reads the CronJob until `look` returns a value. `undefined` when the time has passed. */
async function watched<T>(
  { cronJob }: StartedRun,
  waiting: Waiting,
  look: (cronJob: CronJob) => T | undefined,
): Promise<T | undefined> {
  const { clock, signal, deadlineMs: untilMs } = waiting;
  return await poll(async () => look(await asItIsNow(cronJob, waiting)), { clock, signal, everyMs: LOOK_MS, untilMs });
}

async function printedJob({ cronJob, jobName }: StartedRun, { session, signal, format }: Waiting): Promise<string> {
  const { namespace } = cronJob.metadata;
  const job = await session.client.get(batch.v1.jobs, { namespace, name: jobName }, { signal });
  if (job === undefined) throw new CommandError(`Job ${jobName} no longer exists`);
  return changedObject(job, format);
}

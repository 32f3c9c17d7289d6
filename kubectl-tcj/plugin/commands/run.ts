import { apiErrorOf, sleep } from 'controller-runtime';
import { batch } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { runNowJobName } from '../../../api/v1/job-names.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import { type Command, CommandError, FAILED_EXIT_CODE, type Invocation, UsageError } from '../command.ts';
import { forSameCluster } from '../command-line.ts';
import { asItIsNow, cronJobs, oneCronJob, withSession } from '../cron-jobs.ts';
import { printedLogs } from '../logs/printed-logs.ts';
import { readRunLogs } from '../logs/run-logs.ts';
import { CHANGED_OUTPUT, type ChangedFormat, changedFormat, changedName, changedObject, speaking } from '../output.ts';
import { isPassing } from '../passing-failure.ts';
import { ANSWER_MS, reconnecting } from '../reconnecting.ts';
import { runChange } from '../report/changes.ts';
import { commandFor } from '../report/remedy.ts';
import { isRefused, runNamed, waitsFor } from '../report/run-named.ts';
import type { Session } from '../session.ts';
import { timeoutFlag, timeoutOf } from '../timeout.ts';
import { overOf } from './logs.ts';

const WAIT = {
  name: 'wait',
  description: 'Waits until the run has ended.',
  default: '',
};
const LOGS = { name: 'logs', description: 'Waits, and shows what its containers print.', default: '' };
const TIMEOUT = timeoutFlag('Waits no longer, such as 10m. The run goes on.');

/** So long a manager takes to answer, with what it has to do before. */
const START_MS = 10_000;
const LOOK_MS = 500;

export const runCommand: Command = {
  name: 'run',
  description: 'Starts a run now, beside those of the schedule. It obeys the concurrency policy.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [WAIT, LOGS, TIMEOUT, CHANGED_OUTPUT, ...OF_CLUSTER],
  examples: [
    { wish: 'start one and see how it ends', line: 'run nightly-backup --wait' },
    { wish: 'see what it prints', line: 'run nightly-backup --logs' },
  ],
  exitCodes: [
    [0, 'asked for; with --wait, succeeded'],
    [1, 'not so, or no Job to print'],
  ],
  run: (asked) =>
    withSession(asked, async (session) => {
      const { given, terminal } = asked;
      const format = formatOf(given);
      const invocation = { ...asked, terminal: speaking(terminal, format) };
      const wanted = timeoutOf(given, [WAIT, LOGS]);
      const timeoutMs = waits(given) ? wanted : START_MS;
      const deadlineMs = asked.clock.monotonicMs() + timeoutMs;
      const tell = (sentence: string) => terminal.err(`${sentence}\n`);
      const waiting = reconnecting(session, { ...asked, tell, timeoutMs });
      const run = await askFor(invocation, session, waiting, deadlineMs);
      return await follow().catch((error: unknown) => {
        if (asked.signal.aborted) terminal.err(`interrupted: Job ${run.jobName} is not taken back, and goes on\n`);
        throw error;
      });

      async function follow(): Promise<number> {
        const begun = await start(run, invocation, waiting, deadlineMs);
        if (begun !== 'Started') return withoutJob(begun, run, format, asked);
        const code = waits(given) ? await ended(run, invocation, waiting, deadlineMs) : 0;
        if (format !== 'text') terminal.out(await printedJob(run, format, invocation, waiting));
        return code;
      }
    }),
};

function waits(given: ReadonlyMap<string, string>): boolean {
  return given.has(WAIT.name) || given.has(LOGS.name);
}

/** Whoever waits for the run, or wants its Job printed, has not got it. Its name is known before. @returns the exit code. */
function withoutJob(
  begun: 'Waits' | 'Refused',
  { jobName }: StartedRun,
  format: ChangedFormat,
  { given, terminal }: Invocation,
): number {
  if (begun === 'Refused') return FAILED_EXIT_CODE;
  if (waits(given)) {
    terminal.err(`Job ${jobName} has not started in time; it starts by itself as soon as it can\n`);
    return FAILED_EXIT_CODE;
  }
  if (format === 'text') return 0;
  if (format !== 'name') return FAILED_EXIT_CODE;
  terminal.out(changedName({ apiVersion: 'batch/v1', kind: 'Job' }, jobName));
  return 0;
}

function formatOf(given: ReadonlyMap<string, string>): ChangedFormat {
  const format = changedFormat(given);
  if (format === 'text' || !given.has(LOGS.name)) return format;
  throw new UsageError('--output and --logs exclude each other: both print to stdout');
}

async function printedJob(
  { cronJob, jobName }: StartedRun,
  format: ChangedFormat,
  { signal }: Invocation,
  { client }: Session,
): Promise<string> {
  const { namespace } = cronJob.metadata;
  const job = await client.get(batch.v1.jobs, { namespace, name: jobName }, { signal });
  if (job === undefined) throw new CommandError(`Job ${jobName} is gone already`);
  return changedObject(job, format);
}

interface StartedRun {
  readonly cronJob: CronJob;
  readonly jobName: string;
  readonly value: string;
}

/** @param waiting For what has to be known when there was no answer. */
async function askFor(
  invocation: Invocation,
  session: Session,
  waiting: Session,
  deadlineMs: number,
): Promise<StartedRun> {
  const { now, terminal } = invocation;
  const cronJob = await oneCronJob(invocation, session);
  const change = runChange(cronJob, now);
  if (change.kind === 'unobserved') throw new CommandError(change.message);
  const { body, value, note } = change;
  if (note !== undefined) terminal.err(`${note}\n`);
  const run = { cronJob, jobName: runNowJobName(cronJob, value), value };
  await send(run, body, invocation, waiting, deadlineMs);
  return run;
}

/** Without an answer it looks whether the run has been asked for, and asks again when not. */
async function send(
  { cronJob, value }: StartedRun,
  body: object,
  invocation: Invocation,
  waiting: Session,
  deadlineMs: number,
): Promise<void> {
  const { clock, signal } = invocation;
  const options = { signal, timeoutMs: ANSWER_MS };
  for (;;) {
    try {
      await waiting.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, options);
      return;
    } catch (error) {
      // What the API server says about it is final: a webhook may not answer.
      const isFinal = apiErrorOf(error) !== undefined || !isPassing(error) || signal.aborted;
      if (isFinal || clock.monotonicMs() >= deadlineMs) throw error;
    }
    const newest = newestAsked(await asItIsNow(cronJob, invocation, waiting));
    if (newest === value) return;
    if (newest !== newestAsked(cronJob)) throw isNotNewest(newest);
    await sleep(clock, LOOK_MS, signal);
  }
}

function newestAsked({ metadata }: CronJob): string | undefined {
  return metadata.annotations?.[RUN_NOW_ANNOTATION];
}

function isNotNewest(newest: string | undefined): CommandError {
  return new CommandError(`another run has been asked for since (${newest}), and only the newest starts`);
}

/** Until it has ended, or the time is over. */
async function showLogs(
  { cronJob, jobName }: StartedRun,
  invocation: Invocation,
  session: Session,
  deadlineMs: number,
): Promise<void> {
  const { namespace } = cronJob.metadata;
  const { clock } = invocation;
  const ending = new AbortController();
  const end = () => ending.abort();
  const cancel = deadlineMs === Number.POSITIVE_INFINITY ? end : clock.schedule(deadlineMs - clock.monotonicMs(), end);
  const signal = AbortSignal.any([invocation.signal, ending.signal]);
  try {
    const isOver = overOf(cronJob, jobName, { ...invocation, signal }, session);
    const target = printedLogs(invocation.terminal, true);
    await readRunLogs({ namespace, jobName, isOver }, { clock, signal, session }, target);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    cancel();
  }
}

/** Says what it waits for, when it has not started in time. */
async function start(
  run: StartedRun,
  invocation: Invocation,
  session: Session,
  deadlineMs: number,
): Promise<'Started' | 'Waits' | 'Refused'> {
  const { clock } = invocation;
  const tellMs = Math.min(clock.monotonicMs() + START_MS, deadlineMs);
  let said = '';
  let last = run.cronJob;
  const started = await watched(run, invocation, session, deadlineMs, (cronJob) => {
    last = cronJob;
    if (cronJob.status?.lastManualRun === run.value || runNamed(cronJob, run.jobName)) return true;
    const newest = newestAsked(cronJob);
    if (newest !== run.value) throw isNotNewest(newest);
    const reason = waitsFor(cronJob, run.jobName);
    if (clock.monotonicMs() < tellMs || reason === said) return undefined;
    invocation.terminal.err(`Job ${run.jobName} has not started: ${reason}\n`);
    said = reason;
    return undefined;
  });
  if (started) {
    invocation.terminal.out(`Job ${run.jobName} was created\n`);
    return 'Started';
  }
  return isRefused(last, run.jobName) ? 'Refused' : 'Waits';
}

/** @returns the exit code. */
async function ended(run: StartedRun, invocation: Invocation, session: Session, deadlineMs: number): Promise<number> {
  if (invocation.given.has(LOGS.name)) await showLogs(run, invocation, session, deadlineMs);
  const report = await watched(run, invocation, session, deadlineMs, (cronJob) => {
    const found = runNamed(cronJob, run.jobName);
    if (found) return found.result === 'Running' ? undefined : found;
    throw new CommandError(`how Job ${run.jobName} ended is no longer known: the status lists newer runs only`);
  });
  if (report === undefined) {
    const ask = forSameCluster(commandFor('history', run.cronJob), invocation.given);
    throw new CommandError(`Job ${run.jobName} is still running; "${ask}" will tell how it ends`);
  }
  invocation.terminal.out(`${report.sentence}\n`);
  if (report.result === 'Succeeded') return 0;
  const logs = forSameCluster(commandFor('logs', run.cronJob, '--run', run.jobName), invocation.given);
  invocation.terminal.err(`see what it printed: ${logs}\n`);
  return FAILED_EXIT_CODE;
}

/** Looks at the CronJob until `look` returns something. `undefined` when the time is over. */
async function watched<T>(
  { cronJob }: StartedRun,
  invocation: Invocation,
  session: Session,
  deadlineMs: number,
  look: (cronJob: CronJob) => T | undefined,
): Promise<T | undefined> {
  const { clock, signal } = invocation;
  for (;;) {
    const found = await asItIsNow(cronJob, invocation, session);
    const seen = look(found);
    const leftMs = deadlineMs - clock.monotonicMs();
    if (seen !== undefined || leftMs <= 0) return seen;
    await sleep(clock, Math.min(LOOK_MS, leftMs), signal);
  }
}

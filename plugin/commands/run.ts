import { sleep } from 'controller-runtime';
import { batch } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { runNowJobName } from '../../api/v1/job-names.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import { type Command, CommandError, FAILED_EXIT_CODE, type Invocation, UsageError } from '../command.ts';
import { asItIsNow, cronJobs, oneCronJob, withSession } from '../cron-jobs.ts';
import { printRunLogs } from '../logs/run-logs.ts';
import { CHANGED_OUTPUT, type ChangedFormat, changedFormat, changedName, changedObject, speaking } from '../output.ts';
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
      const timeoutMs = timeoutOf(given, [WAIT, LOGS]);
      const run = await askFor(invocation, session);
      return await follow().catch((error: unknown) => {
        if (asked.signal.aborted) terminal.err(`interrupted: Job ${run.jobName} is not taken back, and goes on\n`);
        throw error;
      });

      async function follow(): Promise<number> {
        const begun = await start(run, invocation, session, waits(given) ? timeoutMs : START_MS);
        if (begun !== 'Started') return withoutJob(begun, run, format, asked);
        const code = waits(given) ? await ended(run, invocation, session, timeoutMs) : 0;
        if (format !== 'text') terminal.out(await printedJob(run, format, invocation, session));
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

async function askFor(invocation: Invocation, session: Session): Promise<StartedRun> {
  const { now, signal, terminal } = invocation;
  const cronJob = await oneCronJob(invocation, session);
  const change = runChange(cronJob, now);
  if (change.kind === 'unobserved') throw new CommandError(change.message);
  const { body, value, note } = change;
  if (note !== undefined) terminal.err(`${note}\n`);
  await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { signal });
  return { cronJob, jobName: runNowJobName(cronJob, value), value };
}

async function showLogs({ cronJob, jobName }: StartedRun, invocation: Invocation, session: Session): Promise<void> {
  const { namespace } = cronJob.metadata;
  const isOver = overOf(cronJob, jobName, invocation, session);
  await printRunLogs({ namespace, jobName, isOver }, { ...invocation, session });
}

/** Says what it waits for, when it has not started in time. */
async function start(
  run: StartedRun,
  invocation: Invocation,
  session: Session,
  timeoutMs: number,
): Promise<'Started' | 'Waits' | 'Refused'> {
  let said = '';
  let last = run.cronJob;
  const started = await watched(run, invocation, session, timeoutMs, (cronJob, waitedMs) => {
    last = cronJob;
    if (cronJob.status?.lastManualRun === run.value || runNamed(cronJob, run.jobName)) return true;
    const newest = cronJob.metadata.annotations?.[RUN_NOW_ANNOTATION];
    if (newest !== run.value) {
      throw new CommandError(`another run has been asked for since (${newest}), and only the newest starts`);
    }
    const reason = waitsFor(cronJob, run.jobName);
    if (waitedMs < Math.min(START_MS, timeoutMs) || reason === said) return undefined;
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
async function ended(run: StartedRun, invocation: Invocation, session: Session, timeoutMs: number): Promise<number> {
  if (invocation.given.has(LOGS.name)) await showLogs(run, invocation, session);
  const report = await watched(run, invocation, session, timeoutMs, (cronJob) => {
    const found = runNamed(cronJob, run.jobName);
    if (found) return found.result === 'Running' ? undefined : found;
    throw new CommandError(`how Job ${run.jobName} ended is no longer known: the status lists newer runs only`);
  });
  if (report === undefined) {
    const ask = commandFor('history', run.cronJob);
    throw new CommandError(`Job ${run.jobName} is still running; "${ask}" will tell how it ends`);
  }
  invocation.terminal.out(`${report.sentence}\n`);
  if (report.result === 'Succeeded') return 0;
  invocation.terminal.err(`see what it printed: ${commandFor('logs', run.cronJob)} --run ${run.jobName}\n`);
  return FAILED_EXIT_CODE;
}

/** Looks at the CronJob until `look` returns something. `undefined` when the time is over. */
async function watched<T>(
  { cronJob }: StartedRun,
  invocation: Invocation,
  session: Session,
  timeoutMs: number,
  look: (cronJob: CronJob, waitedMs: number) => T | undefined,
): Promise<T | undefined> {
  const { clock, signal } = invocation;
  const from = clock.monotonicMs();
  for (;;) {
    const found = await asItIsNow(cronJob, invocation, session);
    const waitedMs = clock.monotonicMs() - from;
    const seen = look(found, waitedMs);
    if (seen !== undefined || waitedMs >= timeoutMs) return seen;
    await sleep(clock, LOOK_MS, signal);
  }
}

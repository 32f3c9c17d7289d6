import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { ALL_NAMESPACES, OF_MANY, SELECTOR, showsAllNamespaces } from '../cluster-flags.ts';
import { type Command, CommandError, type Flag, type Invocation, UsageError } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';
import { chosen } from '../import/chosen.ts';
import { type Context, Report } from '../import/context.ts';
import { dryRun } from '../import/dry-run.ts';
import { importSources } from '../import/import-sources.ts';
import { importedFrom, isSuspendedByUs } from '../import/marks.ts';
import { printManifests } from '../import/print-manifests.ts';
import { giveBackAll, planRevert, revertAll } from '../import/revert.ts';
import { nameOf, type SourceCronJob, sources } from '../import/source.ts';
import { reconnecting } from '../reconnecting.ts';
import type { Session } from '../session.ts';
import { timeoutFlag, timeoutOf } from '../timeout.ts';

const DRY_RUN = {
  name: 'dry-run',
  description: 'Changes nothing; shows what would be made or undone.',
  default: '',
};
const KEEP_SOURCE = { name: 'keep-source', description: 'Never deletes the source; it stays suspended.', default: '' };
const WAIT = { name: 'wait', description: 'Waits for a success of each, and deletes its source.', default: '' };
const TIMEOUT = timeoutFlag('With --wait: waits no longer than this, such as 2h.');
const REVERT = { name: 'revert', description: 'Goes back to batch/v1; what was made is deleted.', default: '' };
const PRINT: Flag = {
  name: 'print',
  value: 'folder',
  values: 'files',
  description: 'Writes manifests, and the order to commit them in.',
  default: '',
};
const ALL = { name: 'all', description: 'Every CronJob of batch/v1; with -A of all namespaces.', default: '' };
const EVEN_IF_MANAGED = {
  name: 'even-if-managed',
  description: 'Also what Argo CD, Flux or an owner keeps.',
  default: '',
};

/** Those that ask for something else than the import itself: one at most. */
const MODES = [REVERT, PRINT];
const MODES_OF_IMPORT = [DRY_RUN, PRINT];

export const importCommand: Command = {
  name: 'import',
  description: 'Moves CronJobs of batch/v1 here, and loses or doubles no run.',
  argument: {
    name: 'name',
    description: '',
    isOptional: true,
    values: 'sources',
  },
  flags: [DRY_RUN, WAIT, TIMEOUT, KEEP_SOURCE, REVERT, PRINT, ALL, EVEN_IF_MANAGED, ...OF_MANY],
  examples: [{ wish: 'what would be made, and what differs', line: 'import report --dry-run' }],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { given, terminal, clock, signal } = invocation;
      checkFlags(invocation);
      const report = new Report(terminal);
      const clientFor = (timeoutMs: number) =>
        reconnecting(session, { clock, signal, timeoutMs, tell: (sentence) => report.waits(sentence) }).client;
      const context: Context = { client: clientFor(Number.POSITIVE_INFINITY), clientFor, clock, signal, report };
      if (given.has(REVERT.name)) await goBack(invocation, session, context);
      else await importAll(invocation, session, context);
      return report.exitCode;
    }),
};

async function importAll(invocation: Invocation, session: Session, context: Context): Promise<void> {
  const { given, terminal } = invocation;
  const found = await chosen(sources, 'of batch/v1', invocation, session);
  const isForced = given.has(EVEN_IF_MANAGED.name);
  const folder = given.get(PRINT.name);
  if (folder !== undefined) return await printManifests(found, folder, context);
  if (given.has(DRY_RUN.name)) return await dryRun(found, terminal, context, isForced);
  const waitMs = given.has(WAIT.name) ? timeoutOf(given, [WAIT]) : 0;
  await importSources(found, { keepsSource: given.has(KEEP_SOURCE.name), waitMs, isForced }, context);
}

async function goBack(invocation: Invocation, session: Session, context: Context): Promise<void> {
  const isDryRun = invocation.given.has(DRY_RUN.name);
  const open = await suspendedOnly(invocation, session);
  if (isDryRun) for (const each of open) context.report.done(nameOf(each), 'runs in batch/v1 as before (dry run)');
  else await giveBackAll(open, context);
  if (open.length > 0 && invocation.argument !== '') return;
  const found = await imported(invocation, session).catch((error: unknown) => {
    if (open.length > 0 && error instanceof CommandError) return [];
    throw error;
  });
  if (isDryRun) await planRevert(found, context);
  else await revertAll(found, context);
}

/** Of batch/v1, those that an import has suspended, and that nothing replaces yet. */
async function suspendedOnly(
  invocation: Invocation,
  { client, namespace }: Session,
): Promise<readonly SourceCronJob[]> {
  const { argument: name, given, signal } = invocation;
  const labelSelector = given.get(SELECTOR.name);
  const only = await client.list(sources, {
    ...(!showsAllNamespaces(given) && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(name !== '' && { fieldSelector: `metadata.name=${name}` }),
    signal,
  });
  const open: SourceCronJob[] = [];
  for (const each of only.filter(isSuspendedByUs)) {
    if ((await client.get(cronJobs, each.metadata, { signal })) === undefined) open.push(each);
  }
  return open;
}

function checkFlags({ argument, given }: Invocation): void {
  const choices = [argument !== '', given.has(SELECTOR.name), given.has(ALL.name)].filter(Boolean);
  if (choices.length !== 1) throw new UsageError('give the name of a CronJob, or -l with labels, or --all');
  if (argument !== '' && showsAllNamespaces(given)) {
    throw new UsageError(`--${ALL_NAMESPACES.name} is for -l and --all: a name is in one namespace`);
  }
  timeoutOf(given, [WAIT]);
  for (const modes of [MODES, MODES_OF_IMPORT]) {
    const both = modes.filter(({ name }) => given.has(name));
    if (both.length > 1)
      throw new UsageError(`${both.map(({ name }) => `--${name}`).join(' and ')} exclude each other; give one`);
  }
}

/** Of ours, those that were imported; by its name also one that was not, of which the revert then says so. */
async function imported(invocation: Invocation, session: Session): Promise<readonly CronJob[]> {
  const found = await chosen(cronJobs, 'of this operator', invocation, session);
  return invocation.argument === '' ? found.filter((each) => importedFrom(each) !== undefined) : found;
}

import { keyOf, type NamespacedObject, type Resource } from 'controller-runtime';
import { ALL_NAMESPACES, OF_MANY, SELECTOR, showsAllNamespaces } from '../cluster-flags.ts';
import {
  type ClusterInvocation,
  type Command,
  CommandError,
  type Flag,
  type Invocation,
  UsageError,
} from '../command.ts';
import { atCluster, cronJobs, oneNamed, selected } from '../cron-jobs.ts';
import { timeoutFlag, timeoutOf } from '../flag-value.ts';
import { type Context, Report } from '../import/context.ts';
import { dryRun } from '../import/dry-run.ts';
import { importSources } from '../import/import-sources.ts';
import { printManifests } from '../import/print-manifests.ts';
import { giveBackAll, planRevert, revertAll } from '../import/revert.ts';
import { importedFrom, isSuspendedByUs, type SourceCronJob, sources } from '../import/source.ts';
import { reconnecting } from '../reconnecting.ts';

const DRY_RUN = { name: 'dry-run', description: 'Changes nothing; shows what would be made or undone.' };
const KEEP_SOURCE = { name: 'keep-source', description: 'Never deletes the source; it stays suspended.' };
const WAIT = { name: 'wait', description: 'Waits for a success of each, and deletes its source.' };
const TIMEOUT = timeoutFlag('With --wait: waits no longer than this, such as 2h.');
const REVERT = { name: 'revert', description: 'Goes back to batch/v1; what was made is deleted.' };
const PRINT: Flag = {
  name: 'print',
  value: 'folder',
  values: 'files',
  description: 'Writes manifests, and the order to commit them in.',
};
const ALL = { name: 'all', description: 'Every CronJob of batch/v1; with -A of all namespaces.' };
const EVEN_IF_MANAGED = { name: 'even-if-managed', description: 'Also what Argo CD, Flux or an owner keeps.' };

/** Flags that replace the import with another task; a command line may have at most one. */
const MODES = [REVERT, PRINT];
const MODES_OF_IMPORT = [DRY_RUN, PRINT];

export const importCommand: Command = {
  name: 'import',
  description: 'Moves CronJobs of batch/v1 here, and loses or doubles no run.',
  argument: { name: 'name', description: '', isOptional: true, values: 'sources' },
  flags: [DRY_RUN, WAIT, TIMEOUT, KEEP_SOURCE, REVERT, PRINT, ALL, EVEN_IF_MANAGED, ...OF_MANY],
  examples: [{ wish: 'what would be made, and what differs', line: 'import report --dry-run' }],
  run: atCluster(async (invocation) => {
    const { given, terminal, clock, signal, session } = invocation;
    checkFlags(invocation);
    const report = new Report(terminal);
    const clientFor = (timeoutMs: number) =>
      reconnecting(session, { clock, signal, timeoutMs, tell: (sentence) => report.waits(sentence) }).client;
    const context: Context = { client: clientFor(Number.POSITIVE_INFINITY), clientFor, clock, signal, report };
    if (given.has(REVERT.name)) await goBack(invocation, context);
    else await importAll(invocation, context);
    return report.exitCode;
  }),
};

async function importAll(invocation: ClusterInvocation, context: Context): Promise<void> {
  const { given, terminal } = invocation;
  const found = await chosen(sources, ' of batch/v1', invocation);
  const isForced = given.has(EVEN_IF_MANAGED.name);
  const folder = given.get(PRINT.name);
  if (folder !== undefined) return await printManifests(found, folder, context);
  if (given.has(DRY_RUN.name)) return await dryRun(found, terminal, context, isForced);
  const waitMs = given.has(WAIT.name) ? timeoutOf(given, [WAIT]) : 0;
  await importSources(found, { keepsSource: given.has(KEEP_SOURCE.name), waitMs, isForced }, context);
}

/**
 * The object with the given name, or all objects with the given labels, or all objects. Throws a CommandError when no object
 * matches.
 * @param whose For the message, such as ` of batch/v1`.
 */
async function chosen<T extends NamespacedObject>(
  resource: Resource<T>,
  whose: string,
  invocation: ClusterInvocation,
): Promise<readonly T[]> {
  if (invocation.argument !== '') return [await oneNamed(resource, whose, invocation)];
  const { given, session } = invocation;
  const found = await session.client.list<NamespacedObject>(resource, selected(invocation));
  if (found.length > 0) return found as readonly T[]; // the resource has this type
  const where = showsAllNamespaces(given) ? 'in any namespace' : `in the namespace ${session.namespace}`;
  throw new CommandError(`no CronJob${whose} was found ${where}`);
}

async function goBack(invocation: ClusterInvocation, context: Context): Promise<void> {
  const isDryRun = invocation.given.has(DRY_RUN.name);
  const open = await suspendedOnly(invocation);
  if (isDryRun) for (const each of open) context.report.done(keyOf(each), 'runs in batch/v1 as before (dry run)');
  else await giveBackAll(open, context);
  const isNamed = invocation.argument !== '';
  if (open.length > 0 && isNamed) return;
  const ours = await chosen(cronJobs, ' of this operator', invocation).catch((error: unknown) => {
    if (open.length > 0 && error instanceof CommandError) return [];
    throw error;
  });
  // A name may also select a CronJob that was not imported: the revert then reports it.
  const found = isNamed ? ours : ours.filter((each) => importedFrom(each) !== undefined);
  if (isDryRun) await planRevert(found, context);
  else await revertAll(found, context);
}

/** batch/v1 CronJobs that an import has suspended and not yet replaced. */
async function suspendedOnly(invocation: ClusterInvocation): Promise<readonly SourceCronJob[]> {
  const { argument: name, signal, session } = invocation;
  const fieldSelector = name === '' ? {} : { fieldSelector: `metadata.name=${name}` };
  const only = await session.client.list(sources, { ...selected(invocation), ...fieldSelector });
  const open: SourceCronJob[] = [];
  for (const each of only.filter(isSuspendedByUs)) {
    if ((await session.client.get(cronJobs, each.metadata, { signal })) === undefined) open.push(each);
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

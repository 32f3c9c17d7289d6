import { formatKey, type NamespacedObject, type Resource } from 'controller-runtime';
import { ALL_NAMESPACES_FLAG, hasAllNamespacesFlag, SELECTION_FLAGS, SELECTOR_FLAG } from '../cluster-flags.ts';
import {
  type ClusterInvocation,
  type Command,
  CommandError,
  type CommandFlag,
  type Invocation,
  UsageError,
} from '../command.ts';
import { cronJobs, getObject, runWithSession, toListOptions } from '../cron-jobs.ts';
import { createTimeoutFlag, parseTimeout } from '../flag-value.ts';
import { printDryRun } from '../import/dry-run.ts';
import { type ImportContext, ImportReport } from '../import/import-context.ts';
import { importSources } from '../import/import-sources.ts';
import { printManifests } from '../import/print-manifests.ts';
import { printRevertPlan, restoreSources, revertAll } from '../import/revert-import.ts';
import { getSourceUid, isSuspendedForImport, type SourceCronJob, sources } from '../import/source-cron-job.ts';
import { createReconnectingClusterSession } from '../reconnecting-cluster-session.ts';

const DRY_RUN_FLAG = { name: 'dry-run', description: 'Print the changes without making them.' };
const KEEP_SOURCE_FLAG = { name: 'keep-source', description: 'Keep the suspended batch/v1 CronJob.' };
const WAIT_FLAG = { name: 'wait', description: 'Wait for a successful run, then delete the batch/v1 CronJob.' };
const TIMEOUT_FLAG = createTimeoutFlag('Time to wait before giving up, such as 2h.');
const REVERT_FLAG = {
  name: 'revert',
  description: 'Undo an import: resume the batch/v1 CronJob and delete the imported one.',
};
const PRINT_FLAG: CommandFlag = {
  name: 'print',
  value: 'folder',
  values: 'files',
  description: 'Write manifests to this folder, for you to commit.',
};
const ALL_FLAG = { name: 'all', description: 'Select all CronJobs in the namespace.' };
const INCLUDE_MANAGED_FLAG = {
  name: 'even-if-managed',
  description: 'Include CronJobs managed by a tool or an owner.',
};

const MUTUALLY_EXCLUSIVE_FLAGS = [
  [REVERT_FLAG, PRINT_FLAG],
  [DRY_RUN_FLAG, PRINT_FLAG],
];

export const importCommand: Command = {
  name: 'import',
  description: 'Move batch/v1 CronJobs to this operator. No run is lost or duplicated.',
  argument: { name: 'name', description: '', isOptional: true, values: 'sources' },
  flags: [
    DRY_RUN_FLAG,
    WAIT_FLAG,
    TIMEOUT_FLAG,
    KEEP_SOURCE_FLAG,
    REVERT_FLAG,
    PRINT_FLAG,
    ALL_FLAG,
    INCLUDE_MANAGED_FLAG,
    ...SELECTION_FLAGS,
  ],
  examples: [{ task: 'Print the new CronJob and its differences from batch/v1', args: 'import report --dry-run' }],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal, clock, signal, session } = invocation;
    checkFlags(invocation);
    const report = new ImportReport(terminal);
    const createClientWithTimeout = (timeoutMs: number) =>
      createReconnectingClusterSession(session, {
        clock,
        signal,
        timeoutMs,
        notify: (sentence) => report.notify(sentence),
      }).client;
    const context: ImportContext = {
      client: createClientWithTimeout(Number.POSITIVE_INFINITY),
      createClientWithTimeout,
      clock,
      signal,
      report,
    };
    if (flagValues.has(REVERT_FLAG.name)) await revertImports(invocation, context);
    else await importCronJobs(invocation, context);
    return report.exitCode;
  }),
};

async function importCronJobs(invocation: ClusterInvocation, context: ImportContext): Promise<void> {
  const { flagValues, terminal } = invocation;
  const sourceCronJobs = await findObjects(sources, 'batch/v1 CronJob', invocation);
  const isForced = flagValues.has(INCLUDE_MANAGED_FLAG.name);
  const folder = flagValues.get(PRINT_FLAG.name);
  if (folder !== undefined) return await printManifests(sourceCronJobs, folder, context);
  if (flagValues.has(DRY_RUN_FLAG.name)) return await printDryRun(sourceCronJobs, terminal, context, isForced);
  const waitMs = flagValues.has(WAIT_FLAG.name) ? parseTimeout(flagValues, [WAIT_FLAG]) : 0;
  await importSources(
    sourceCronJobs,
    { shouldKeepSource: flagValues.has(KEEP_SOURCE_FLAG.name), waitMs, isForced },
    context,
  );
}

/**
 * Returns the objects that the command line selects by name, by labels or with --all. Throws a CommandError if no object matches.
 * @param kind The kind for the error message, such as `batch/v1 CronJob`.
 */
async function findObjects<T extends NamespacedObject>(
  resource: Resource<T>,
  kind: string,
  invocation: ClusterInvocation,
): Promise<readonly T[]> {
  if (invocation.argument !== '') return [await getObject(resource, kind, invocation)];
  const { flagValues, session } = invocation;
  const found = await session.client.list<NamespacedObject>(resource, toListOptions(invocation));
  if (found.length > 0) return found as readonly T[]; // the parser of the resource returns objects of type `T`
  const namespaceClause = hasAllNamespacesFlag(flagValues) ? '' : ` in namespace ${session.namespace}`;
  throw new CommandError(`no ${kind}s found${namespaceClause}`);
}

async function revertImports(invocation: ClusterInvocation, context: ImportContext): Promise<void> {
  const isDryRun = invocation.flagValues.has(DRY_RUN_FLAG.name);
  const unfinishedSources = await findUnfinishedSources(invocation);
  if (isDryRun)
    for (const each of unfinishedSources) context.report.reportChange(formatKey(each), 'resumed in batch/v1 (dry run)');
  else await restoreSources(unfinishedSources, context);
  const hasName = invocation.argument !== '';
  if (unfinishedSources.length > 0 && hasName) return;
  const foundCronJobs = await findObjects(cronJobs, 'CronJob', invocation).catch((error: unknown) => {
    if (unfinishedSources.length > 0 && error instanceof CommandError) return [];
    throw error;
  });
  // A CronJob that the user selects by name is not filtered, so that the revert reports it if it was not imported.
  const importedCronJobs = hasName ? foundCronJobs : foundCronJobs.filter((each) => getSourceUid(each) !== undefined);
  if (isDryRun) await printRevertPlan(importedCronJobs, context);
  else await revertAll(importedCronJobs, context);
}

/** Finds the batch/v1 CronJobs that an interrupted import has suspended. */
async function findUnfinishedSources(invocation: ClusterInvocation): Promise<readonly SourceCronJob[]> {
  const { argument: name, signal, session } = invocation;
  const fieldSelector = name === '' ? {} : { fieldSelector: `metadata.name=${name}` };
  const listedSources = await session.client.list(sources, { ...toListOptions(invocation), ...fieldSelector });
  const unfinishedSources: SourceCronJob[] = [];
  for (const each of listedSources.filter(isSuspendedForImport)) {
    if ((await session.client.get(cronJobs, each.metadata, { signal })) === undefined) unfinishedSources.push(each);
  }
  return unfinishedSources;
}

function checkFlags({ argument, flagValues }: Invocation): void {
  const selectionFlags = [argument !== '', flagValues.has(SELECTOR_FLAG.name), flagValues.has(ALL_FLAG.name)].filter(
    Boolean,
  );
  if (selectionFlags.length !== 1) throw new UsageError('specify a CronJob name, a label selector (-l) or --all');
  if (argument !== '' && hasAllNamespacesFlag(flagValues)) {
    throw new UsageError(`--${ALL_NAMESPACES_FLAG.name} requires -l or --all; use -n with a name`);
  }
  parseTimeout(flagValues, [WAIT_FLAG]);
  for (const flags of MUTUALLY_EXCLUSIVE_FLAGS) {
    const conflictingFlags = flags.filter(({ name }) => flagValues.has(name));
    if (conflictingFlags.length > 1)
      throw new UsageError(`${conflictingFlags.map(({ name }) => `--${name}`).join(' and ')} are mutually exclusive`);
  }
}

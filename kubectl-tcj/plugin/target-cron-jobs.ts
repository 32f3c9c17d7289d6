/** Selects the CronJobs that a command changes, by name or by labels. */
import { formatKey } from 'controller-runtime';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { ALL_NAMESPACES_FLAG, hasAllNamespacesFlag, SELECTOR_FLAG } from './cluster-flags.ts';
import { type ClusterInvocation, CommandError, FAILED_EXIT_CODE, UsageError } from './command.ts';
import { cronJobs, getCronJob, listCronJobs } from './cron-jobs.ts';
import { formatErrorOrThrow } from './error-message.ts';
import { formatObject, formatObjects, parseOutputFormat, RESULT_FORMATS, redirectMessages } from './output.ts';
import type { CronJobChange } from './report/cron-job-changes.ts';

/**
 * Throws a UsageError if the command line has neither a name nor a label selector, or has both. Throws a CommandError
 * if no CronJob matches.
 */
export async function findTargets(invocation: ClusterInvocation): Promise<readonly CronJob[]> {
  const { argument, flagValues, session } = invocation;
  const hasSelector = flagValues.has(SELECTOR_FLAG.name);
  if ((argument === '') === !hasSelector) throw new UsageError('specify a CronJob name or a label selector (-l)');
  if (argument !== '' && hasAllNamespacesFlag(flagValues)) {
    throw new UsageError(`--${ALL_NAMESPACES_FLAG.name} requires -l; use -n with a name`);
  }
  if (argument !== '') return [await getCronJob(invocation)];
  const found = await listCronJobs(invocation);
  if (found.length > 0) return found;
  throw new CommandError(
    hasAllNamespacesFlag(flagValues)
      ? 'no CronJobs match the label selector'
      : `no CronJobs in namespace ${session.namespace} match the label selector; use -A to search all namespaces`,
  );
}

/** With the flag --dry-run, the API server validates the changes but does not store them. */
export const DRY_RUN_FLAG = { name: 'dry-run', description: 'Print the changes without making them.' };

/**
 * Changes each CronJob, and reports each change or failure. After a failure, continues with the next CronJob. If the
 * flag --output is set, also prints the CronJobs.
 * @returns the exit code.
 */
export async function changeCronJobs(
  targets: readonly CronJob[],
  invocation: ClusterInvocation,
  createChange: (cronJob: CronJob) => CronJobChange,
): Promise<number> {
  const { argument, flagValues, terminal } = invocation;
  const format = parseOutputFormat(flagValues, RESULT_FORMATS);
  const redirectedInvocation = { ...invocation, terminal: redirectMessages(terminal, format) };
  const changedCronJobs: CronJob[] = [];
  for (const target of targets)
    changedCronJobs.push(...(await changeCronJob(target, redirectedInvocation, createChange)));
  const [firstChanged] = changedCronJobs;
  if (argument === '') terminal.out(formatObjects(changedCronJobs, format));
  else if (firstChanged !== undefined) terminal.out(formatObject(firstChanged, format));
  return changedCronJobs.length === targets.length ? 0 : FAILED_EXIT_CODE;
}

/** @returns an empty list if the change failed. */
async function changeCronJob(
  target: CronJob,
  { session, flagValues, terminal, signal }: ClusterInvocation,
  createChange: (cronJob: CronJob) => CronJobChange,
): Promise<readonly CronJob[]> {
  const dryRun = flagValues.has(DRY_RUN_FLAG.name);
  try {
    const { body, predicate, isRefused = false } = createChange(target);
    const options = { dryRun, signal };
    const changedCronJob =
      body && (await session.client.patch(cronJobs, target.metadata, { kind: 'merge', body }, options));
    const print = isRefused ? terminal.err : terminal.out;
    print(`${formatKey(target)} ${predicate}${dryRun ? ' (server dry run)' : ''}\n`);
    return isRefused ? [] : [changedCronJob ?? target];
  } catch (error) {
    terminal.err(`${formatKey(target)}: ${formatErrorOrThrow(error)}\n`);
    return [];
  }
}

import { integer, isNotFound } from 'controller-runtime';
import { USAGE_EXIT_CODE } from 'controller-runtime/internal';
import { CLUSTER_FLAGS, NAMESPACE_FLAG } from '../cluster-flags.ts';
import {
  type ClusterInvocation,
  type Command,
  CommandError,
  type CommandFlag,
  FAILED_EXIT_CODE,
  UsageError,
} from '../command.ts';
import { cronJobs, runWithSession, warnAboutMalformed } from '../cron-jobs.ts';
import { formatDiffs, toDiffObject } from '../diff/format-diff.ts';
import { diffStarts, hasStartChanges, type ManifestRef, type StartDiff } from '../diff/start-diff.ts';
import { formatErrorOrThrow } from '../error-message.ts';
import { parseFlag } from '../flag-value.ts';
import { PROGRAM } from '../help.ts';
import { formatFindings } from '../lint/format-findings.ts';
import { lintFiles } from '../lint/lint-files.ts';
import type { LintedCronJob } from '../lint/problem.ts';
import { NOT_INSTALLED_MESSAGE } from '../not-found.ts';
import { createOutputFlag, formatValue, OBJECT_FORMATS, parseOutputFormat } from '../output.ts';

const FILENAME_FLAG: CommandFlag = {
  name: 'filename',
  short: 'f',
  value: 'file',
  isRepeated: true,
  description: 'YAML or JSON file, folder, or - for stdin.',
  values: 'files',
};
const MAX_COMPARED_DAYS = 31;
const DAYS_FLAG = {
  name: 'days',
  value: 'days',
  description: `Days to compare, 1 to ${MAX_COMPARED_DAYS}.`,
  default: '7',
};
const OUTPUT_FLAG = createOutputFlag(OBJECT_FORMATS);
const DAY_MS = 86_400_000;
/** The maximum number of CronJobs that the command reads at the same time. */
const MAX_CONCURRENT_REQUESTS = 10;

export const diffCommand: Command = {
  name: 'diff',
  description: 'Show which scheduled runs change when you apply manifests.',
  flags: [FILENAME_FLAG, DAYS_FLAG, OUTPUT_FLAG, ...CLUSTER_FLAGS],
  examples: [
    { task: 'Print which runs of the next week an edit drops, moves or adds', args: 'diff -f manifests/' },
    { task: 'Compare the output of a chart', pipedFrom: 'helm template . | ', args: 'diff -f -' },
  ],
  exitCodes: [
    [0, 'no start changes'],
    [1, 'a start changes, or a CronJob is new'],
    [2, 'invalid command line, invalid manifest, or failed request'],
  ],
  run: async (invocation) => {
    try {
      return await runWithSession(compareFiles)(invocation);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      // As in kubectl diff, the exit code 1 means a difference.
      invocation.terminal.err(`${PROGRAM} diff: ${formatErrorOrThrow(error, invocation.signal)}\n`);
      return USAGE_EXIT_CODE;
    }
  },
};

async function compareFiles(invocation: ClusterInvocation): Promise<number> {
  const { flagValues, terminal, now } = invocation;
  const format = parseOutputFormat(flagValues, OBJECT_FORMATS);
  const names = (flagValues.get(FILENAME_FLAG.name) ?? '').split(',').filter((name) => name !== '');
  if (names.length === 0) throw new UsageError('specify at least one file, folder or - with -f');
  const until = new Date(now.getTime() + parseFlag(flagValues, DAYS_FLAG, integer(1, MAX_COMPARED_DAYS)) * DAY_MS);
  const { problems, cronJobs: found, unreadable } = await lintFiles(names, { readStdin: terminal.readStdin, now });
  const errors = problems.filter(({ level }) => level === 'error');
  terminal.err(formatFindings(errors, terminal));
  for (const { name, reason } of unreadable) terminal.err(`${name}: ${reason}\n`);
  const hasErrors = errors.length + unreadable.length > 0;
  const manifests = found.filter(({ manifest }) => !manifest.hasErrors).map((each) => toManifestRef(each, invocation));
  if (manifests.length === 0 && !hasErrors) throw new CommandError('the files contain no CronJobs of this operator');
  const period = { now, until };
  const diffs: StartDiff[] = [];
  for (let index = 0; index < manifests.length; index += MAX_CONCURRENT_REQUESTS) {
    const batch = manifests.slice(index, index + MAX_CONCURRENT_REQUESTS);
    diffs.push(...(await Promise.all(batch.map((each) => compareManifest(each, period, invocation)))));
  }
  if (diffs.some(({ kind }) => kind === 'Created')) await checkCronJobsInstalled(invocation);
  if (format !== 'text') terminal.out(formatValue(toDiffObject(diffs, period), format));
  else if (diffs.length > 0) terminal.out(formatDiffs(diffs, { ...period, width: terminal.width }));
  if (hasErrors) return USAGE_EXIT_CODE;
  return diffs.some(hasStartChanges) ? FAILED_EXIT_CODE : 0;
}

/** Adds the namespace of the command to a manifest without a namespace. As in kubectl, `-n` must not contradict the manifest. */
function toManifestRef(
  { file, line, namespace, name, manifest }: LintedCronJob,
  { flagValues, session }: ClusterInvocation,
): ManifestRef {
  const position = `${file}:${line}`;
  if (name === undefined) throw new CommandError(`${position}: metadata.name is missing`);
  if (namespace !== undefined && flagValues.has(NAMESPACE_FLAG.name) && namespace !== session.namespace) {
    throw new CommandError(`${position}: the namespace is ${namespace}, not ${session.namespace}; remove -n`);
  }
  return { name, namespace: namespace ?? session.namespace, value: manifest.value };
}

async function compareManifest(
  manifest: ManifestRef,
  period: { readonly now: Date; readonly until: Date },
  invocation: ClusterInvocation,
): Promise<StartDiff> {
  const { namespace, name } = manifest;
  const { session, signal } = invocation;
  const stored = await session.client.get(cronJobs, { namespace, name }, { signal });
  if (stored !== undefined) warnAboutMalformed([stored], invocation);
  return diffStarts(manifest, stored, period);
}

/**
 * Sends a list request, because a get request returns 404 both for a missing CronJob and for a missing CustomResourceDefinition.
 */
async function checkCronJobsInstalled({ session: { client, namespace }, signal }: ClusterInvocation): Promise<void> {
  try {
    await client.list(cronJobs, { namespace, limit: 1, signal });
  } catch (error) {
    if (isNotFound(error)) throw new CommandError(NOT_INSTALLED_MESSAGE);
    formatErrorOrThrow(error, signal); // the user may lack the permission to list CronJobs
  }
}

import { formatKey } from 'controller-runtime';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import { type Command, CommandError, type CommandFlag } from '../command.ts';
import { reloadCronJobRun } from '../cron-job-runs.ts';
import { getCronJob, runWithSession } from '../cron-jobs.ts';
import { formatObject, RESULT_OUTPUT_FLAG } from '../output.ts';
import { createRetryRequest } from '../report/retry.ts';
import { followRun } from '../runs/follow-run.ts';
import { prepareRetry } from '../runs/retried-run.ts';
import { createRunContext, TIMEOUT_FLAG, WAIT_FLAG } from '../runs/run-context.ts';
import { requestSingleRun } from '../runs/single-run.ts';
import { DRY_RUN_FLAG } from '../target-cron-jobs.ts';

const RUN_FLAG: CommandFlag = {
  name: 'run',
  value: 'job',
  description: 'Job of the run (default: the newest failed run).',
  values: 'runs',
};

export const retryCommand: Command = {
  name: 'retry',
  description: 'Repeat a failed run, for the same scheduled time.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [RUN_FLAG, WAIT_FLAG, TIMEOUT_FLAG, DRY_RUN_FLAG, RESULT_OUTPUT_FLAG, ...CLUSTER_FLAGS],
  examples: [
    { task: 'Repeat the newest failed run, and print its result', args: 'retry nightly-backup --wait' },
    { task: 'Repeat an older run', args: 'retry nightly-backup --run nightly-backup-1795432920' },
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal } = invocation;
    const context = createRunContext(invocation, [WAIT_FLAG]);
    const cronJob = await getCronJob(invocation);
    const retry = createRetryRequest(cronJob, flagValues.get(RUN_FLAG.name));
    if (retry.kind === 'invalid') throw new CommandError(retry.message);
    const { spec, note } = await prepareRetry(cronJob, retry, context);
    if (note !== undefined) terminal.err(`${note}\n`);
    const dryRun = flagValues.has(DRY_RUN_FLAG.name);
    const run = await requestSingleRun(cronJob, { purpose: 'retry', spec, slot: retry.slot, dryRun }, context);
    context.terminal.out(`${formatKey(cronJob)} ${retry.predicate}${dryRun ? ' (server dry run)' : ''}\n`);
    if (dryRun) {
      context.print(formatObject(run.request, context.format));
      return 0;
    }
    return await followRun(run, context, async () =>
      formatObject(await reloadCronJobRun(run.request, context), context.format),
    );
  }),
};

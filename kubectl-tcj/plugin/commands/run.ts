import { batch } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import { type Command, CommandError, UsageError } from '../command.ts';
import { mayCreateCronJobRuns, RunsNotInstalledError } from '../cron-job-runs.ts';
import { getCronJob, runWithSession } from '../cron-jobs.ts';
import { formatObject, formatObjectName, RESULT_OUTPUT_FLAG } from '../output.ts';
import { createRunRequest } from '../report/cron-job-changes.ts';
import { requestAnnotatedRun } from '../runs/annotated-run.ts';
import { followRun } from '../runs/follow-run.ts';
import { OVERRIDE_FLAGS, parseOverrides } from '../runs/override-flags.ts';
import type { RequestedRun } from '../runs/requested-run.ts';
import { createRunContext, LOGS_FLAG, type RunContext, TIMEOUT_FLAG, WAIT_FLAG } from '../runs/run-context.ts';
import { requestSingleRun } from '../runs/single-run.ts';

export const runCommand: Command = {
  name: 'run',
  description: 'Start a run now, in addition to the schedule. The concurrency policy applies.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [WAIT_FLAG, LOGS_FLAG, TIMEOUT_FLAG, ...OVERRIDE_FLAGS, RESULT_OUTPUT_FLAG, ...CLUSTER_FLAGS],
  examples: [
    { task: 'Start a run with another argument, and stream its logs', args: 'run nightly-backup --logs --arg --full' },
  ],
  run: runWithSession(async (invocation) => {
    const context = createRunContext(invocation, [WAIT_FLAG, LOGS_FLAG]);
    if (context.format !== 'text' && invocation.flagValues.has(LOGS_FLAG.name)) {
      throw new UsageError('--output and --logs are mutually exclusive: both print to stdout');
    }
    const run = await requestRun(await getCronJob(invocation), context);
    return await followRun(run, context, () => formatJob(run, context));
  }),
};

/**
 * Creates a CronJobRun if the cluster and the user's permissions allow it. With a CronJobRun, the user needs no permission to edit
 * the CronJob.
 */
async function requestRun(cronJob: CronJob, context: RunContext): Promise<RequestedRun> {
  const request = createRunRequest(cronJob, context.now);
  if (request.kind === 'unobserved') throw new CommandError(request.message);
  const overrides = parseOverrides(context, cronJob);
  const { name: cronJobName, namespace } = cronJob.metadata;
  const spec = { cronJobName, manual: {}, ...(overrides && { overrides }) };
  if (overrides !== undefined) return await requestSingleRun(cronJob, { purpose: 'run', spec }, context);
  if (!(await mayCreateCronJobRuns(namespace, context))) return await requestAnnotatedRun(cronJob, request, context);
  try {
    return await requestSingleRun(cronJob, { purpose: 'run', spec }, context);
  } catch (error) {
    if (!(error instanceof RunsNotInstalledError)) throw error;
    return await requestAnnotatedRun(cronJob, request, context);
  }
}

async function formatJob({ cronJob, jobName }: RequestedRun, { session, signal, format }: RunContext): Promise<string> {
  if (format === 'name') return formatObjectName({ apiVersion: 'batch/v1', kind: 'Job' }, jobName);
  const { namespace } = cronJob.metadata;
  const job = await session.client.get(batch.v1.jobs, { namespace, name: jobName }, { signal });
  if (job === undefined) throw new CommandError(`Job ${jobName} no longer exists`);
  return formatObject(job, format);
}

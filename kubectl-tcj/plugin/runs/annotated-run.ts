/**
 * Requests a manual run with the annotation run-now of the CronJob. The request also works in a cluster without the
 * kind CronJobRun.
 */
import { sleep } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { toManualJobName } from '../../../api/v1/job-names.ts';
import { CommandError } from '../command.ts';
import { cronJobs, reloadCronJob } from '../cron-jobs.ts';
import { canRepeatWrite, computeRetryWaitMs, RESPONSE_TIMEOUT_MS } from '../reconnecting-cluster-session.ts';
import type { RunRequest } from '../report/cron-job-changes.ts';
import { describeManualRunWait, findRunReport, hasFailedStart } from '../report/run-report.ts';
import type { RequestedRun, RunProgress } from './requested-run.ts';
import type { RunContext } from './run-context.ts';

const REQUEST_INTERVAL_MS = 500;

export async function requestAnnotatedRun(
  cronJob: CronJob,
  { body, annotationValue, note }: Extract<RunRequest, { kind: 'ok' }>,
  context: RunContext,
): Promise<RequestedRun> {
  if (note !== undefined) context.terminal.err(`${note}\n`);
  await sendRequest(cronJob, { body, annotationValue }, context);
  const jobName = toManualJobName(cronJob, annotationValue);
  const readProgress = async () => toProgress(await reloadCronJob(cronJob, context), jobName, annotationValue);
  return { cronJob, jobName, readProgress };
}

/**
 * Sends the request. If the API server does not respond or is too busy, sends the request again, unless the CronJob already has the
 * annotation.
 */
async function sendRequest(
  cronJob: CronJob,
  { body, annotationValue }: { readonly body: object; readonly annotationValue: string },
  context: RunContext,
): Promise<void> {
  const { clock, signal, session, deadlineMs } = context;
  const options = { signal, timeoutMs: RESPONSE_TIMEOUT_MS };
  for (;;) {
    let waitMs: number;
    try {
      await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, options);
      return;
    } catch (error) {
      // The request is not repeated after another error response, which may report the timeout of a webhook.
      if (!canRepeatWrite(error) || signal.aborted || clock.monotonicMs() >= deadlineMs) throw error;
      waitMs = computeRetryWaitMs(error, REQUEST_INTERVAL_MS);
    }
    const newestValue = getRunNowAnnotation(await reloadCronJob(cronJob, context));
    if (newestValue === annotationValue) return;
    if (newestValue !== getRunNowAnnotation(cronJob)) throw createSupersededError(newestValue);
    await sleep(clock, waitMs, signal);
  }
}

function getRunNowAnnotation({ metadata }: CronJob): string | undefined {
  return metadata.annotations?.[RUN_NOW_ANNOTATION];
}

function createSupersededError(newestValue: string | undefined): CommandError {
  return new CommandError(`another run was requested later (${newestValue}); only the newest request starts`);
}

function toProgress(cronJob: CronJob, jobName: string, annotationValue: string): RunProgress {
  const report = findRunReport(cronJob, jobName);
  if (cronJob.status?.lastManualRun === annotationValue || report !== undefined) return { kind: 'Started', report };
  const newestValue = getRunNowAnnotation(cronJob);
  if (newestValue !== annotationValue) throw createSupersededError(newestValue);
  const reason = describeManualRunWait(cronJob, jobName);
  return { kind: 'NotStarted', reason, hasFailedStart: hasFailedStart(cronJob, jobName) };
}

/** Reads the overrides of a run from its CronJobRun, so that the retry has the same overrides. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { ClusterInvocation } from '../command.ts';
import { findRequest } from '../cron-job-runs.ts';
import { formatErrorOrThrow } from '../error-message.ts';
import type { NewRunSpec, RetryRequest } from '../report/retry.ts';

/** The result contains a note if the overrides of the run are unknown. */
export async function prepareRetry(
  { metadata: { namespace } }: CronJob,
  { spec, requestedBy, jobName, slot }: Extract<RetryRequest, { kind: 'ok' }>,
  access: Pick<ClusterInvocation, 'session' | 'signal'>,
): Promise<{ readonly spec: NewRunSpec; readonly note?: string }> {
  if (requestedBy === undefined) return { spec };
  try {
    const request = await findRequest({ namespace, name: requestedBy, jobName, slot }, access);
    if (request === undefined) return { spec, note: `${describeUnknownOverrides(requestedBy)} no longer exists` };
    const { overrides, concurrencyPolicy } = request.spec;
    return { spec: { ...spec, ...(overrides && { overrides }), concurrencyPolicy } };
  } catch (error) {
    return {
      spec,
      note: `${describeUnknownOverrides(requestedBy)} cannot be read: ${formatErrorOrThrow(error, access.signal)}`,
    };
  }
}

function describeUnknownOverrides(requestedBy: string): string {
  return `the retry has no overrides, because CronJobRun ${requestedBy} of the run`;
}

/** Dry runs of Jobs against an API server whose behaviour a test sets. */

import { LiveClient, type ValidationResult } from 'controller-runtime';
import { FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { createDryRunLimiter, type DryRunContext, dryRunJob } from '../../controllers/job-dry-run.ts';
import { cronJob } from './cron-jobs.ts';

export const NO_FINDINGS: ValidationResult = { errors: [], warnings: [] };

/** A client for an API server with the behaviour of `answer`. */
export function setUpDryRuns(answer: RecordingTransport['answer'] = () => ({})) {
  const transport = new RecordingTransport();
  transport.answer = answer;
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const caller = new AbortController();
  const context: DryRunContext = {
    ...{
      client: new LiveClient(transport, { fieldManager: 'tester' }),
      clock,
      log,
      signal: caller.signal,
      limiter: createDryRunLimiter(),
    },
    ...{ namespace: 'default', isCallerVerified: true },
  };
  const dryRun = (object: CronJob = cronJob(), differences: Partial<DryRunContext> = {}) =>
    dryRunJob(object, { ...context, ...differences });
  return { transport, clock, log, caller, dryRun };
}

/** The message about a template whose dry run had no result. */
export function couldNotCheck(reason: string): string {
  return `could not check spec.jobTemplate: ${reason}; it is checked when the first Job is created`;
}

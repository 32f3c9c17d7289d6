/** Filling in what people leave out. The CRD does the same, with the same constants: this is for an API server without it. */
import {
  DEFAULT_CONCURRENCY_POLICY,
  DEFAULT_FAILED_JOBS_HISTORY_LIMIT,
  DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT,
  DEFAULT_SUSPEND,
} from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { isRecord, valueAt } from './raw-object.ts';

/** Null counts as left out, as with the CRD's defaults. What has a value keeps it, a wrong one too: that is for validation. */
export function defaultCronJob(cronJob: CronJob): CronJob {
  const spec = valueAt(cronJob, 'spec');
  if (!isRecord(spec)) return cronJob;
  const missing = Object.entries(SPEC_DEFAULTS).filter(([name]) => valueAt(spec, name) === undefined);
  return missing.length === 0 ? cronJob : { ...cronJob, spec: { ...cronJob.spec, ...Object.fromEntries(missing) } };
}

const SPEC_DEFAULTS: Partial<CronJobSpec> = {
  concurrencyPolicy: DEFAULT_CONCURRENCY_POLICY,
  suspend: DEFAULT_SUSPEND,
  successfulJobsHistoryLimit: DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT,
  failedJobsHistoryLimit: DEFAULT_FAILED_JOBS_HISTORY_LIMIT,
};

/** The run that people ask for by hand, with the run-now annotation. */
import { createHash } from 'node:crypto';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { isRunNowSetLater } from '../../api/v1/field-edits.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { type Run, runNowJobName } from './job.ts';

/** What the annotation asks for. */
export type RunNow =
  | { readonly kind: 'None' }
  /** A new value that starts nothing any more; it only has to be remembered. */
  | { readonly kind: 'Settled'; readonly value: string }
  /** A new value whose run has not been started. */
  | { readonly kind: 'Due'; readonly value: string; readonly jobName: string };

/**
 * A value is settled when its Job is there, even if no status says so: a pass may have crashed in between. One that the manifest
 * brought along is settled too, so that a restored manifest starts nothing.
 * @param unstored Value that this process knows to be served, though the status could not be stored.
 */
export function runNowOf(cronJob: CronJob, runs: readonly Run[], unstored?: string): RunNow {
  const { metadata, status } = cronJob;
  const value = metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined || isServed(value, status?.lastManualRun)) return { kind: 'None' };
  const jobName = runNowJobName(cronJob, value);
  const isBroughtAlong = status?.observedGeneration === undefined && !isRunNowSetLater(cronJob);
  const isStarted = isServed(value, unstored) || runs.some(({ job }) => job.metadata.name === jobName);
  return isBroughtAlong || isStarted ? { kind: 'Settled', value } : { kind: 'Due', value, jobName };
}

/** Longest value that is stored as it is, in characters. An annotation may have 256 KiB. */
const MAX_STORED_LENGTH = 253;

/** The value as the status keeps it: a long one as its hash. */
export function storedRunNow(value: string): string {
  if (value.length <= MAX_STORED_LENGTH) return value;
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}

/** Earlier versions stored long values in full. */
function isServed(value: string, stored: string | undefined): boolean {
  return stored !== undefined && (stored === value || stored === storedRunNow(value));
}

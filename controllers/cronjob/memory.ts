/** What a pass leaves to the next one of the same process. A new process does as well without. */
import { isDeepStrictEqual } from 'node:util';
import type { CronJob, CronJobStatus, ObjectReference } from '../../api/v1/cronjob-types.ts';

export interface Memory {
  /** Of the CronJob: another one of its name has nothing to do with it. */
  readonly uid: string;
  /** Jobs that are active and that no stored status names yet: the cache may not have them for a while. */
  readonly unrecorded: readonly ObjectReference[];
  /** Names of Jobs that could not be started: at most a run by hand and a slot, which may fail in turn. */
  readonly failed: ReadonlySet<string>;
  readonly unstored: Unstored;
}

/**
 * What this process has seen and could not store. The Jobs that told of it may be gone by now, and a slot or a value whose Job
 * it has seen must not run again.
 */
export type Unstored = Partial<Pick<CronJobStatus, (typeof UNSTORED_FIELDS)[number]>>;

const UNSTORED_FIELDS = [
  'lastScheduleTime',
  'lastManualRun',
  'lastSuccessfulTime',
  'lastFailureTime',
  'lastRun',
] as const satisfies readonly (keyof CronJobStatus)[];

export const NO_MEMORY: Memory = { uid: '', unrecorded: [], failed: new Set(), unstored: {} };

/** What was kept for this CronJob. */
export function memoryOf({ metadata }: CronJob, kept: Memory | undefined): Memory {
  return kept?.uid === metadata.uid ? kept : NO_MEMORY;
}

/**
 * What to keep after a pass; `undefined` for nothing.
 * @param status That the pass settled. @param stored That the API server has.
 */
export function memoryAfter(
  uid: string,
  failed: ReadonlySet<string>,
  {
    status,
    stored,
    isStored,
  }: { readonly status: CronJobStatus; readonly stored: CronJobStatus; readonly isStored: boolean },
): Memory | undefined {
  const unrecorded = isStored ? [] : (status.active ?? []);
  const unstored = isStored ? {} : unstoredOf(status, stored);
  const isEmpty = unrecorded.length === 0 && failed.size === 0 && Object.keys(unstored).length === 0;
  return isEmpty ? undefined : { uid, unrecorded, failed, unstored };
}

/** The Jobs that could not be started, after a pass that tried the Job. */
export function failedAfter(before: ReadonlySet<string>, jobName: string, hasFailed: boolean): ReadonlySet<string> {
  // A run by hand and a slot may fail in turn; nothing older matters any more.
  const other = [...before].filter((name) => name !== jobName).slice(-1);
  return new Set(hasFailed ? [...other, jobName] : other);
}

/** What of `status`, which could not be stored, the stored one does not say. */
function unstoredOf(status: CronJobStatus, stored: CronJobStatus): Unstored {
  return Object.fromEntries(
    UNSTORED_FIELDS.filter(
      (field) => status[field] !== undefined && !isDeepStrictEqual(status[field], stored[field]),
    ).map((field) => [field, status[field]]),
  );
}

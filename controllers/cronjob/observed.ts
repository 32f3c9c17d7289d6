/** What one pass looks at: the CronJob, and its Jobs sorted into runs. */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../../api/kubernetes.ts';
import type { Condition, CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { GROUP, KIND, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';

export interface Observed {
  readonly cronJob: CronJob;
  /** The Jobs it controls, in no particular order. */
  readonly jobs: readonly Job[];
  /** None when absent. */
  readonly failures?: Failures | undefined;
  /** Nothing when absent. */
  readonly unstored?: Unstored | undefined;
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

/** What of `status`, which could not be stored, the stored one does not say. */
export function unstoredOf(status: CronJobStatus, stored: CronJobStatus = {}): Unstored {
  return Object.fromEntries(
    UNSTORED_FIELDS.filter(
      (field) => status[field] !== undefined && !isDeepStrictEqual(status[field], stored[field]),
    ).map((field) => [field, status[field]]),
  );
}

/** Jobs that this process has tried to start in vain, by name, and what people have been told about each. */
export type Failures = ReadonlyMap<string, string | undefined>;

/** A Job as the controller sees it. */
export interface Run {
  readonly job: Job;
  /** The slot it runs. Absent on a Job that was asked for by hand, and on one that does not say. */
  readonly slot?: Date;
  readonly state: 'Active' | 'Succeeded' | 'Failed';
  /** When it completed or failed. Absent while active, and when nothing says it. */
  readonly finishedAt?: Date;
  /** Why it failed, as one word. */
  readonly failureReason?: string;
}

/**
 * UID of the CronJob that controls the Job, if one does. By UID and kind: a Job of a CronJob that was deleted and made
 * again under the same name is not the new one's.
 */
export function owningCronJob({ metadata }: Pick<Job, 'metadata'>): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === KIND && owner.apiVersion.startsWith(`${GROUP}/`) ? owner.uid : undefined;
}

/** A Job is finished once a `Complete` or `Failed` condition is True; one that is being deleted is active until it is gone. */
export function runOf(job: Job): Run {
  const run = { job, ...slotOf(job) };
  const complete = trueCondition(job, 'Complete');
  if (complete) {
    return { ...run, state: 'Succeeded', ...finishedAt(job.status?.completionTime, complete.lastTransitionTime) };
  }
  const failed = trueCondition(job, 'Failed');
  if (failed) {
    return {
      ...run,
      state: 'Failed',
      ...finishedAt(failed.lastTransitionTime),
      ...(failed.reason ? { failureReason: failed.reason } : {}),
    };
  }
  return { ...run, state: 'Active' };
}

function trueCondition(job: Job, type: 'Complete' | 'Failed') {
  return job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The first of the times that can be read: whoever sets a condition may leave its time out. */
function finishedAt(...times: readonly (string | undefined)[]): { finishedAt?: Date } {
  const time = times.map(parseTime).find((each) => each !== undefined);
  return time === undefined ? {} : { finishedAt: time };
}

function slotOf(job: Job): { slot?: Date } {
  const slot = parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
  return slot === undefined ? {} : { slot: wholeSeconds(slot) };
}

/** The condition of that type as the status has it. */
export function storedCondition(status: CronJobStatus | undefined, type: Condition['type']): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** RFC 3339. `new Date` reads a date into nearly any text with a number in it. */
const API_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** An instant from the API; `undefined` when there is none, or none that can be read and written again. */
export function parseTime(text: string | undefined): Date | undefined {
  if (typeof text !== 'string' || !API_TIME.test(text)) return undefined;
  const time = new Date(text);
  // The offset may lead to a year of five digits, or to one before 0; those that are no time at all have no year.
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time : undefined;
}

/** An instant as the API carries it: RFC 3339 in UTC, whole seconds. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** The instant without its fraction of a second. */
export function wholeSeconds(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1000) * 1000);
}

/** The latest of the instants that are there. */
export function latest(first: Date, ...others: readonly (Date | undefined)[]): Date;
export function latest(...times: readonly (Date | undefined)[]): Date | undefined;
export function latest(...times: readonly (Date | undefined)[]): Date | undefined {
  return times.reduce((newest, time) => (newest === undefined || (time && time > newest) ? time : newest), undefined);
}

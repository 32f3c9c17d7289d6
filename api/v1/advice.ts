import type { Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import type { CronJob } from './cronjob-types.ts';
import { valueAt } from './raw-object.ts';
import { parseSchedule } from './schedule.ts';

export interface WarningContext {
  readonly now: Date;
  /** The CronJob before the update. Absent on create. */
  readonly oldCronJob?: CronJob | undefined;
  /** The maximum time without a leader after a manager crashes. */
  readonly failoverSeconds: number;
}

/** The path of a field below `spec`. */
export type Path = readonly string[];

/** A check that returns warnings. On update, the check runs only if one of the fields in `dependsOn` changes. */
export interface WarningRule {
  readonly dependsOn: readonly Path[];
  /** Returns warnings that start with a path below `spec`. */
  readonly getWarnings: (spec: unknown, context: WarningContext) => readonly string[];
}

export const SCHEDULE_PATH: Path = ['schedule'];
export const TIME_ZONE_PATH: Path = ['timeZone'];
export const SUSPEND_PATH: Path = ['suspend'];
export const START_TIMEOUT_PATH: Path = ['startTimeoutSeconds'];
export const JOB_DEADLINE_PATH: Path = ['jobTemplate', 'spec', 'activeDeadlineSeconds'];

/** Returns the schedule and the time zone of a spec, or `undefined` if the spec is invalid. */
export function parseSpecSchedule(
  spec: unknown,
  now: Date,
): { readonly schedule: Schedule; readonly timeZone: string } | undefined {
  const text = valueAt(spec, ...SCHEDULE_PATH);
  const timeZone = valueAt(spec, ...TIME_ZONE_PATH) ?? DEFAULT_TIME_ZONE;
  if (typeof text !== 'string' || typeof timeZone !== 'string') return undefined;
  const parsed = parseSchedule(text, { timeZone, anchor: now });
  return parsed.kind === 'invalid' ? undefined : { schedule: parsed.schedule, timeZone };
}

/** Types that the warnings share. */
import type { Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import type { CronJob } from './cronjob-types.ts';
import { valueAt } from './raw-object.ts';
import { parseSchedule } from './schedule.ts';

export interface WarningContext {
  readonly now: Date;
  /** The object before an update. Absent on create. */
  readonly old?: CronJob | undefined;
  /** Maximum time without a leader after a manager crashed. */
  readonly failoverSeconds: number;
}

/** Path of a field below spec. */
export type Path = readonly string[];

/** Warnings that depend on some fields. On update they appear only when one of these fields changes. */
export interface Advice {
  readonly dependsOn: readonly Path[];
  /** Returns sentences that begin with a path below spec. */
  readonly advise: (spec: unknown, context: WarningContext) => readonly string[];
}

export const SCHEDULE: Path = ['schedule'];
export const TIME_ZONE: Path = ['timeZone'];
export const SUSPEND: Path = ['suspend'];
export const START_TIMEOUT: Path = ['startTimeoutSeconds'];
export const JOB_DEADLINE: Path = ['jobTemplate', 'spec', 'activeDeadlineSeconds'];

/** The schedule and the zone of a spec; `undefined` for a spec that validation refuses. */
export function parseSpecSchedule(
  spec: unknown,
  now: Date,
): { readonly schedule: Schedule; readonly timeZone: string } | undefined {
  const text = valueAt(spec, ...SCHEDULE);
  const timeZone = valueAt(spec, ...TIME_ZONE) ?? DEFAULT_TIME_ZONE;
  if (typeof text !== 'string' || typeof timeZone !== 'string') return undefined;
  const parsed = parseSchedule(text, { timeZone, anchor: now });
  return parsed.kind === 'invalid' ? undefined : { schedule: parsed.schedule, timeZone };
}

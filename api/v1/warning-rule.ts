import type { Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import type { CronJob, CronJobSpec } from './cronjob-types.ts';
import { isRecord, withoutNulls } from './raw-object.ts';
import { parseSchedule } from './schedule.ts';
import { parseCronJob } from './stored-cronjob.ts';
import { parseTimetable, type TimetableFields, type ValidTimetable } from './timetable.ts';

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

/** The paths of the fields that define the scheduled times. */
export const TIMETABLE_PATHS: readonly Path[] = [
  SCHEDULE_PATH,
  TIME_ZONE_PATH,
  ['schedules'],
  ['startTime'],
  ['endTime'],
  ['exclude'],
  ['daylightSaving'],
];

export interface SpecSchedules {
  /** The valid schedules, each with its path below `spec`. */
  readonly schedules: readonly { readonly path: string; readonly schedule: Schedule }[];
  readonly timeZone: string;
  readonly timetable: ValidTimetable;
  readonly spec: TimetableFields;
}

/**
 * Caches the result of {@link repairSpec}, because several rules use the same spec, and a spec may have thousands of excluded
 * dates.
 */
const repairedSpecs = new WeakMap<object, CronJobSpec>();

/** Returns a copy of the spec without the Job template, null fields and invalid values. */
export function repairSpec(spec: Readonly<Record<string, unknown>>): CronJobSpec {
  const cachedSpec = repairedSpecs.get(spec);
  if (cachedSpec !== undefined) return cachedSpec;
  const { jobTemplate: _, ...fields } = spec;
  const { spec: repairedSpec } = parseCronJob(withoutNulls({ spec: fields }) as CronJob); // parseCronJob reads only the spec here
  repairedSpecs.set(spec, repairedSpec);
  return repairedSpec;
}

/** Returns the schedules of a spec, or `undefined` if the spec is invalid. */
export function parseSpecSchedules(spec: unknown, now: Date): SpecSchedules | undefined {
  if (!isRecord(spec)) return undefined;
  const repairedSpec = repairSpec(spec);
  const timetable = parseTimetable(repairedSpec, now);
  if (timetable.kind === 'invalid') return undefined;
  const { schedule, schedules = [], timeZone = DEFAULT_TIME_ZONE, daylightSaving } = repairedSpec;
  const parsedSchedules = [schedule, ...schedules].flatMap((text, index) => {
    const parsed = parseSchedule(text, { timeZone, anchor: now, daylightSaving });
    const path = index === 0 ? 'schedule' : `schedules[${index - 1}]`;
    return parsed.kind === 'ok' ? [{ path, schedule: parsed.schedule }] : [];
  });
  return { schedules: parsedSchedules, timeZone, timetable, spec: repairedSpec };
}

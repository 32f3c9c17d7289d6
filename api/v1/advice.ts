/** What the warnings are made from. */
import type { CronJob } from './cronjob-types.ts';

export interface WarningContext {
  readonly now: Date;
  /** The object before an update. Absent on create. */
  readonly old?: CronJob | undefined;
  /** How long there may be no leader after a manager crashed. */
  readonly failoverSeconds: number;
}

/** Of a field below spec. */
export type Path = readonly string[];

/** Warnings that depend on some fields. On update they are given only when one of these changes. */
export interface Advice {
  readonly restsOn: readonly Path[];
  /** Sentences that begin with a path below spec. */
  readonly advise: (spec: unknown, context: WarningContext) => readonly string[];
}

export const SCHEDULE: Path = ['schedule'];
export const TIME_ZONE: Path = ['timeZone'];
export const SUSPEND: Path = ['suspend'];
export const START_TIMEOUT: Path = ['startTimeoutSeconds'];
export const JOB_DEADLINE: Path = ['jobTemplate', 'spec', 'activeDeadlineSeconds'];

/** Since when the schedule in force has been in force. */
import { DEFAULT_TIME_ZONE } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { parseTime } from './observed.ts';

export interface EffectiveSchedule {
  readonly schedule: string;
  readonly timeZone: string;
  /** Slots at or before this instant belong to no schedule or to an earlier one, and are never run. */
  readonly since: Date;
}

/** An edit of the schedule or its zone makes older slots void, so that it never starts a run by itself. */
export function effectiveScheduleOf({ metadata, spec, status }: CronJob, now: Date): EffectiveSchedule {
  const inForce = { schedule: spec.schedule, timeZone: spec.timeZone ?? DEFAULT_TIME_ZONE };
  const stored = status?.effectiveSchedule;
  const storedSince = parseTime(stored?.since);
  if (stored === undefined || storedSince === undefined) {
    return { ...inForce, since: new Date(metadata.creationTimestamp) };
  }
  const isEdited = stored.schedule !== inForce.schedule || stored.timeZone !== inForce.timeZone;
  return { ...inForce, since: isEdited && now > storedSince ? now : storedSince };
}

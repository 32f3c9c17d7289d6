/** Since when the schedule in force has been in force. */
import { DEFAULT_TIME_ZONE } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { lastScheduleEdit } from './field-edits.ts';
import { latest, parseTime } from './observed.ts';

export interface EffectiveSchedule {
  readonly schedule: string;
  readonly timeZone: string;
  /** Slots at or before this instant belong to no schedule or to an earlier one, and are never run. Whole seconds. */
  readonly since: Date;
}

/**
 * An edit of the schedule or its zone makes older slots void, so that it never starts a run by itself. It holds from the
 * instant the API server noted for it, not from the pass that sees it: a slot in between is due.
 */
export function effectiveScheduleOf(cronJob: CronJob, now: Date): EffectiveSchedule {
  const { metadata, spec, status } = cronJob;
  const inForce = { schedule: spec.schedule, timeZone: spec.timeZone ?? DEFAULT_TIME_ZONE };
  const stored = status?.effectiveSchedule;
  const storedSince = parseTime(stored?.since);
  const isEdited = stored?.schedule !== inForce.schedule || stored.timeZone !== inForce.timeZone;
  if (storedSince !== undefined && !isEdited) return { ...inForce, since: storedSince };

  const floor = storedSince ?? new Date(metadata.creationTimestamp);
  const noted = lastScheduleEdit(cronJob);
  const isNoted = noted !== undefined && (noted > floor || !isZoneRemoved(spec, stored));
  const unnoted = storedSince === undefined ? floor : wholeSeconds(now);
  const editedAt = isNoted ? noted : unnoted;
  // The API server's clock may be ahead of ours; what the stored status says is not taken back.
  const past = editedAt > now ? wholeSeconds(now) : editedAt;
  return { ...inForce, since: latest(floor, past) };
}

/** Of a field that is only taken away, the API server may note no time. */
function isZoneRemoved(spec: CronJobSpec, stored: CronJobStatus['effectiveSchedule']): boolean {
  return spec.timeZone === undefined && stored !== undefined && stored.timeZone !== DEFAULT_TIME_ZONE;
}

function wholeSeconds(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1000) * 1000);
}

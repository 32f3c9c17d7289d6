/** Since when the schedule in force has been in force. */
import { DEFAULT_TIME_ZONE } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { lastScheduleEdit } from './field-edits.ts';
import { latest, parseTime, wholeSeconds } from './observed.ts';

export interface EffectiveSchedule {
  readonly schedule: string;
  readonly timeZone: string;
  /** Slots at or before this instant belong to no schedule or to an earlier one, and are never run. Whole seconds. */
  readonly since: Date;
}

/**
 * An edit of the schedule or its zone makes older slots void, so that it never starts a run by itself. It holds from the
 * instant the API server noted for it, not from the pass that sees it: a slot in between is due. A zone that was removed
 * holds from the pass on, see {@link isZoneRemoved}.
 */
export function effectiveScheduleOf(cronJob: CronJob, now: Date): EffectiveSchedule {
  const { metadata, spec, status } = cronJob;
  const inForce = { schedule: spec.schedule, timeZone: spec.timeZone ?? DEFAULT_TIME_ZONE };
  const stored = status?.effectiveSchedule;
  const storedSince = parseTime(stored?.since);
  const isEdited = stored?.schedule !== inForce.schedule || stored.timeZone !== inForce.timeZone;
  if (storedSince !== undefined && !isEdited) return { ...inForce, since: storedSince };

  const floor = storedSince ?? parseTime(metadata.creationTimestamp) ?? wholeSeconds(now);
  const noted = isZoneRemoved(spec, stored) ? now : lastScheduleEdit(cronJob);
  const editedAt = noted ?? (storedSince === undefined ? floor : now);
  // The API server's clock may be ahead of ours; what the stored status says is not taken back.
  return { ...inForce, since: latest(floor, wholeSeconds(editedAt > now ? now : editedAt)) };
}

/**
 * When a client only removes a field, the API server takes it out of `managedFields` and leaves every time as it was. What
 * the entries say is then older than the edit: of the schedule's own last edit, or of another field's by the same client.
 */
function isZoneRemoved(spec: CronJobSpec, stored: CronJobStatus['effectiveSchedule']): boolean {
  return spec.timeZone === undefined && stored !== undefined && stored.timeZone !== DEFAULT_TIME_ZONE;
}

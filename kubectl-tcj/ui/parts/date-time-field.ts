/** Formats the values of `datetime-local` fields. */
import { toLocalTime } from '../../../api/v1/schedule.ts';

/** Returns a local time such as `2026-11-23T02:00`. */
export function formatDateTimeField(instant: Date, zone: string): string {
  return (toLocalTime(instant, zone) ?? instant.toISOString()).slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** Converts the values of date and time fields. */
import { toLocalTime } from '../../../api/v1/schedule.ts';

/** `2026-11-23T02:00`, in the zone. */
export function formatFieldValue(instant: Date, zone: string): string {
  return (toLocalTime(instant, zone) ?? instant.toISOString()).slice(0, 'yyyy-mm-ddThh:mm'.length);
}

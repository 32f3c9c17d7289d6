/** A date and a time as the clock of a zone shows them. */
import { clockTime } from '../../../api/v1/schedule.ts';

/** `2026-11-23T02:00`, with or without seconds, as an instant: that at which the clock of the zone shows it: the first of two, and of none the one that would have been. */
export function instantOf(text: string, zone: string): Date | undefined {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return undefined;
  const shownAt = (ms: number) => Date.parse(`${clockTime(new Date(ms), zone)}Z`);
  // The offset is the one before or after a change of the clock, which is no more than a day away.
  const candidates = [wanted - DAY_MS, wanted + DAY_MS].map((ms) => wanted - (shownAt(ms) - ms));
  const fitting = candidates.filter((ms) => shownAt(ms) === wanted);
  const ms = fitting.length > 0 ? Math.min(...fitting) : Math.max(...candidates);
  return Number.isNaN(ms) ? undefined : new Date(ms);
}

const DAY_MS = 86_400_000;

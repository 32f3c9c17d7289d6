import type { CronFields } from './cron-fields.ts';
import type { DstNote, DstNotesOptions, LocalTime } from './dst-note.ts';
import { type Schedule, toUnixMs } from './schedule.ts';
import type { ConstantOffset, TimeZone } from './time-zone.ts';

interface DstNotesInput {
  readonly fields: CronFields;
  readonly zone: TimeZone;
  /** The schedule of `fields` in UTC, where every local time occurs once. */
  readonly utcSchedule: Pick<Schedule, 'between'>;
  readonly from: Date;
}

/**
 * Returns the clock changes that skip or repeat runs, in ascending order.
 *
 * The result omits clock changes that do not affect the intervals between runs, such as a change by an hour for an
 * hourly schedule or for `*\/5 * * * *`.
 */
export function findDstNotes(
  { fields, zone, utcSchedule, from }: DstNotesInput,
  { months = 12 }: DstNotesOptions = {},
): readonly DstNote[] {
  const notes: DstNote[] = [];
  let spanBefore = zone.offsetAt(toUnixMs(from));
  const until = addMonths(from, months).getTime();
  while (spanBefore.endMs <= until) {
    const spanAfter = zone.offsetAt(spanBefore.endMs);
    const note = findNote(spanBefore, spanAfter, utcSchedule);
    if (note && !isShiftInvariant(fields, Math.abs(spanAfter.offsetMs - spanBefore.offsetMs))) notes.push(note);
    spanBefore = spanAfter;
  }
  return notes;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;

function findNote(
  oldOffset: ConstantOffset,
  newOffset: ConstantOffset,
  utcSchedule: DstNotesInput['utcSchedule'],
): DstNote | undefined {
  if (newOffset.offsetMs === oldOffset.offsetMs) return undefined;
  const localBeforeMs = oldOffset.endMs + oldOffset.offsetMs;
  const localAfterMs = oldOffset.endMs + newOffset.offsetMs;
  const [startMs, endMs] = [Math.min(localBeforeMs, localAfterMs), Math.max(localBeforeMs, localAfterMs)];
  const minuteCount = Math.ceil((endMs - startMs) / MINUTE_MS);
  const runs = utcSchedule.between(new Date(startMs - 1), new Date(endMs - 1), { limit: minuteCount });
  if (runs.length === 0) return undefined;
  return {
    kind: localAfterMs > localBeforeMs ? 'skipped' : 'doubled',
    at: new Date(oldOffset.endMs),
    clockBefore: toLocalTime(new Date(localBeforeMs)),
    clockAfter: toLocalTime(new Date(localAfterMs)),
    runs: runs.map(toLocalTime),
  };
}

/** Returns true if the times of day are still the same after a shift by `shiftMs`. */
function isShiftInvariant({ minutes, hours }: CronFields, shiftMs: number): boolean {
  const shift = shiftMs / MINUTE_MS;
  if (!Number.isInteger(shift) || shift >= MINUTES_PER_DAY) return false;
  const times = new Set(hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)));
  return [...times].every((time) => times.has((time + shift) % MINUTES_PER_DAY));
}

/** @param localDate A Date whose UTC fields contain the local time. */
function toLocalTime(localDate: Date): LocalTime {
  return localDate.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

function addMonths(instant: Date, months: number): Date {
  const shiftedDate = new Date(instant);
  shiftedDate.setUTCMonth(shiftedDate.getUTCMonth() + months);
  return shiftedDate;
}

/** Finds clock changes that skip or double runs of a schedule. */
import type { CronFields } from './cron-fields.ts';
import type { DstNote, DstNotesOptions, LocalTime } from './dst-note.ts';
import { type Schedule, toUnixMs } from './schedule.ts';
import type { ConstantOffset, TimeZone } from './time-zone.ts';

/** Input of {@link dstNotes}. */
interface DstNotesInput {
  readonly fields: CronFields;
  readonly zone: TimeZone;
  /**
   * The schedule of the fields on a clock that never changes: every local time occurs once, at the same time in UTC.
   */
  readonly utcSchedule: Pick<Schedule, 'between'>;
  readonly from: Date;
}

/**
 * The clock changes that skip or double runs, oldest first.
 *
 * A change does not affect a schedule whose times of day keep their rhythm across it (`*\/5 * * * *`, or hourly if the
 * clock moves by an hour): it misses an hour of local time, but no user waits longer for a run.
 */
export function dstNotes(
  { fields, zone, utcSchedule, from }: DstNotesInput,
  { months = 12 }: DstNotesOptions = {},
): readonly DstNote[] {
  const notes: DstNote[] = [];
  let before = zone.offsetAt(toUnixMs(from));
  const until = addMonths(from, months).getTime();
  while (before.endMs <= until) {
    const after = zone.offsetAt(before.endMs);
    const note = findNote(before, after, utcSchedule);
    if (note && !isShiftInvariant(fields, Math.abs(after.offsetMs - before.offsetMs))) notes.push(note);
    before = after;
  }
  return notes;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;

function findNote(
  before: ConstantOffset,
  after: ConstantOffset,
  utcSchedule: DstNotesInput['utcSchedule'],
): DstNote | undefined {
  const localBeforeMs = before.endMs + before.offsetMs;
  const localAfterMs = before.endMs + after.offsetMs;
  const [startMs, endMs] = [Math.min(localBeforeMs, localAfterMs), Math.max(localBeforeMs, localAfterMs)];
  const minutes = Math.ceil((endMs - startMs) / MINUTE_MS);
  const runs = utcSchedule.between(new Date(startMs - 1), new Date(endMs - 1), { limit: minutes });
  if (runs.length === 0) return undefined;
  return {
    kind: localAfterMs > localBeforeMs ? 'skipped' : 'doubled',
    at: new Date(before.endMs),
    clockBefore: localTime(new Date(localBeforeMs)),
    clockAfter: localTime(new Date(localAfterMs)),
    runs: runs.map(localTime),
  };
}

/** Whether the times of day are the same after `shiftMs` as before. */
function isShiftInvariant({ minutes, hours }: CronFields, shiftMs: number): boolean {
  const shift = shiftMs / MINUTE_MS;
  if (!Number.isInteger(shift) || shift >= MINUTES_PER_DAY) return false;
  const times = new Set(hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)));
  return [...times].every((time) => times.has((time + shift) % MINUTES_PER_DAY));
}

/** @param localDate Local time, represented as UTC. */
function localTime(localDate: Date): LocalTime {
  return localDate.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

function addMonths(instant: Date, months: number): Date {
  const moved = new Date(instant);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  return moved;
}

/** Finds clock changes that skip or double runs of a schedule. */
import type { CronFields } from './cron-fields.ts';
import type { DstNote, DstNotesOptions, LocalTime } from './dst-note.ts';
import { requireValid, type Schedule } from './schedule.ts';
import type { ConstantOffset, TimeZone } from './time-zone.ts';

/** Input of {@link dstNotes}. */
interface DstQuestion {
  readonly fields: CronFields;
  readonly zone: TimeZone;
  /**
   * The schedule of the fields on a clock that never changes: every local time occurs once, at the same time in UTC.
   */
  readonly undisturbed: Pick<Schedule, 'between'>;
  readonly from: Date;
}

/**
 * The clock changes that skip or double runs, oldest first.
 *
 * A change does not affect a schedule whose times of day keep their rhythm across it (`*\/5 * * * *`, or hourly if the
 * clock moves by an hour): it misses an hour of local time, but no user waits longer for a run.
 */
export function dstNotes(
  { fields, zone, undisturbed, from }: DstQuestion,
  { months = 12 }: DstNotesOptions = {},
): readonly DstNote[] {
  const notes: DstNote[] = [];
  let before = zone.offsetAt(requireValid(from));
  const until = addMonths(from, months).getTime();
  while (before.endMs <= until) {
    const after = zone.offsetAt(before.endMs);
    const note = noteOf(before, after, undisturbed);
    if (note && !keepsRhythm(fields, Math.abs(after.offsetMs - before.offsetMs))) notes.push(note);
    before = after;
  }
  return notes;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;

function noteOf(
  before: ConstantOffset,
  after: ConstantOffset,
  undisturbed: DstQuestion['undisturbed'],
): DstNote | undefined {
  const showsMs = before.endMs + before.offsetMs;
  const jumpsToMs = before.endMs + after.offsetMs;
  const [startMs, endMs] = [Math.min(showsMs, jumpsToMs), Math.max(showsMs, jumpsToMs)];
  const minutes = Math.ceil((endMs - startMs) / MINUTE_MS);
  const runs = undisturbed.between(new Date(startMs - 1), new Date(endMs - 1), { limit: minutes });
  if (runs.length === 0) return undefined;
  return {
    kind: jumpsToMs > showsMs ? 'skipped' : 'doubled',
    at: new Date(before.endMs),
    clockBefore: localTime(new Date(showsMs)),
    clockAfter: localTime(new Date(jumpsToMs)),
    runs: runs.map(localTime),
  };
}

/** Whether the times of day are the same after `shiftMs` as before. */
function keepsRhythm({ minutes, hours }: CronFields, shiftMs: number): boolean {
  const shift = shiftMs / MINUTE_MS;
  if (!Number.isInteger(shift) || shift >= MINUTES_PER_DAY) return false;
  const times = new Set(hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)));
  return [...times].every((time) => times.has((time + shift) % MINUTES_PER_DAY));
}

/** @param onWallClock Local time, represented as UTC. */
function localTime(onWallClock: Date): LocalTime {
  return onWallClock.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

function addMonths(instant: Date, months: number): Date {
  const moved = new Date(instant);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  return moved;
}

/** Where a change of the clock skips or doubles runs of a schedule. */
import type { CronFields } from './cron-fields.ts';
import { CronSchedule } from './cron-schedule.ts';
import { type Stretch, zoneOffsets } from './zone-offsets.ts';

/** A change of a zone's clock that skips or doubles runs. */
export interface DstNote {
  /** Local times in `runs` do not exist that day, or come twice. */
  readonly kind: 'skipped' | 'doubled';
  /** When the clock changes. */
  readonly at: Date;
  /** What the clock would show then, had it not changed, and what it shows: `2026-03-29T02:00` and `2026-03-29T03:00`. */
  readonly clockBefore: LocalTime;
  readonly clockAfter: LocalTime;
  /** The local times of the runs, oldest first, at least one. */
  readonly runs: readonly LocalTime[];
}

/** A minute on the wall clock, `2026-03-29T02:30`: no instant, as it may not exist or come twice. */
export type LocalTime = string;

export interface DstQuestion {
  readonly fields: CronFields;
  /** A zone that Intl knows. */
  readonly timeZone: string;
  readonly from: Date;
  /** How far to look ahead. */
  readonly months: number;
}

/**
 * The clock changes that skip or double runs, oldest first.
 *
 * A schedule whose times of day go on in the same rhythm across the change (`*\/5 * * * *`, or hourly where the clock moves by
 * an hour) is left alone by it: by the wall clock it misses an hour, but nobody waits longer for a run.
 */
export function dstNotes({ fields, timeZone, from, months }: DstQuestion): readonly DstNote[] {
  const zone = zoneOffsets(timeZone);
  // On a clock that never changes, every local time exists once: what would have run.
  const undisturbed = new CronSchedule(fields, zoneOffsets('UTC'));
  const until = addMonths(from, months).getTime();
  const notes: DstNote[] = [];
  let before = zone.stretchAt(from.getTime());
  while (before.endMs <= until) {
    const after = zone.stretchAt(before.endMs);
    const note = noteOf(before, after, undisturbed);
    if (note && !keepsRhythm(fields, Math.abs(after.offsetMs - before.offsetMs))) notes.push(note);
    before = after;
  }
  return notes;
}

/** `2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00`. */
export function describeDstNote({ kind, clockBefore, clockAfter, runs }: DstNote): string {
  const day = dayOf(runs[0] ?? '');
  const onDay = (time: LocalTime) => (dayOf(time) === day ? timeOf(time) : `${dayOf(time)} ${timeOf(time)}`);
  const isOne = runs.length === 1;
  const effect = kind === 'skipped' ? `${isOne ? 'is' : 'are'} skipped` : `${isOne ? 'runs' : 'run'} twice`;
  const goes = kind === 'skipped' ? 'goes' : 'goes back';
  return `${day} ${runsInWords(runs.map(onDay))} ${effect}: the clock ${goes} from ${onDay(clockBefore)} to ${onDay(clockAfter)}`;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;
/** More runs of one change are told by the first, the last and how many they are. */
const SPELLED_RUNS = 4;

function noteOf(before: Stretch, after: Stretch, undisturbed: CronSchedule): DstNote | undefined {
  const showsMs = before.endMs + before.offsetMs;
  const jumpsToMs = before.endMs + after.offsetMs;
  const [startMs, endMs] = [Math.min(showsMs, jumpsToMs), Math.max(showsMs, jumpsToMs)];
  const minutes = Math.ceil((endMs - startMs) / MINUTE_MS);
  const runs = undisturbed.between(new Date(startMs - 1), new Date(endMs - 1), minutes);
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

function runsInWords(times: readonly string[]): string {
  if (times.length > SPELLED_RUNS) return `${times[0]} to ${times.at(-1)} (${times.length} runs)`;
  return times.length === 1 ? times.join() : `${times.slice(0, -1).join(', ')} and ${times.at(-1)}`;
}

/** @param onWallClock Shows as UTC what the wall clock shows. */
function localTime(onWallClock: Date): LocalTime {
  return onWallClock.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

function dayOf(time: LocalTime): string {
  return time.slice(0, 10);
}

function timeOf(time: LocalTime): string {
  return time.slice(11);
}

function addMonths(instant: Date, months: number): Date {
  const moved = new Date(instant);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  return moved;
}

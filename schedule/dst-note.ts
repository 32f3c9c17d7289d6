/** The effect of a clock change on a schedule, as a value and in words. */

/** A change of a zone's clock that skips runs or doubles them. */
export interface DstNote {
  /**
   * `skipped`: the local times in `runs` do not exist on that day. `moved`: nor do these, and the schedule fires at
   * `clockAfter` instead. `doubled`: they occur twice.
   */
  readonly kind: 'skipped' | 'moved' | 'doubled';
  /** When the clock changes. */
  readonly at: Date;
  /** Local time at that instant without the change: `2026-03-29T02:00`. */
  readonly clockBefore: LocalTime;
  /** Local time at that instant after the change: `2026-03-29T03:00`. */
  readonly clockAfter: LocalTime;
  /** The local times of the runs, oldest first, at least one. */
  readonly runs: readonly LocalTime[];
}

/** A minute of local time, `2026-03-29T02:30`. It is not an instant, because it may not exist or may occur twice. */
export type LocalTime = string;

/** How far ahead to look for clock changes. */
export interface DstNotesOptions {
  /** Default: 12, which includes both changes of every zone that changes its clock each year. */
  readonly months?: number;
}

/** `2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00`. */
export function describeDstNote({ kind, clockBefore, clockAfter, runs }: DstNote): string {
  const day = formatDay(runs[0] ?? '');
  const formatTime = (time: LocalTime) =>
    formatDay(time) === day ? formatTimeOfDay(time) : `${formatDay(time)} ${formatTimeOfDay(time)}`;
  const isOne = runs.length === 1;
  const effects = {
    skipped: `${isOne ? 'is' : 'are'} skipped`,
    moved: `${isOne ? 'runs' : 'run once,'} at ${formatTime(clockAfter)}`,
    doubled: `${isOne ? 'runs' : 'run'} twice`,
  };
  const effect = effects[kind];
  const goes = kind === 'doubled' ? 'goes back' : 'goes';
  return `${day} ${describeRuns(runs.map(formatTime))} ${effect}: the clock ${goes} from ${formatTime(clockBefore)} to ${formatTime(clockAfter)}`;
}

/** More runs of one change are described by the first, the last and their number. */
const MAX_LISTED_RUNS = 4;

function describeRuns(times: readonly string[]): string {
  if (times.length > MAX_LISTED_RUNS) return `${times[0]} to ${times.at(-1)} (${times.length} runs)`;
  return times.length === 1 ? times.join() : `${times.slice(0, -1).join(', ')} and ${times.at(-1)}`;
}

function formatDay(time: LocalTime): string {
  return time.slice(0, 10);
}

function formatTimeOfDay(time: LocalTime): string {
  return time.slice(11);
}

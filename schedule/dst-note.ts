/** A clock change that affects runs of a schedule. */
export interface DstNote {
  /**
   * With `skipped`, the clock change skips the local times in `runs`. With `moved`, the schedule fires at `clockAfter`
   * instead of the skipped local times. With `doubled`, the local times in `runs` occur twice.
   */
  readonly kind: 'skipped' | 'moved' | 'doubled';
  /** The instant of the clock change. */
  readonly at: Date;
  /** The local time at which the clock changes, such as `2026-03-29T02:00`. */
  readonly clockBefore: LocalTime;
  /** The local time to which the clock changes, such as `2026-03-29T03:00`. */
  readonly clockAfter: LocalTime;
  /** The local times of the affected runs, at least one, in ascending order. */
  readonly runs: readonly LocalTime[];
}

/** A local time without seconds, such as `2026-03-29T02:30`. */
export type LocalTime = string;

/** Options of {@link Schedule.dstNotes}. */
export interface DstNotesOptions {
  /** The number of months to search for clock changes. Default: 12. */
  readonly months?: number;
}

/** Describes a clock change in English. Example: `2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00`. */
export function describeDstNote({ kind, clockBefore, clockAfter, runs }: DstNote): string {
  const day = formatDay(runs[0] ?? '');
  const formatTime = (time: LocalTime) =>
    formatDay(time) === day ? formatTimeOfDay(time) : `${formatDay(time)} ${formatTimeOfDay(time)}`;
  const isSingleRun = runs.length === 1;
  const effects = {
    skipped: `${isSingleRun ? 'is' : 'are'} skipped`,
    moved: `${isSingleRun ? 'runs' : 'run once,'} at ${formatTime(clockAfter)}`,
    doubled: `${isSingleRun ? 'runs' : 'run'} twice`,
  };
  const effect = effects[kind];
  const verb = kind === 'doubled' ? 'goes back' : 'goes';
  return `${day} ${describeRuns(runs.map(formatTime))} ${effect}: the clock ${verb} from ${formatTime(clockBefore)} to ${formatTime(clockAfter)}`;
}

/** The maximum number of runs that a description lists individually. */
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

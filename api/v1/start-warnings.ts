/** Warns about the runs that an update drops, moves or adds. */
import { isAfter } from '../time.ts';
import type { CronJob } from './cronjob-types.ts';
import { isChanged, isRecord, valueAt, withoutNulls } from './raw-object.ts';
import { formatInZone } from './schedule.ts';
import { compareStarts, type MovedStart, type Start, type StartChanges } from './start-changes.ts';
import { parseCronJob } from './stored-cronjob.ts';
import { parseSpecSchedules, repairSpec, SUSPEND_PATH, TIMETABLE_PATHS, type WarningContext } from './warning-rule.ts';

/** The fields of the spec that determine when runs start. */
const START_PATHS = [
  ...TIMETABLE_PATHS,
  SUSPEND_PATH,
  ['suspendUntil'],
  ['jitterSeconds'],
  ['startingDeadlineSeconds'],
  ['concurrencyPolicy'],
  ['queueLimit'],
  ['catchUpPolicy'],
  ['catchUpLimit'],
];

const COMPARED_HOURS = 24;
/**
 * Limits the duration of the comparison, because the update waits for the warning. The limit is the number of slots of
 * an every-minute schedule in five hours.
 */
const MAX_COMPARED_SLOTS = 300;

/**
 * Returns at most two warnings: about the runs that wait, and about the next runs. Warns only about an update that
 * changes a field in {@link START_PATHS} or ends a pause. Never throws.
 */
export function warnAboutStarts(cronJob: CronJob, { now, oldCronJob }: WarningContext): readonly string[] {
  if (oldCronJob === undefined) return [];
  const endsPause = isRecord(valueAt(oldCronJob, 'status', 'paused')) && isChanged(cronJob, oldCronJob, 'spec');
  if (!endsPause && !areStartFieldsChanged(cronJob, oldCronJob)) return [];
  const spec = valueAt(cronJob, 'spec');
  const stored = pickStartFields(oldCronJob);
  if (!isRecord(spec) || stored === undefined || parseSpecSchedules(spec, now) === undefined) return [];
  const newSpec = repairSpec(spec);
  const until = new Date(now.getTime() + COMPARED_HOURS * 3_600_000);
  const changes = compareStarts(stored, newSpec, { now, until, limit: MAX_COMPARED_SLOTS });
  const isWaiting = ({ time }: Start) => !isAfter(time, now);
  const waiting = changes.dropped.filter(isWaiting);
  const dropped = changes.dropped.filter((start) => !isWaiting(start));
  const options = { now, oldZone: stored.spec.timeZone, newZone: newSpec.timeZone };
  const phrases = describeChanges({ ...changes, dropped }, options);
  return [
    ...describeWaitingRuns(waiting, stored.spec.timeZone),
    ...(phrases.length === 0 ? [] : [joinPhrases(phrases, { endsPause, isPartial: isAfter(until, changes.until) })]),
  ];
}

function describeWaitingRuns(starts: readonly Start[], timeZone: string | undefined): readonly string[] {
  const [first] = starts;
  if (first === undefined) return [];
  const time = formatInZone(first.slot, timeZone);
  return [
    starts.length === 1
      ? `this edit drops the waiting run of ${time}`
      : `this edit drops ${starts.length} waiting runs, the first of ${time}`,
  ];
}

/** Returns whether an update changes a field of the spec that determines when runs start. */
function areStartFieldsChanged(cronJob: unknown, oldCronJob: unknown): boolean {
  return START_PATHS.some((path) => isChanged(cronJob, oldCronJob, 'spec', ...path));
}

/** Reads only the fields that determine when runs start, because `managedFields` and `recentRuns` may be large. */
function pickStartFields(cronJob: CronJob): CronJob | undefined {
  const spec = valueAt(cronJob, 'spec');
  if (!isRecord(spec)) return undefined;
  const pick = (field: string, ...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, valueAt(cronJob, field, name) ?? null]));
  const fields = {
    metadata: pick('metadata', 'uid', 'creationTimestamp'),
    status: pick('status', 'effectiveSchedule', 'lastScheduleTime', 'handledThrough', 'paused'),
  };
  // The cast is valid because parseCronJob accepts any object.
  return { ...parseCronJob(withoutNulls(fields) as CronJob), spec: repairSpec(spec) };
}

/** One effect of an update, with the first affected run and the number of affected runs. */
interface Phrase {
  readonly verb: 'drops' | 'moves' | 'adds' | 'starts';
  /** The first affected run, such as `the run of 2026-11-27T02:30:00+01:00`. */
  readonly first: string;
  readonly count: number;
}

interface PhraseOptions {
  readonly now: Date;
  readonly oldZone: string | undefined;
  readonly newZone: string | undefined;
}

function describeChanges(
  { dropped, moved, added }: StartChanges,
  { now, oldZone, newZone }: PhraseOptions,
): readonly Phrase[] {
  const [missed, future] = [added.filter(({ time }) => time <= now), added.filter(({ time }) => time > now)];
  const describeMove = ({ oldTime, newTime }: MovedStart) =>
    `the start at ${formatInZone(oldTime, newZone)} to ${formatInZone(newTime, newZone)}`;
  return [
    ...toPhrase('starts', missed, ({ slot }) => `the missed run of ${formatInZone(slot, newZone)} now`),
    ...toPhrase('drops', dropped, ({ slot }) => `the run of ${formatInZone(slot, oldZone)}`),
    ...toPhrase('moves', moved, describeMove),
    ...toPhrase('adds', future, ({ slot }) => `the run of ${formatInZone(slot, newZone)}`),
  ];
}

function toPhrase<T>(verb: Phrase['verb'], starts: readonly T[], describe: (first: T) => string): readonly Phrase[] {
  const [first] = starts;
  return first === undefined ? [] : [{ verb, first: describe(first), count: starts.length }];
}

interface SentenceOptions {
  readonly endsPause: boolean;
  /** Whether a schedule has more slots than {@link MAX_COMPARED_SLOTS}, so that the counts are too low. */
  readonly isPartial: boolean;
}

/**
 * Returns a sentence of at most 256 characters, the limit of the API for a warning. The sentence contains the time of the first
 * phrase, and of each phrase about a single start.
 */
function joinPhrases(phrases: readonly Phrase[], { endsPause, isPartial }: SentenceOptions): string {
  const subject = endsPause ? 'this edit ends the pause and' : 'this edit';
  const atLeast = isPartial ? 'at least ' : '';
  const texts = phrases.map(({ verb, first, count }, index) => {
    if (count === 1) return `${verb} ${first}`;
    return index === 0 ? `${verb} ${first} (and ${atLeast}${count - 1} more)` : `${verb} ${atLeast}${count} runs`;
  });
  const [last = '', ...others] = texts.toReversed();
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
  if (phrases.every(({ count }) => count === 1)) return `${subject} ${list}`;
  const period = `within ${COMPARED_HOURS} hours`;
  // A closing bracket at the end includes the period.
  return list.endsWith(')') ? `${subject} ${list.slice(0, -1)} ${period})` : `${subject} ${list} ${period}`;
}

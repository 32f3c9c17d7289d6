/** What may be stored and is likely not what people want. */
import { type CronFields, type DstNote, describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import type { CronJob } from './cronjob-types.ts';
import { isBeingDeleted } from './cronjob-validation.ts';
import { isChanged, valueAt } from './raw-object.ts';
import { parseSchedule } from './schedule.ts';

export interface WarningContext {
  readonly now: Date;
  /** The object before an update. Absent on create. */
  readonly old?: CronJob | undefined;
  /** For how long there may be no leader when a manager goes without saying so. */
  readonly failoverSeconds: number;
}

/**
 * One sentence each, that says what to do. On update only those that rest on a field the update changes. Never throws, whatever
 * the object is in truth; what is wrong is left to validation.
 */
export function cronJobWarnings(cronJob: CronJob, context: WarningContext): readonly string[] {
  if (isBeingDeleted(cronJob)) return [];
  return ADVICE.filter(({ restsOn }) => restsOn.some((path) => isChanged(cronJob, context.old, 'spec', ...path)))
    .flatMap(({ advise }) => advise(valueAt(cronJob, 'spec'), context))
    .map((sentence) => `spec.${sentence}`);
}

type Path = readonly string[];

interface Advice {
  readonly restsOn: readonly Path[];
  /** Sentences that begin with a path below spec. */
  readonly advise: (spec: unknown, context: WarningContext) => readonly string[];
}

const SCHEDULE: Path = ['schedule'];
const TIME_ZONE: Path = ['timeZone'];
const STARTING_DEADLINE: Path = ['startingDeadlineSeconds'];
const CONCURRENCY_POLICY: Path = ['concurrencyPolicy'];
const JOB_DEADLINE: Path = ['jobTemplate', 'spec', 'activeDeadlineSeconds'];
const POD_DEADLINE: Path = ['jobTemplate', 'spec', 'template', 'spec', 'activeDeadlineSeconds'];
const TIME_TO_LIVE: Path = ['jobTemplate', 'spec', 'ttlSecondsAfterFinished'];

const ADVICE: readonly Advice[] = [
  { restsOn: [SCHEDULE, TIME_ZONE], advise: onSchedule },
  { restsOn: [STARTING_DEADLINE], advise: onStartingDeadline },
  { restsOn: [CONCURRENCY_POLICY, STARTING_DEADLINE, JOB_DEADLINE, POD_DEADLINE], advise: onForbid },
  { restsOn: [TIME_TO_LIVE], advise: onTimeToLive },
];

function onSchedule(spec: unknown, { now }: WarningContext): readonly string[] {
  const text = valueAt(spec, ...SCHEDULE);
  const timeZone = valueAt(spec, ...TIME_ZONE) ?? DEFAULT_TIME_ZONE;
  if (typeof text !== 'string' || typeof timeZone !== 'string') return [];
  const parsed = parseSchedule(text, { timeZone, anchor: now });
  if (parsed.kind === 'invalid') return [];
  const { schedule } = parsed;
  if (schedule.next(now) === undefined) return [NEVER_FIRES];
  return [...onEitherDay(schedule.fields), ...onClockChanges(schedule, timeZone, now)];
}

const NEVER_FIRES =
  'schedule: never fires: no such day comes within five years; change day of month or month, or set suspend to stop it';

/** @param fields Absent with `@every`. */
function onEitherDay(fields: CronFields | undefined): readonly string[] {
  return fields === undefined || fields.isDayOfMonthStar || fields.isDayOfWeekStar ? [] : [EITHER_DAY];
}

const EITHER_DAY =
  'schedule: day of month and day of week are both given, and a day that matches one of them is enough; ' +
  'make one of them * unless that is meant';

/** Changes of the clock are looked for so far ahead: every zone that has them has one of each sort in it. */
const DST_MONTHS = 12;

/** The next skip and the next doubling: others are the same again. */
function onClockChanges(schedule: Schedule, timeZone: string, now: Date): readonly string[] {
  const notes = schedule.dstNotes(now, { months: DST_MONTHS });
  return (['skipped', 'doubled'] as const)
    .map((kind) => notes.find((note) => note.kind === kind))
    .filter((note) => note !== undefined)
    .map((note) => `schedule: in ${timeZone} ${describeDstNote(note)}; ${CLOCK_CHANGE_FIXES[note.kind]}`);
}

const CLOCK_CHANGE_FIXES: Readonly<Record<DstNote['kind'], string>> = {
  skipped: 'choose another time if that run matters',
  doubled: 'choose another time if once must be enough',
};

function onStartingDeadline(spec: unknown, { failoverSeconds }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...STARTING_DEADLINE);
  if (typeof seconds !== 'number' || seconds < 0) return [];
  if (seconds === 0) return [STARTS_NOTHING];
  if (seconds >= failoverSeconds) return [];
  const fault = `${seconds} is less than the ${failoverSeconds} s for which there may be no leader, and runs due then are lost`;
  return [`startingDeadlineSeconds: ${fault}; give ${failoverSeconds} or more`];
}

const STARTS_NOTHING =
  'startingDeadlineSeconds: 0 starts nothing; remove it, or give the seconds that a run may be late';

/** With a deadline for the start, people have thought of runs that wait; with one for the run, none waits for ever. */
function onForbid(spec: unknown): readonly string[] {
  const isForbid = valueAt(spec, ...CONCURRENCY_POLICY) === 'Forbid';
  const isBounded = [STARTING_DEADLINE, JOB_DEADLINE, POD_DEADLINE].some(
    (path) => valueAt(spec, ...path) !== undefined,
  );
  return isForbid && !isBounded ? [HANGING_RUN] : [];
}

const HANGING_RUN =
  'concurrencyPolicy: with Forbid a run that hangs blocks all later ones for ever; ' +
  'set spec.jobTemplate.spec.activeDeadlineSeconds to the longest that a run may take';

/** What the Job came to is only known while there is a Job. */
function onTimeToLive(spec: unknown, { failoverSeconds }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...TIME_TO_LIVE);
  if (typeof seconds !== 'number' || seconds < 0 || seconds >= failoverSeconds) return [];
  const fault = `${seconds} may delete a Job before its result is seen, at the latest when the leader changes`;
  return [`jobTemplate.spec.ttlSecondsAfterFinished: ${fault}; give 60 or more, or use the history limits`];
}

/** Warns about settings that are valid but probably a mistake. */
import { type CronFields, type DstNote, describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { parseTime } from '../time.ts';
import {
  type Advice,
  JOB_DEADLINE,
  type Path,
  parseSpecSchedule,
  SCHEDULE,
  START_TIMEOUT,
  SUSPEND,
  TIME_ZONE,
  type WarningContext,
} from './advice.ts';
import type { CronJob } from './cronjob-types.ts';
import { isBeingDeleted } from './cronjob-validation.ts';
import { TAKES_OVER_FROM_ANNOTATION } from './groupversion.ts';
import { isChanged, valueAt } from './raw-object.ts';
import { warnAboutUnreachedSteps } from './step-warnings.ts';
import { parseTakeOver } from './take-over.ts';
import { WATCH_ADVICE } from './watch-warnings.ts';

/**
 * Returns warnings, each one sentence with a fix. On update, returns only warnings that depend on a field that the update changes.
 * Never throws; validation reports invalid values.
 */
export function cronJobWarnings(cronJob: CronJob, context: WarningContext): readonly string[] {
  if (isBeingDeleted(cronJob)) return [];
  const warnAboutSpec = ADVICE.filter(({ dependsOn: restsOn }) =>
    restsOn.some((path) => isChanged(cronJob, context.old, 'spec', ...path)),
  )
    .flatMap(({ advise }) => advise(valueAt(cronJob, 'spec'), context))
    .map((sentence) => `spec.${sentence}`);
  return [...warnAboutSpec, ...warnAboutTakeOver(cronJob, context)];
}

const STARTING_DEADLINE: Path = ['startingDeadlineSeconds'];
const CONCURRENCY_POLICY: Path = ['concurrencyPolicy'];
const POD_DEADLINE: Path = ['jobTemplate', 'spec', 'template', 'spec', 'activeDeadlineSeconds'];
const TIME_TO_LIVE: Path = ['jobTemplate', 'spec', 'ttlSecondsAfterFinished'];

const ADVICE: readonly Advice[] = [
  { dependsOn: [SCHEDULE, TIME_ZONE], advise: warnAboutSchedule },
  { dependsOn: [SCHEDULE, TIME_ZONE, SUSPEND], advise: warnAboutNever },
  { dependsOn: [STARTING_DEADLINE], advise: warnAboutStartingDeadline },
  {
    dependsOn: [CONCURRENCY_POLICY, STARTING_DEADLINE, START_TIMEOUT, JOB_DEADLINE, POD_DEADLINE],
    advise: warnAboutForbid,
  },
  { dependsOn: [TIME_TO_LIVE], advise: warnAboutTimeToLive },
  ...WATCH_ADVICE,
];

function warnAboutSchedule(spec: unknown, { now }: WarningContext): readonly string[] {
  const { schedule, timeZone } = parseSpecSchedule(spec, now) ?? {};
  if (schedule?.next(now) === undefined || timeZone === undefined) return [];
  return [
    ...warnAboutUnreachedSteps(schedule),
    ...warnAboutEitherDay(schedule.fields),
    ...warnAboutClockChanges(schedule, timeZone, now),
  ];
}

/** Skipped while suspended: users switch off a CronJob with `suspend` and a date that never comes. */
function warnAboutNever(spec: unknown, { now }: WarningContext): readonly string[] {
  const found = parseSpecSchedule(spec, now);
  const isMeant = found === undefined || valueAt(spec, ...SUSPEND) === true;
  return isMeant || found.schedule.next(now) !== undefined ? [] : [NEVER_FIRES];
}

const NEVER_FIRES =
  'schedule: never fires: no such day comes within five years; change day of month or month, or set suspend to stop it';

/** @param fields Absent with `@every`. */
function warnAboutEitherDay(fields: CronFields | undefined): readonly string[] {
  return fields === undefined || fields.isDayOfMonthStar || fields.isDayOfWeekStar ? [] : [EITHER_DAY];
}

const EITHER_DAY =
  'schedule: day of month and day of week are both given, and a day that matches one of them is enough; ' +
  'make one of them * unless that is meant';

/** How many months ahead to search for clock changes: a year of a zone with daylight saving time has one of each kind. */
const DST_MONTHS = 12;

/** Warns about the next skipped time and the next doubled time. Later times repeat them. */
function warnAboutClockChanges(schedule: Schedule, timeZone: string, now: Date): readonly string[] {
  const notes = schedule.dstNotes(now, { months: DST_MONTHS });
  return CLOCK_CHANGE_FIXES.flatMap(([kind, fix]) => {
    const note = notes.find((each) => each.kind === kind);
    return note === undefined ? [] : [`schedule: in ${timeZone} ${describeDstNote(note)}; ${fix}`];
  });
}

const CLOCK_CHANGE_FIXES: readonly (readonly [DstNote['kind'], fix: string])[] = [
  ['skipped', 'choose another time if that run matters'],
  ['doubled', 'choose another time if once must be enough'],
];

function warnAboutStartingDeadline(spec: unknown, { failoverSeconds }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...STARTING_DEADLINE);
  if (typeof seconds !== 'number' || seconds < 0) return [];
  if (seconds === 0) return [STARTS_NOTHING];
  if (seconds >= failoverSeconds) return [];
  const fault = `${seconds} is less than the ${failoverSeconds} s for which there may be no leader, and runs due then are lost`;
  return [`startingDeadlineSeconds: ${fault}; give ${failoverSeconds} or more`];
}

const STARTS_NOTHING =
  'startingDeadlineSeconds: 0 starts nothing; remove it, or give the seconds that a run may be late';

/**
 * Skipped with a starting deadline, because its author has considered waiting runs, and with a deadline of the run, which ends the
 * wait.
 */
function warnAboutForbid(spec: unknown): readonly string[] {
  const isForbid = valueAt(spec, ...CONCURRENCY_POLICY) === 'Forbid';
  const isBounded = [STARTING_DEADLINE, JOB_DEADLINE, POD_DEADLINE].some(
    (path) => valueAt(spec, ...path) !== undefined,
  );
  if (!isForbid || isBounded) return [];
  const hangs = valueAt(spec, ...START_TIMEOUT) === undefined ? 'hangs' : 'hangs after its start';
  return [`concurrencyPolicy: with Forbid a run that ${hangs} blocks all later ones for ever; ${HANGING_RUN_FIX}`];
}

const HANGING_RUN_FIX = 'set spec.jobTemplate.spec.activeDeadlineSeconds to the longest that a run may take';

/** The result of a run is known only while its Job exists. */
function warnAboutTimeToLive(spec: unknown, { failoverSeconds }: WarningContext): readonly string[] {
  const seconds = valueAt(spec, ...TIME_TO_LIVE);
  if (typeof seconds !== 'number' || seconds < 0 || seconds >= failoverSeconds) return [];
  const fault = `${seconds} may delete a Job before its result is seen, at the latest when the leader changes`;
  return [`jobTemplate.spec.ttlSecondsAfterFinished: ${fault}; give 60 or more, or use the history limits`];
}

/** Only on create: the controller reads the annotation in the first pass and never again. */
function warnAboutTakeOver(cronJob: CronJob, { now, old }: WarningContext): readonly string[] {
  if (!isChanged(cronJob, old, 'metadata', 'annotations', TAKES_OVER_FROM_ANNOTATION)) return [];
  const creation = valueAt(cronJob, 'metadata', 'creationTimestamp');
  const created = typeof creation === 'string' ? parseTime(creation) : undefined;
  const takeOver = parseTakeOver(valueAt(cronJob, 'metadata'), created ?? now);
  if (takeOver.kind === 'none') return [];
  const isSeen = valueAt(old, 'status', 'effectiveSchedule') !== undefined;
  if (!isSeen && takeOver.kind === 'takenOver') return [];
  const fault = takeOver.kind === 'ignored' ? takeOver.fault : SEEN_BEFORE;
  return [`metadata.annotations[${TAKES_OVER_FROM_ANNOTATION}]: ${fault}`];
}

const SEEN_BEFORE = 'is ignored, because it counts only when the CronJob is created; remove it';

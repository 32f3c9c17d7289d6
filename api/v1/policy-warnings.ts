import { valueAt } from './raw-object.ts';
import { formatDuration, parseRecentRun } from './recent-lines.ts';
import {
  JOB_DEADLINE_PATH,
  type Path,
  parseSpecSchedules,
  START_TIMEOUT_PATH,
  TIMETABLE_PATHS,
  type WarningContext,
  type WarningRule,
} from './warning-rule.ts';

const CONCURRENCY_POLICY_PATH: Path = ['concurrencyPolicy'];
const MAX_CONCURRENT_RUNS_PATH: Path = ['maxConcurrentRuns'];
const QUEUE_LIMIT_PATH: Path = ['queueLimit'];
const CATCH_UP_POLICY_PATH: Path = ['catchUpPolicy'];
const CATCH_UP_LIMIT_PATH: Path = ['catchUpLimit'];
const STARTING_DEADLINE_PATH: Path = ['startingDeadlineSeconds'];
const POD_DEADLINE_PATH: Path = ['jobTemplate', 'spec', 'template', 'spec', 'activeDeadlineSeconds'];

export const POLICY_WARNING_RULES: readonly WarningRule[] = [
  {
    dependsOn: [
      CONCURRENCY_POLICY_PATH,
      STARTING_DEADLINE_PATH,
      START_TIMEOUT_PATH,
      JOB_DEADLINE_PATH,
      POD_DEADLINE_PATH,
    ],
    getWarnings: warnAboutHangingRun,
  },
  {
    dependsOn: [
      CONCURRENCY_POLICY_PATH,
      MAX_CONCURRENT_RUNS_PATH,
      QUEUE_LIMIT_PATH,
      CATCH_UP_POLICY_PATH,
      CATCH_UP_LIMIT_PATH,
    ],
    getWarnings: warnAboutUnusedFields,
  },
  {
    dependsOn: [CONCURRENCY_POLICY_PATH, MAX_CONCURRENT_RUNS_PATH, ...TIMETABLE_PATHS],
    getWarnings: warnAboutGrowingQueue,
  },
];

/**
 * The effect of a run that hangs on later runs, by concurrency policy. A starting deadline or a deadline of the Jobs
 * limits the effect.
 */
const HANGING_RUN_EFFECTS: Readonly<Record<string, string>> = {
  Forbid: 'blocks all later runs for ever',
  Queue: 'blocks all later runs for ever',
  Skip: 'skips all later runs for ever',
};

function warnAboutHangingRun(spec: unknown): readonly string[] {
  const policy = valueAt(spec, ...CONCURRENCY_POLICY_PATH);
  const effect =
    typeof policy === 'string' && Object.hasOwn(HANGING_RUN_EFFECTS, policy) ? HANGING_RUN_EFFECTS[policy] : undefined;
  const deadlines = [...(policy === 'Skip' ? [] : [STARTING_DEADLINE_PATH]), JOB_DEADLINE_PATH, POD_DEADLINE_PATH];
  if (effect === undefined || deadlines.some((path) => valueAt(spec, ...path) !== undefined)) return [];
  const hangPhrase = valueAt(spec, ...START_TIMEOUT_PATH) === undefined ? 'hangs' : 'hangs after its start';
  return [`concurrencyPolicy: with ${policy} a run that ${hangPhrase} ${effect}; ${HANGING_RUN_FIX}`];
}

const HANGING_RUN_FIX = 'set spec.jobTemplate.spec.activeDeadlineSeconds to the maximum duration of a run';

interface RunPolicies {
  readonly concurrency: unknown;
  readonly catchUp: unknown;
}

/** The fields that have no effect, or a surprising effect, with some policies. */
const UNUSED_FIELDS: readonly {
  readonly path: Path;
  readonly isUnused: (policies: RunPolicies) => boolean;
  readonly warning: string;
}[] = [
  {
    path: QUEUE_LIMIT_PATH,
    isUnused: ({ concurrency }) => concurrency !== 'Queue',
    warning: 'queueLimit: has no effect without concurrencyPolicy: Queue; remove it, or set that policy',
  },
  {
    path: MAX_CONCURRENT_RUNS_PATH,
    isUnused: ({ concurrency }) => concurrency !== 'Queue' && concurrency !== 'Allow',
    warning:
      'maxConcurrentRuns: has an effect only with concurrencyPolicy: Allow or Queue; remove it, or set one of them',
  },
  {
    path: CATCH_UP_LIMIT_PATH,
    isUnused: ({ concurrency, catchUp }) => concurrency === 'Queue' || catchUp !== 'All',
    warning:
      'catchUpLimit: has an effect only with catchUpPolicy: All, and not with concurrencyPolicy: Queue, which has queueLimit',
  },
  {
    path: CATCH_UP_POLICY_PATH,
    isUnused: ({ concurrency, catchUp }) => concurrency === 'Queue' && catchUp === 'Latest',
    warning: 'catchUpPolicy: Latest has no effect with concurrencyPolicy: Queue, which starts every run; remove it',
  },
  {
    path: CATCH_UP_POLICY_PATH,
    isUnused: ({ concurrency, catchUp }) => concurrency === 'Replace' && catchUp === 'All',
    warning:
      'catchUpPolicy: with Replace each late run ends the late run before it; set Queue, or remove catchUpPolicy',
  },
  {
    path: CATCH_UP_POLICY_PATH,
    isUnused: ({ concurrency, catchUp }) => concurrency === 'Skip' && catchUp === 'All',
    warning:
      'catchUpPolicy: with Skip the first late run starts, and the others are skipped while it is active; set Queue, or remove catchUpPolicy',
  },
];

function warnAboutUnusedFields(spec: unknown): readonly string[] {
  const policies: RunPolicies = {
    concurrency: valueAt(spec, ...CONCURRENCY_POLICY_PATH) ?? 'Allow',
    catchUp: valueAt(spec, ...CATCH_UP_POLICY_PATH),
  };
  return UNUSED_FIELDS.filter(({ path, isUnused }) => valueAt(spec, ...path) !== undefined && isUnused(policies)).map(
    ({ warning }) => warning,
  );
}

/** The maximum number of scheduled times from which the average interval is computed. */
const MAX_SCHEDULED_TIMES = 100;
const MIN_FINISHED_RUNS = 3;
/** This time is later than any scheduled time. */
const FAR_FUTURE = new Date('9999-12-31T23:59:59Z');

/**
 * Warns if the finished runs took longer than the time between two scheduled times, because the queue then grows
 * without end.
 */
function warnAboutGrowingQueue(spec: unknown, { now, oldCronJob }: WarningContext): readonly string[] {
  if (valueAt(spec, ...CONCURRENCY_POLICY_PATH) !== 'Queue') return [];
  const durations = readDurations(valueAt(oldCronJob, 'status', 'recentRuns'));
  const times =
    parseSpecSchedules(spec, now)?.timetable.schedule.between(now, FAR_FUTURE, { limit: MAX_SCHEDULED_TIMES }) ?? [];
  const [first, last] = [times[0], times.at(-1)];
  if (durations.length < MIN_FINISHED_RUNS || first === undefined || last === undefined || times.length < 2) return [];
  const limit = valueAt(spec, ...MAX_CONCURRENT_RUNS_PATH);
  const runs = typeof limit === 'number' && limit > 1 ? limit : 1;
  const interval = (last.getTime() - first.getTime()) / (times.length - 1) / 1000;
  const average = durations.reduce((sum, each) => sum + each, 0) / durations.length;
  if (average <= interval * runs) return [];
  const [took, gap] = [formatDuration(Math.round(average)), formatDuration(Math.round(interval))];
  const fault = `the last ${durations.length} runs took ${took} on average, and a run is due every ${gap}, so the queue never becomes empty`;
  return [`concurrencyPolicy: ${fault}; make the runs shorter or rarer, or raise maxConcurrentRuns`];
}

/** Returns the durations of the finished runs, in seconds. */
function readDurations(lines: unknown): readonly number[] {
  if (!Array.isArray(lines)) return [];
  return lines.flatMap((line) => {
    const { startTime, completionTime } = (typeof line === 'string' && parseRecentRun(line)) || {};
    return startTime && completionTime ? [(completionTime.getTime() - startTime.getTime()) / 1000] : [];
  });
}

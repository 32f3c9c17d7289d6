/** CronJobs in every state, with a past, as a cluster has them: for what shows many of them. The same for the same number and time. */
import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CronJob as kind } from '../../../api/v1/cronjob-types.ts';
import { formatRecentRun, formatRecentSkip, type RecentRun, type RunResult } from '../../../api/v1/recent-lines.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';

type Spec = Omit<CronJob['spec'], 'jobTemplate'>;
type Status = NonNullable<CronJob['status']>;

/** What is shown of a CronJob, without its template. */
export interface ShownCronJob {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Spec;
  readonly status: Status;
}

const NAMESPACES = ['billing', 'data', 'ops', 'shop', 'web'] as const;
const TASKS = ['backup', 'report', 'sync', 'cleanup', 'index', 'invoice', 'mail', 'export', 'rotate', 'probe'] as const;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'] as const;
const RUNS = 10;
const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

export function manyCronJobs(count: number, now: Date): readonly ShownCronJob[] {
  return Array.from({ length: count }, (_, index) => shown(index, now));
}

function shown(index: number, now: Date): ShownCronJob {
  const task = pick(TASKS, index);
  const spec = specOf(index);
  const hours = String(index).padStart(4, '0');
  return {
    name: `${task}-${hours}`,
    namespace: pick(NAMESPACES, Math.floor(index / TASKS.length)),
    labels: { team: pick(['data', 'platform', 'shop'], index), app: task },
    spec,
    status: statusOf(index, spec, now),
  };
}

const DEFAULTS = {
  concurrencyPolicy: 'Allow',
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
} as const;

/** Half of the nightly ones are at 02:00, as everywhere. */
function specOf(index: number): Spec {
  const minute = (index * 7) % 60;
  const schedules = ['0 2 * * *', `${minute} 2 * * *`, `${minute} * * * *`, '*/15 * * * *', `${minute} */6 * * *`];
  const base = { schedule: pick(schedules, index), timeZone: pick(ZONES, Math.floor(index / 3)), ...DEFAULTS };
  switch (index % 23) {
    case 3:
      return { ...base, suspend: true };
    case 7:
      return { ...base, concurrencyPolicy: 'Forbid' };
    case 11:
      return { ...base, pauseAfterFailures: 3 };
    default:
      return base;
  }
}

function statusOf(index: number, spec: Spec, now: Date): Status {
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone });
  if (parsed.kind !== 'ok') throw new Error(parsed.message);
  const slots = parsed.schedule
    .between(new Date(now.getTime() - 8 * DAY_MS), now)
    .slice(-RUNS)
    .toReversed();
  const skipped = spec.concurrencyPolicy === 'Forbid' ? slots.slice(1, 3) : [];
  const runs = slots.filter((slot) => !skipped.includes(slot)).map((slot, age) => runOf(index, slot, age, now));
  const isPaused = spec.pauseAfterFailures !== undefined;
  const [newest] = runs;
  const next = spec.suspend || isPaused ? undefined : parsed.schedule.next(now);
  const active = runs.filter(({ result }) => result === 'Running');
  return {
    observedGeneration: 1,
    conditions: conditionsOf(newest, { isSuspended: spec.suspend, isOverdue: index % 23 === 19 }, now),
    activeCount: active.length,
    active: active.map(({ jobName: name }) => ({ kind: 'Job', apiVersion: 'batch/v1', name })),
    recentRuns: runs.map(formatRecentRun),
    recentSkips: skipped.map((slot) =>
      formatRecentSkip({ firstTime: slot, lastTime: slot, count: 1, reason: 'ConcurrencyPolicyForbid' }),
    ),
    effectiveSchedule: { schedule: spec.schedule, timeZone: spec.timeZone ?? 'UTC', since: formatTime(EPOCH) },
    ...(next && { nextScheduleTime: formatTime(next) }),
    ...(newest && lastOf(newest)),
    ...(isPaused && { paused: { reason: 'TooManyFailures', since: formatTime(now) }, consecutiveFailures: 3 }),
  };
}

const EPOCH = new Date('2026-01-01T00:00:00Z');

function lastOf(run: RecentRun): Pick<Status, 'lastScheduleTime' | 'lastRun'> {
  const { scheduledTime, result } = run;
  return {
    ...(scheduledTime && { lastScheduleTime: formatTime(scheduledTime) }),
    ...(result !== 'Replaced' && { lastRun: { ...timesOf(run), result } }),
  };
}

function timesOf({ jobName, scheduledTime, startTime, completionTime, reason }: RecentRun) {
  return {
    jobName,
    ...(scheduledTime && { scheduledTime: formatTime(scheduledTime) }),
    ...(startTime && { startTime: formatTime(startTime) }),
    ...(completionTime && { completionTime: formatTime(completionTime) }),
    ...(reason !== undefined && { reason }),
  };
}

/** @param age 0 for the newest. */
function runOf(index: number, slot: Date, age: number, now: Date): RecentRun {
  const result = resultOf(index, age);
  const createdTime = new Date(slot.getTime() + SECOND_MS);
  const tookMs = (60 + ((index * 37 + age * 11) % 1500)) * SECOND_MS;
  const ends = new Date(Math.min(createdTime.getTime() + tookMs, now.getTime()));
  const base = {
    jobName: `run-${index}-${slot.getTime() / 1000}`,
    trigger: 'Schedule',
    scheduledTime: slot,
    createdTime,
    result,
  } as const;
  if (result === 'Running') return base;
  const ended = { ...base, startTime: createdTime, completionTime: ends };
  if (result !== 'Failed') return ended;
  return { ...ended, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
}

function resultOf(index: number, age: number): RunResult {
  if (index % 23 === 11) return age < 3 ? 'Failed' : 'Succeeded';
  if (age === 0 && index % 17 === 5) return 'Running';
  if (age === 0 && index % 13 === 4) return 'Failed';
  if (age === 2 && index % 29 === 8) return 'Replaced';
  if (age === 3 && index % 31 === 9) return 'Unknown';
  return (index + age) % 19 === 0 ? 'Failed' : 'Succeeded';
}

interface Troubles {
  readonly isSuspended: boolean;
  readonly isOverdue: boolean;
}

function conditionsOf(
  newest: RecentRun | undefined,
  { isSuspended, isOverdue }: Troubles,
  now: Date,
): NonNullable<Status['conditions']> {
  const lastTransitionTime = formatTime(now);
  const condition = (type: string, isTrue: boolean, reason: string, message: string) => ({
    type,
    status: isTrue ? ('True' as const) : ('False' as const),
    reason,
    message,
    lastTransitionTime,
  });
  return [
    isSuspended
      ? condition('Available', false, 'Suspended', 'spec.suspend is true')
      : condition('Available', true, 'AsExpected', 'runs start as scheduled'),
    newest?.result === 'Failed'
      ? condition('Degraded', true, 'LastRunFailed', 'the last run failed: BackoffLimitExceeded')
      : condition('Degraded', false, 'AsExpected', ''),
    condition(
      'Overdue',
      isOverdue,
      isOverdue ? 'NoRecentSuccess' : 'AsExpected',
      isOverdue ? 'no run has succeeded for a day' : '',
    ),
  ];
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}

/** For a server that is given objects. */
export function asObject({ name, namespace, labels, spec, status }: ShownCronJob, index: number): object {
  const metadata = {
    name,
    namespace,
    labels,
    uid: `uid-${index}`,
    generation: 1,
    creationTimestamp: formatTime(EPOCH),
  };
  return { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata, spec, status };
}

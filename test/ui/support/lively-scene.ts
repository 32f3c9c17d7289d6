/** CronJobs of a company, in every state: always the same, for tests and for screenshots. */
import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../../api/v1/groupversion.ts';
import { formatRecentRun, formatRecentSkip, type RecentRun, type RunResult } from '../../../api/v1/recent-lines.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';

/** A Monday morning: the current time of the scene. */
export const SCENE_NOW = new Date('2026-11-23T10:07:30Z');

type SceneSpec = CronJob['spec'];
type SceneStatus = NonNullable<CronJob['status']>;

interface SceneCronJob {
  readonly spec: Partial<SceneSpec> & Pick<SceneSpec, 'schedule'>;
  /** Label. */
  readonly team: string;
  /** Results of its newest runs, the newest first. The older runs succeeded. */
  readonly results?: readonly RunResult[];
  /** Duration of a run. Default 4. */
  readonly minutes?: number;
  /** Reason and message of the condition Degraded. */
  readonly degraded?: readonly [reason: string, message: string];
  /** How many of its newest scheduled times were skipped, with this reason. */
  readonly skipped?: readonly [count: number, reason: string];
  readonly status?: Partial<SceneStatus>;
}

const LAST_RUN_FAILED = ['LastRunFailed', 'the last run failed: BackoffLimitExceeded'] as const;
const QUOTA_EXCEEDED = 'Job "search-index-1764000" is forbidden: exceeded quota: team, requested: count/jobs.batch=1';

const SCENE_CRON_JOBS: Readonly<Record<string, SceneCronJob>> = {
  'billing/invoice-run': {
    team: 'billing',
    spec: { schedule: '*/30 * * * *', timeZone: 'Europe/Berlin', concurrencyPolicy: 'Forbid' },
    results: ['Failed', 'Succeeded', 'Failed'],
    degraded: LAST_RUN_FAILED,
  },
  'billing/payment-reminders': { team: 'billing', spec: { schedule: '0 8 * * 1-5', timeZone: 'Europe/Berlin' } },
  'billing/tax-report': {
    team: 'billing',
    spec: { schedule: '0 25 * * *' },
    degraded: ['UnparseableSchedule', 'spec.schedule: "0 25 * * *": hour must be 0-23'],
    status: { nextScheduleTime: undefined as never, recentRuns: [] },
  },
  'data/warehouse-export': {
    team: 'data',
    spec: { schedule: '0 */6 * * *', concurrencyPolicy: 'Forbid' },
    results: ['Running'],
    minutes: 70,
    skipped: [1, 'ConcurrencyPolicyForbid'],
  },
  'data/customer-import': {
    team: 'data',
    spec: { schedule: '15 * * * *', pauseAfterFailures: 3 },
    results: ['Failed', 'Failed', 'Failed'],
    skipped: [1, 'Paused'],
    status: { paused: { reason: 'TooManyFailures', since: '2026-11-23T08:16:10Z' }, consecutiveFailures: 3 },
  },
  'data/feature-refresh': {
    team: 'data',
    spec: { schedule: '*/20 * * * *', concurrencyPolicy: 'Replace' },
    results: ['Running', 'Replaced', 'Succeeded', 'Unknown'],
    minutes: 14,
  },
  'ops/certificate-check': { team: 'platform', spec: { schedule: '@every 45m' }, minutes: 1 },
  'ops/database-backup': {
    team: 'platform',
    spec: { schedule: '30 2 * * *', timeZone: 'America/New_York' },
    minutes: 95,
    skipped: [1, 'DeadlineExceeded'],
  },
  'ops/log-rotation': { team: 'platform', spec: { schedule: '*/10 * * * *' }, minutes: 2 },
  'ops/restore-drill': {
    team: 'platform',
    spec: { schedule: '0 6 * * *', expectSuccessWithinSeconds: 86_400 },
    results: ['Failed', 'Failed'],
  },
  'shop/price-sync': {
    team: 'shop',
    spec: { schedule: '0 * * * *', suspendUntil: '2026-11-23T16:00:00Z' },
    skipped: [2, 'Suspended'],
  },
  'shop/search-index': {
    team: 'shop',
    spec: { schedule: '5 * * * *' },
    skipped: [1, 'FailedCreate'],
    degraded: ['FailedCreate', `the Job of 2026-11-23T10:05:00Z cannot be created: ${QUOTA_EXCEEDED}`],
  },
  'shop/sitemap': { team: 'shop', spec: { schedule: '0 3 * * *', suspend: true } },
  'shop/stock-levels': { team: 'shop', spec: { schedule: '*/15 * * * *' }, results: ['Running'], minutes: 6 },
};

/** The newest CronJob, which no controller has seen. */
const UNOBSERVED = 'shop/newsletter';

export const SCENE_SIZE = Object.keys(SCENE_CRON_JOBS).length + 1;

/** By namespace. */
export function sceneCronJobs(): ReadonlyMap<string, readonly CronJob[]> {
  const all = [
    ...Object.entries(SCENE_CRON_JOBS).map(([key, settings], index) => createCronJob(key, settings, index)),
    createCronJob(UNOBSERVED, { team: 'shop', spec: { schedule: '0 9 * * 2' } }, 99),
  ];
  return Map.groupBy(all, ({ metadata }) => metadata.namespace);
}

const JOB_TEMPLATE = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] } } },
} as const;
const CREATED = new Date('2026-09-01T09:00:00Z');
const RUNS = 10;
const [SECOND_MS, DAY_MS] = [1000, 86_400_000];

const TASKS = ['backup', 'report', 'sync', 'cleanup', 'index', 'invoice', 'mail', 'export', 'rotate', 'probe'] as const;

/** Many CronJobs that run like those of the scene, at other minutes. */
export function createManyCronJobs(count: number, namespace: string): readonly CronJob[] {
  const { 'billing/tax-report': _, ...valid } = SCENE_CRON_JOBS;
  const all = Object.values(valid);
  return Array.from({ length: count }, (_each, index) => {
    const settings = all[index % all.length] as SceneCronJob;
    const schedule = settings.spec.schedule.replace(/^\d+ /, `${(index * 7) % 60} `);
    const name = `${TASKS[index % TASKS.length]}-${String(index).padStart(4, '0')}`;
    return createCronJob(`${namespace}/${name}`, { ...settings, spec: { ...settings.spec, schedule } }, index);
  });
}

function createCronJob(key: string, settings: SceneCronJob, index: number): CronJob {
  const [namespace = '', name = ''] = key.split('/');
  const spec = {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: JOB_TEMPLATE,
    ...settings.spec,
  } as SceneSpec;
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      name,
      namespace,
      uid: `4f1c0000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: formatTime(CREATED),
      labels: { team: settings.team },
    },
    spec,
    ...(key !== UNOBSERVED && { status: createStatus(name, spec, settings) }),
  };
}

function createStatus(name: string, spec: SceneSpec, settings: SceneCronJob): SceneStatus {
  const { schedule: text, timeZone = 'UTC' } = spec;
  const parsed = parseSchedule(text, { timeZone, anchor: CREATED });
  const slots =
    parsed.kind === 'ok' ? parsed.schedule.between(new Date(SCENE_NOW.getTime() - 16 * DAY_MS), SCENE_NOW) : [];
  const [skipCount, skipReason = ''] = settings.skipped ?? [0];
  const newest = slots.slice(-RUNS - skipCount).toReversed();
  // Where a run is active at this time, the previous time was skipped.
  const isRunning = settings.results?.[0] === 'Running';
  const skippedFrom = isRunning ? 1 : 0;
  const skipped = newest.slice(skippedFrom, skippedFrom + skipCount);
  const runs = newest
    .filter((slot) => !skipped.includes(slot))
    .map((slot, age) => createRun(name, slot, settings, age));
  const active = runs.filter(({ result }) => result === 'Running');
  const [last] = runs;
  const isSilent = spec.suspend || settings.status?.paused !== undefined;
  const after = spec.suspendUntil === undefined ? SCENE_NOW : new Date(Date.parse(spec.suspendUntil) - 1);
  const next = parsed.kind === 'ok' && !isSilent ? parsed.schedule.next(after) : undefined;
  return {
    observedGeneration: 1,
    conditions: createConditions(settings, spec),
    activeCount: active.length,
    active: active.map(({ jobName }) => ({ kind: 'Job', apiVersion: 'batch/v1', name: jobName })),
    recentRuns: runs.slice(0, RUNS).map(formatRecentRun),
    recentSkips: skipped.length === 0 ? [] : [formatSkips(skipped, skipReason)],
    effectiveSchedule: { schedule: text, timeZone, since: formatTime(CREATED) },
    ...(next && { nextScheduleTime: formatTime(next) }),
    ...(last?.scheduledTime && { lastScheduleTime: formatTime(last.scheduledTime), lastRun: toLastRun(last) }),
    ...settings.status,
  } as SceneStatus;
}

function formatSkips(skipped: readonly Date[], reason: string): string {
  const [lastTime = CREATED] = skipped;
  return formatRecentSkip({ firstTime: skipped.at(-1) ?? lastTime, lastTime, count: skipped.length, reason });
}

function createRun(name: string, slot: Date, { results = [], minutes = 4 }: SceneCronJob, age: number): RecentRun {
  const result = results[age] ?? 'Succeeded';
  const createdTime = new Date(slot.getTime() + SECOND_MS);
  const run = {
    jobName: `${name}-${slot.getTime() / SECOND_MS}`,
    trigger: 'Schedule',
    scheduledTime: slot,
    createdTime,
    result,
  } as const;
  if (result === 'Running') return run;
  const durationSeconds = minutes * 60 + ((age * 37) % 50);
  const completionTime = new Date(Math.min(createdTime.getTime() + durationSeconds * SECOND_MS, SCENE_NOW.getTime()));
  const finishedRun = { ...run, startTime: createdTime, completionTime };
  if (result !== 'Failed') return finishedRun;
  return { ...finishedRun, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
}

function toLastRun({ jobName, scheduledTime, startTime, completionTime, result, reason }: RecentRun) {
  return {
    jobName,
    result,
    ...(scheduledTime && { scheduledTime: formatTime(scheduledTime) }),
    ...(startTime && { startTime: formatTime(startTime) }),
    ...(completionTime && { completionTime: formatTime(completionTime) }),
    ...(reason !== undefined && { reason }),
  };
}

function createConditions(
  { degraded, results = [] }: SceneCronJob,
  spec: SceneSpec,
): NonNullable<SceneStatus['conditions']> {
  const condition = (type: string, isTrue: boolean, reason: string, message: string) => ({
    type,
    status: isTrue ? ('True' as const) : ('False' as const),
    reason,
    message,
    lastTransitionTime: '2026-11-23T09:30:00Z',
  });
  const isSuspended = spec.suspend || spec.suspendUntil !== undefined;
  const isOverdue = spec.expectSuccessWithinSeconds !== undefined && results[0] === 'Failed';
  return [
    isSuspended
      ? condition('Available', false, 'Suspended', 'no run starts while it is suspended')
      : condition('Available', true, 'Scheduled', 'runs start as scheduled'),
    degraded === undefined
      ? condition('Degraded', false, 'AsExpected', 'nothing is wrong')
      : condition('Degraded', true, ...degraded),
    isOverdue
      ? condition('Overdue', true, 'NoRecentSuccess', 'no run has succeeded within 24h')
      : condition('Overdue', false, 'AsExpected', 'runs succeed'),
  ];
}

/**
 * Measures how long the core takes for a reconcile: from the CronJob in the cache to the status that is compared with the stored
 * one.
 *
 *     npm run bench:core-pass
 *     node --cpu-prof --cpu-prof-dir=/tmp/prof test/bench/core-pass.ts
 *
 * One row per state, one column per number of Jobs, in microseconds; medians of rounds that measure each case in turn.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseCronJob } from '../../api/v1/stored-cronjob.ts';
import { computePruning, conclude } from '../../controllers/cronjob/conclude.ts';
import { type ActionResults, type Decision, decide } from '../../controllers/cronjob/decide.ts';
import { NO_NOTIFICATIONS } from '../../controllers/cronjob/events.ts';
import { assess } from '../../controllers/cronjob/facts.ts';
import { buildJob, cronJob } from '../support/cron-jobs.ts';
import { computeMedian } from './performance/figures.ts';

const JOB_COUNTS = [0, 5, 50];
const ROUNDS = 21;
const RECONCILES_PER_ROUND = 100;
const HOUR_MS = 3_600_000;
/** Slots are full hours. Reconciles are in the middle of an hour, two slots after the newest Job. */
const NEWEST_MS = Date.parse('2026-03-01T12:00:00Z');
const NOW = new Date(NEWEST_MS + 2.5 * HOUR_MS);
const CREATED = '2026-01-01T00:00:00Z';

/** A state of a CronJob, and the decision of its reconcile. */
interface BenchState {
  readonly decision: Decision['kind'];
  readonly spec?: Partial<CronJobSpec>;
  readonly metadata?: Partial<CronJob['metadata']>;
  /** The newest Job is active. */
  readonly isActive?: boolean;
  /** Slots up to this time are settled. */
  readonly handledThrough?: string;
  /** The status comes from an earlier reconcile, and nothing has changed since. */
  readonly hasStoredStatus?: boolean;
}

const ALL_HANDLED = '2026-03-01T14:00:00Z';

const STATES: Readonly<Record<string, BenchState>> = {
  'at rest': { decision: 'NothingDue', handledThrough: ALL_HANDLED, hasStoredStatus: true },
  'in a zone, at rest': {
    decision: 'NothingDue',
    spec: { schedule: '30 6 1,15 * 1-5', timeZone: 'America/New_York' },
    handledThrough: ALL_HANDLED,
    hasStoredStatus: true,
  },
  '@every, at rest': {
    decision: 'NothingDue',
    spec: { schedule: '@every 3h' },
    handledThrough: ALL_HANDLED,
    hasStoredStatus: true,
  },
  'active, at rest': { decision: 'NothingDue', isActive: true, handledThrough: ALL_HANDLED, hasStoredStatus: true },
  suspended: { decision: 'NothingDue', spec: { suspend: true }, hasStoredStatus: true },
  'invalid schedule': { decision: 'NothingDue', spec: { schedule: 'every day' }, hasStoredStatus: true },
  'being deleted': { decision: 'NothingDue', metadata: { deletionTimestamp: ALL_HANDLED }, hasStoredStatus: true },
  'waits under Forbid': {
    decision: 'Blocked',
    spec: { concurrencyPolicy: 'Forbid' },
    isActive: true,
    handledThrough: '2026-03-01T13:00:00Z',
    hasStoredStatus: true,
  },
  'a slot is due': { decision: 'Run', handledThrough: '2026-03-01T13:00:00Z' },
  'requested manually': {
    decision: 'RunNow',
    metadata: { annotations: { [RUN_NOW_ANNOTATION]: 'first' } },
    handledThrough: ALL_HANDLED,
  },
  'too many missed': { decision: 'Skip', spec: { schedule: '* * * * *' }, handledThrough: CREATED },
};

/** The newest Job is from the hour before the reconcile, and each other Job is one hour older. */
function createJobs({ isActive = false }: BenchState, count: number): readonly Job[] {
  return Array.from({ length: count }, (_, index) => {
    const slot = new Date(NEWEST_MS - index * HOUR_MS).toISOString().replace('.000Z', 'Z');
    return buildJob(slot, { state: isActive && index === 0 ? 'Active' : 'Complete' });
  });
}

function createCronJob({ spec, metadata, handledThrough }: BenchState, recentRuns: readonly string[] = []): CronJob {
  const status: CronJobStatus = {
    observedGeneration: 1,
    effectiveSchedule: { schedule: spec?.schedule ?? '0 * * * *', timeZone: spec?.timeZone ?? 'UTC', since: CREATED },
    ...(handledThrough === undefined ? {} : { handledThrough }),
    ...(recentRuns.length === 0 ? {} : { recentRuns }),
  };
  const limits = { successfulJobsHistoryLimit: 100, failedJobsHistoryLimit: 100 };
  return cronJob({ ...limits, ...spec }, status, metadata);
}

/** The computation of the controller in a reconcile without failed calls. */
function runReconcile(stored: CronJob, jobs: readonly Job[], now: Date): { decision: string; status: CronJobStatus } {
  const facts = assess({ cronJob: parseCronJob(stored), jobs }, now);
  const decision = decide(facts);
  const results: ActionResults = {
    started: 'job' in decision ? { kind: 'Created', job: CREATED_JOB } : { kind: 'None' },
    replaced: [],
  };
  const { status } = conclude(facts, decision, results);
  isDeepStrictEqual(status, stored.status);
  computePruning(facts, status, { kind: 'Stored', status, isNew: true, notifications: NO_NOTIFICATIONS });
  return { decision: decision.kind, status };
}

const CREATED_JOB = buildJob('2026-03-01T14:00:00Z');

/** Median time of one call in each round, in microseconds. Each round calls the subjects in turn. */
function measureMediansUs(subjects: readonly (() => unknown)[]): readonly number[] {
  const rounds = Array.from({ length: ROUNDS }, () => subjects.map(measureUs));
  return subjects.map((_, index) => computeMedian(rounds.map((times) => times[index] ?? Number.NaN)));
}

function measureUs(subject: () => unknown): number {
  const start = process.hrtime.bigint();
  for (let count = 0; count < RECONCILES_PER_ROUND; count++) subject();
  return Number(process.hrtime.bigint() - start) / 1000 / RECONCILES_PER_ROUND;
}

/** A reconcile of the state. It must reach the decision of the state. */
function createSubject(name: string, state: BenchState, count: number): () => unknown {
  const jobs = createJobs(state, Math.max(count, state.isActive ? 1 : 0));
  const first = runReconcile(createCronJob(state), jobs, NOW);
  if (first.decision !== state.decision) throw new Error(`${name} with ${count} Jobs: decided ${first.decision}`);
  const listed = first.status.recentRuns?.filter((line) => !line.includes(CREATED_JOB.metadata.name));
  const input = state.hasStoredStatus
    ? { ...createCronJob(state), status: first.status }
    : createCronJob(state, listed);
  return () => runReconcile(input, jobs, NOW);
}

const cells = Object.entries(STATES).flatMap(([name, state]) =>
  JOB_COUNTS.map((count) => ({ name, count, subject: createSubject(name, state, count) })),
);
const medians = measureMediansUs(cells.map(({ subject }) => subject));
const rows = Object.keys(STATES).map((state) => {
  const stateCells = cells.map(({ name, count }, index) => [name, `${count} Jobs`, medians[index]] as const);
  const columns = stateCells.filter(([name]) => name === state).map(([, column, us = 0]) => [column, Math.round(us)]);
  return [state, Object.fromEntries(columns)];
});
console.table(Object.fromEntries(rows));

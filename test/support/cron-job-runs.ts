/** Builders of CronJobRuns and of their reconciles, whose arguments are only the values that a test is about. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunSpec, CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { StoredCronJobRun } from '../../api/v1/stored-cronjobrun.ts';
import { concludeRun, type StartAttempt } from '../../controllers/cronjobrun/conclude.ts';
import { findNextStart } from '../../controllers/cronjobrun/decide.ts';
import { assessRun, type RunFacts } from '../../controllers/cronjobrun/facts.ts';
import { at, buildJob, cronJob } from './cron-jobs.ts';

/** When the CronJobRuns of the tests are created. */
export const NOON = new Date(at('12:00:00'));

interface RunParts {
  readonly status?: CronJobRunStatus;
  readonly metadata?: Partial<CronJobRun['metadata']>;
}

/** The CronJobRun `again`, created at {@link NOON}. */
export function cronJobRun(spec: Partial<CronJobRunSpec>, { status, metadata }: RunParts = {}): CronJobRun {
  return {
    apiVersion: 'batch.tutorial.kubebuilder.io/v1',
    kind: 'CronJobRun',
    metadata: {
      name: 'again',
      namespace: 'default',
      uid: 'run-1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: at('12:00:00'),
      ...metadata,
    },
    spec: { cronJobName: 'hello', concurrencyPolicy: 'Obey', ...spec },
    ...(status && { status }),
  };
}

const BACKFILL = { order: 'OldestFirst', maxConcurrentRuns: 1, limit: 100 } as const;

export function backfill(
  startTime: string,
  endTime: string,
  options: Partial<NonNullable<CronJobRunSpec['backfill']>> = {},
) {
  return { backfill: { ...BACKFILL, startTime, endTime, ...options } };
}

/** A backfill of three slots of the hourly CronJob. */
export const MORNING = backfill(at('06:00:00'), at('09:00:00'));

export interface World {
  readonly run: StoredCronJobRun;
  readonly cronJob?: CronJob | undefined;
  readonly jobs?: readonly Job[];
  readonly now?: Date;
}

export const assessWorld = ({ run, now = NOON, jobs = [], ...world }: World): RunFacts =>
  assessRun({ run, jobs, cronJob: 'cronJob' in world ? world.cronJob : cronJob() }, now);

/** Starts every run that the rules allow, one reconcile at a time, and ends it with the next result. */
export function runToEnd(run: CronJobRun, owner: CronJob, results: readonly ('Complete' | 'Failed')[] = []) {
  const slots: string[] = [];
  let current = run;
  for (let count = 0; count < 1000; count++) {
    const jobs = (current.status?.jobs ?? [])
      .filter(({ result }) => result === 'Running')
      .map(({ name }) => requestedJob(current, name, results[slots.length - 1] ?? 'Complete'));
    const facts = assessWorld({ run: current, cronJob: owner, jobs });
    const start = findNextStart(facts);
    const attempt: StartAttempt = start
      ? { kind: 'Tried', start, result: { kind: 'Created', job: buildJob(at('11:00:00')) } }
      : { kind: 'NotTried' };
    if (start) slots.push(start.slot?.toISOString().slice(11, 19) ?? start.jobName);
    const { status } = concludeRun(facts, attempt);
    current = { ...current, status };
    if (status.completionTime !== undefined) break;
  }
  return { slots, status: current.status ?? {} };
}

/** An active or finished Job of the CronJobRun. */
export function requestedJob(run: CronJobRun, name: string, state: 'Active' | 'Complete' | 'Failed' = 'Active'): Job {
  const job = buildJob(at('11:00:00'), { state });
  const annotations = { ...job.metadata.annotations, [REQUESTED_BY_ANNOTATION]: run.metadata.name };
  return { ...job, metadata: { ...job.metadata, name, uid: `uid-of-${name}`, annotations } };
}

/** The status after the acceptance at {@link NOON}. */
export const accepted = (status: CronJobRunStatus = {}): CronJobRunStatus => ({
  cronJobUID: cronJob().metadata.uid,
  startTime: at('12:00:00'),
  ...status,
});

/** A CronJob and its Jobs, with reconciles of the real core over them. The actions of the shell happen at once and always succeed. */
import { isDeepStrictEqual } from 'node:util';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { Condition, CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toManualJobName } from '../../api/v1/job-names.ts';
import type { ConditionType } from '../../api/v1/reasons.ts';
import {
  computePruning,
  computeRequeue,
  conclude,
  type Outcome,
  type Requeue,
} from '../../controllers/cronjob/conclude.ts';
import { type ActionResults, type Decision, decide, type StartResult } from '../../controllers/cronjob/decide.ts';
import {
  type CronJobEvent,
  createPruningEvents,
  type FinishedRun,
  NO_NOTIFICATIONS,
  type Notifications,
} from '../../controllers/cronjob/events.ts';
import { assess, assumeActiveJob, type Facts, listJobNamesToLookUp } from '../../controllers/cronjob/facts.ts';
import {
  createPendingStatus,
  type PendingStatus,
  type StatusWriteResult,
  withPendingNotifications,
  withPendingStatus,
} from '../../controllers/cronjob/pending.ts';
import { at, cronJob } from './cron-jobs.ts';

export interface CoreOutcome extends Requeue {
  readonly decision: Decision['kind'];
  /** Names of the Jobs that were created. */
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly status: CronJobStatus;
  readonly events: readonly CronJobEvent[];
  readonly reasons: readonly string[];
  readonly skips: Notifications['skips'];
  readonly finished: readonly FinishedRun[];
}

export interface CoreReconcileOptions {
  /** The outcome of the create, instead of a Job. */
  readonly started?: StartResult;
  /** The Jobs to replace are already gone: the cache is stale. */
  readonly areGone?: boolean;
  /** The status write fails. */
  readonly losesStatus?: boolean;
  /** The process dies before the status write, and another one starts. */
  readonly crashes?: boolean;
  /** Other CronJobs come first, so that the status is left to the next reconcile. */
  readonly isCrowded?: boolean;
  /** Other CronJobs wait when the status is stored, so that the deletes may be left to the next reconcile. */
  readonly othersWait?: boolean;
}

/** The outcome of a create that the API server refuses. */
export const REFUSED: StartResult = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1', message: 'exceeded quota: pods' },
};

export class CoreWorld {
  cronJob: CronJob;
  jobs: Job[] = [];
  #pending: PendingStatus | undefined;
  #failedJobs: readonly string[] = [];

  constructor(initial: CronJob = cronJob()) {
    this.cronJob = initial;
  }

  /** A CronJob that a controller has seen at midnight. */
  static afterFirstReconcile(this: void, spec: Partial<CronJob['spec']> = {}): CoreWorld {
    const world = new CoreWorld(cronJob(spec));
    world.reconcile(at('00:00:00'));
    return world;
  }

  /** Changes the spec, like an edit without times in managedFields. */
  edit(spec: Partial<CronJob['spec']>): void {
    const { generation = 0 } = this.cronJob.metadata;
    const metadata = { ...this.cronJob.metadata, generation: generation + 1 };
    this.cronJob = { ...this.cronJob, metadata, spec: { ...this.cronJob.spec, ...spec } };
  }

  /** The status that is not stored yet. */
  get pending(): PendingStatus | undefined {
    return this.#pending?.uid === this.cronJob.metadata.uid ? this.#pending : undefined;
  }

  /** The stored condition of that type. */
  condition(type: ConditionType): Condition | undefined {
    return this.cronJob.status?.conditions?.find((each) => each.type === type);
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.cronJob = { ...this.cronJob, metadata: { ...this.cronJob.metadata, annotations } };
  }

  reconcile(time: string, options: CoreReconcileOptions = {}): CoreOutcome {
    const facts = this.#assess(time);
    const decision = decide(facts);
    const results = this.#act(decision, facts.now, options);
    const outcome = conclude(facts, decision, results);
    const write = this.#write(outcome, options);
    const pruning = computePruning(facts, outcome.status, write);
    const prunesLater = options.othersWait === true && pruning.canWait;
    const pruned = prunesLater ? [] : pruning.jobs;
    if (options.crashes) this.#forgetAll();
    this.jobs = this.jobs.filter((job) => !pruned.includes(job));
    const stored = write.kind === 'Stored' ? write.notifications : NO_NOTIFICATIONS;
    const events = [...outcome.events, ...stored.events, ...createPruningEvents({ deleted: pruned })];
    return {
      decision: decision.kind,
      created: results.started.kind === 'Created' ? [results.started.job.metadata.name] : [],
      deleted: [...results.replaced, ...pruned].map((job) => job.metadata.name),
      status: outcome.status,
      events,
      reasons: events.map(({ reason }) => reason),
      skips: stored.skips.map(({ reason, count }) => ({ reason, count })),
      finished: stored.finished,
      ...computeRequeue(outcome, write, [], prunesLater),
    };
  }

  /** Runs reconciles until none follows immediately. Returns the names of the created Jobs. */
  settle(time: string): readonly string[] {
    const { created, requeue } = this.reconcile(time);
    return requeue === 'normal' ? [...created, ...this.settle(time)] : created;
  }

  /** A reconcile that gets `jobs`, and cannot read the others that are active in the status. */
  reconcileWithFailedRead(time: string, options: CoreReconcileOptions = {}): CoreOutcome {
    const { jobs } = this;
    const newest = withPendingStatus(this.cronJob, this.pending);
    const names = listJobNamesToLookUp(newest, [], jobs);
    const assumed = names.map((name) => assumeActiveJob(newest, name)).filter((job) => job !== undefined);
    this.jobs = [...jobs, ...assumed];
    const outcome = this.reconcile(time, options);
    this.jobs = this.jobs.filter((job) => !assumed.includes(job));
    return outcome;
  }

  #assess(time: string): Facts {
    const { pending } = this;
    const observed = {
      cronJob: withPendingStatus(this.cronJob, pending),
      stored: this.cronJob.status ?? {},
      jobs: this.jobs,
      failedJobs: this.#failedJobs,
      hasTriedToRecord: pending?.hasTriedToRecord === true,
    };
    return assess(observed, new Date(time));
  }

  /** Like StatusWriter. */
  #write(outcome: Outcome, options: CoreReconcileOptions): StatusWriteResult {
    const { pending } = this;
    const isPostponed = options.isCrowded === true && outcome.canWait;
    if (isPostponed || options.losesStatus || options.crashes) {
      const kind = isPostponed ? 'Postponed' : 'Failed';
      this.#pending = createPendingStatus(this.cronJob, outcome, kind, pending);
      return isPostponed ? { kind: 'Postponed' } : { kind: 'Failed', status: this.cronJob.status ?? {} };
    }
    const { status } = outcome;
    const isNew = !isDeepStrictEqual(status, this.cronJob.status);
    const notifications = withPendingNotifications(pending, outcome.notifications);
    this.#pending = undefined;
    this.cronJob = { ...this.cronJob, status };
    return { kind: 'Stored', status, isNew, notifications };
  }

  /** Ends the newest Job. */
  finish(time: string, type: 'Complete' | 'Failed' = 'Complete', job = this.jobs.at(-1)): void {
    if (!job) throw new Error('no Job to finish');
    const status = {
      ...job.status,
      ...(type === 'Complete' ? { completionTime: time } : {}),
      conditions: [{ type, status: 'True', lastTransitionTime: time }],
    };
    this.jobs = this.jobs.map((each) => (each === job ? { ...job, status } : each));
  }

  #act(decision: Decision, now: Date, { started: startResult, areGone = false }: CoreReconcileOptions): ActionResults {
    const startsRun = decision.kind === 'Run' || decision.kind === 'RunNow';
    const replaced = startsRun ? decision.replaces : [];
    this.jobs = this.jobs.filter((job) => !replaced.includes(job));
    const started = startsRun ? (startResult ?? this.#create(decision.job, now)) : ({ kind: 'None' } as const);
    if (startsRun) this.#noteFailure(decision.job.metadata.name, started);
    return areGone ? { started, replaced: [], gone: replaced } : { started, replaced };
  }

  #forgetAll(): void {
    this.#pending = undefined;
    this.#failedJobs = [];
  }

  /** Like JobWriter. */
  #noteFailure(name: string, { kind }: StartResult): void {
    const others = this.#failedJobs.filter((each) => each !== name).slice(-1);
    this.#failedJobs = kind === 'Failed' ? [...others, name] : others;
  }

  #create(job: NewJob, now: Date): StartResult {
    const { name } = job.metadata;
    const existing = this.jobs.find((each) => each.metadata.name === name);
    if (existing) return { kind: 'Adopted', job: existing };
    const time = formatTime(now);
    const metadata = { ...job.metadata, uid: `uid-of-${name}`, resourceVersion: '1', creationTimestamp: time };
    const created: Job = { ...job, metadata, status: { startTime: time } };
    this.jobs = [...this.jobs, created];
    return { kind: 'Created', job: created };
  }
}

/** A CronJob that a reconcile has seen once, and that then gets a run-now request. */
export function withRunNow(value: string, spec: Partial<CronJob['spec']> = {}): CoreWorld {
  const world = new CoreWorld(cronJob(spec));
  world.reconcile(at('00:00:00'));
  world.annotate({ [RUN_NOW_ANNOTATION]: value });
  return world;
}

/** Name of the Job that the builders' CronJob gets for the run-now request `value`. */
export function manualJobName(value: string): string {
  return toManualJobName(cronJob(), value);
}

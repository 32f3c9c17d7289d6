/** A CronJob and its Jobs, with passes of the real core over them. What the shell would do is done at once and always works. */
import { isDeepStrictEqual } from 'node:util';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { runNowJobName } from '../../api/v1/job-names.ts';
import type { Applied, StartResult, StatusWrite } from '../../controllers/cronjob/applied.ts';
import { type Decision, decide } from '../../controllers/cronjob/decide.ts';
import { type CronJobEvent, eventsOfPruning } from '../../controllers/cronjob/events.ts';
import { assess } from '../../controllers/cronjob/facts.ts';
import { type Memory, memoryOf } from '../../controllers/cronjob/memory.ts';
import { type Requeue, requeueAfterPass } from '../../controllers/cronjob/next-pass.ts';
import { postpone } from '../../controllers/cronjob/postpone.ts';
import { afterStatusWrite, type FinishedRun, settle } from '../../controllers/cronjob/settle.ts';
import type { SlotCount } from '../../controllers/cronjob/slot-outcome.ts';
import { memoryOfSeen } from '../../controllers/cronjob/unread.ts';
import { at, cronJob } from './cron-jobs.ts';

export interface Pass extends Requeue {
  readonly decision: Decision['kind'];
  /** Names of the Jobs that were created. */
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly status: CronJobStatus;
  readonly events: readonly CronJobEvent[];
  readonly reasons: readonly string[];
  readonly slotCounts: readonly SlotCount[];
  readonly finished: readonly FinishedRun[];
}

export interface PassOptions {
  /** What becomes of the create, instead of a Job. */
  readonly started?: StartResult;
  /** The Jobs to be replaced turn out to be gone already: the cache is stale. */
  readonly areGone?: boolean;
  /** The status write fails. */
  readonly losesStatus?: boolean;
  /** The process dies before the status write, and another one begins. */
  readonly crashes?: boolean;
  /** Other CronJobs come first, so that the status is left to the next pass. */
  readonly isCrowded?: boolean;
  /** Other CronJobs wait when the status is stored, so that the deletes may be left to the next pass. */
  readonly othersWait?: boolean;
}

/** What becomes of a create that the API server refuses. */
export const REFUSED: StartResult = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1', message: 'exceeded quota: pods' },
};

export class CoreWorld {
  cronJob: CronJob;
  jobs: Job[] = [];
  #memory: Memory | undefined;
  #failedJobs: readonly string[] = [];

  constructor(given: CronJob = cronJob()) {
    this.cronJob = given;
  }

  /** One that a controller has seen at midnight. */
  static seen(this: void, spec: Partial<CronJob['spec']> = {}): CoreWorld {
    const world = new CoreWorld(cronJob(spec));
    world.pass(at('00:00:00'));
    return world;
  }

  /** Changes the spec, as an edit with no times noted for it does. */
  edit(spec: Partial<CronJob['spec']>): void {
    const { generation = 0 } = this.cronJob.metadata;
    const metadata = { ...this.cronJob.metadata, generation: generation + 1 };
    this.cronJob = { ...this.cronJob, metadata, spec: { ...this.cronJob.spec, ...spec } };
  }

  /** What the last pass left to the next one. */
  get memory(): Memory | undefined {
    return this.#memory;
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.cronJob = { ...this.cronJob, metadata: { ...this.cronJob.metadata, annotations } };
  }

  pass(time: string, options: PassOptions = {}): Pass {
    const now = new Date(time);
    const memory = memoryOf(this.cronJob, this.#memory);
    const facts = assess({ cronJob: this.cronJob, jobs: this.jobs, memory, failedJobs: this.#failedJobs }, now);
    const decision = decide(facts);
    const applied = this.#apply(decision, now, options);
    const created = applied.started.kind === 'Created' ? [applied.started.job.metadata.name] : [];
    const postponed = options.isCrowded ? postpone(facts, decision, applied) : undefined;
    if (postponed) {
      const { memory: left, requeue, told } = postponed;
      this.#memory = left;
      const deleted = applied.replaced.map(({ metadata }) => metadata.name);
      const reasons = told.events.map(({ reason }) => reason);
      return { decision: decision.kind, created, deleted, status: facts.stored, reasons, ...told, ...requeue };
    }
    const settled = settle(facts, decision, applied);
    const isPostponed = options.isCrowded === true && settled.canWait;
    const isStored = options.losesStatus !== true && options.crashes !== true && !isPostponed;
    const isNew = !isDeepStrictEqual(settled.status, this.cronJob.status);
    if (isStored) this.cronJob = { ...this.cronJob, status: settled.status };
    const { status = {} } = this.cronJob;
    const write: StatusWrite = isStored
      ? { kind: 'Stored', status, isNew }
      : { kind: isPostponed ? 'Postponed' : 'Failed', status };
    const left = afterStatusWrite(facts, settled, write);
    const prunesLater = options.othersWait === true && left.canPruneLater;
    const remaining = prunesLater ? { ...left, prune: [] } : left;
    this.#memory = remaining.memory;
    if (options.crashes) this.#forgetAll();
    this.jobs = this.jobs.filter((job) => !remaining.prune.includes(job));
    const { atOnce } = settled;
    const events = [...atOnce.events, ...remaining.events, ...eventsOfPruning({ deleted: remaining.prune })];
    return {
      decision: decision.kind,
      created,
      deleted: [...applied.replaced, ...remaining.prune].map((job) => job.metadata.name),
      status: settled.status,
      events,
      reasons: events.map(({ reason }) => reason),
      slotCounts: [...atOnce.slotCounts, ...remaining.slotCounts],
      finished: remaining.finished,
      ...requeueAfterPass(settled, write, [], prunesLater),
    };
  }

  /** A pass that sees `jobs` and cannot look up another one that should exist. */
  passThatCannotLookUp(time: string): void {
    const memory = memoryOf(this.cronJob, this.#memory);
    this.#memory = memoryOfSeen(assess({ cronJob: this.cronJob, jobs: this.jobs, memory }, new Date(time)));
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

  #apply(decision: Decision, now: Date, { started: given, areGone = false }: PassOptions): Applied {
    const startsOne = decision.kind === 'Run' || decision.kind === 'RunNow';
    const replaced = startsOne ? decision.replaces : [];
    this.jobs = this.jobs.filter((job) => !replaced.includes(job));
    const started = startsOne ? (given ?? this.#create(decision.job, now)) : ({ kind: 'None' } as const);
    if (startsOne) this.#noteFailure(decision.job.metadata.name, started);
    return areGone ? { started, replaced: [], gone: replaced } : { started, replaced };
  }

  #forgetAll(): void {
    this.#memory = undefined;
    this.#failedJobs = [];
  }

  /** As JobWriter does. */
  #noteFailure(name: string, { kind }: StartResult): void {
    const others = this.#failedJobs.filter((each) => each !== name).slice(-1);
    this.#failedJobs = kind === 'Failed' ? [...others, name] : others;
  }

  #create(job: NewJob, now: Date): StartResult {
    const { name } = job.metadata;
    const known = this.jobs.find((each) => each.metadata.name === name);
    if (known) return { kind: 'Adopted', job: known };
    const time = formatTime(now);
    const metadata = { ...job.metadata, uid: `uid-of-${name}`, resourceVersion: '1', creationTimestamp: time };
    const created: Job = { ...job, metadata, status: { startTime: time } };
    this.jobs = [...this.jobs, created];
    return { kind: 'Created', job: created };
  }
}

/** A CronJob that has been seen once, and then asked for a run. */
export function asked(value: string, spec: Partial<CronJob['spec']> = {}): CoreWorld {
  const world = new CoreWorld(cronJob(spec));
  world.pass(at('00:00:00'));
  world.annotate({ [RUN_NOW_ANNOTATION]: value });
  return world;
}

/** Name of the Job that the builders' CronJob gets when it is asked for a run with `value`. */
export function nameFor(value: string): string {
  return runNowJobName(cronJob(), value);
}

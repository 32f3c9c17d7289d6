/** A CronJob and its Jobs, with passes of the real core over them. What the shell would do is done at once and always works. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type Applied, failuresAfter, type Started } from '../../controllers/cronjob/applied.ts';
import { type CronJobEvent, eventsOfPruning } from '../../controllers/cronjob/events.ts';
import { jobsToPrune } from '../../controllers/cronjob/history.ts';
import { type Failures, formatTime, type Unstored, unstoredOf } from '../../controllers/cronjob/observed.ts';
import { plan } from '../../controllers/cronjob/plan.ts';
import { settle } from '../../controllers/cronjob/settle.ts';
import type { SlotTally } from '../../controllers/cronjob/tally.ts';
import { cronJob } from './cron-jobs.ts';

export interface Pass {
  readonly outcome: string;
  /** Names of the Jobs that were created. */
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly status: CronJobStatus;
  readonly events: readonly CronJobEvent[];
  readonly reasons: readonly string[];
  readonly tallies: readonly SlotTally[];
  readonly requeueAfterMs: number | undefined;
  readonly again: boolean;
  readonly retry: boolean;
}

export interface PassOptions {
  /** What becomes of the create, instead of a Job. */
  readonly started?: Started;
  /** The status write fails. */
  readonly losesStatus?: boolean;
  /** The process dies before the status write, and another one begins. */
  readonly crashes?: boolean;
}

export class CoreWorld {
  cronJob: CronJob;
  jobs: Job[] = [];
  #failures: Failures = new Map();
  #unstored: Unstored = {};

  constructor(given: CronJob = cronJob()) {
    this.cronJob = given;
  }

  /** Changes the spec, as an edit with no times noted for it does. */
  edit(spec: Partial<CronJob['spec']>): void {
    const { generation = 0 } = this.cronJob.metadata;
    const metadata = { ...this.cronJob.metadata, generation: generation + 1 };
    this.cronJob = { ...this.cronJob, metadata, spec: { ...this.cronJob.spec, ...spec } };
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.cronJob = { ...this.cronJob, metadata: { ...this.cronJob.metadata, annotations } };
  }

  pass(time: string, options: PassOptions = {}): Pass {
    const now = new Date(time);
    const observed = { cronJob: this.cronJob, jobs: this.jobs, failures: this.#failures, unstored: this.#unstored };
    const planned = plan(observed, now);
    const applied = this.#apply(planned, now, options.started);
    const settled = settle(observed, planned, applied, now);
    const isTold = options.losesStatus !== true && options.crashes !== true;
    this.#failures = failuresAfter(this.#failures, planned.outcome, { started: applied.started, isTold });
    this.#unstored = isTold ? {} : unstoredOf(settled.status, this.cronJob.status);
    if (isTold) this.cronJob = { ...this.cronJob, status: settled.status };
    if (options.crashes) [this.#failures, this.#unstored] = [new Map(), {}];
    const pruned = jobsToPrune(this.cronJob, planned.runs);
    this.jobs = this.jobs.filter((job) => !pruned.includes(job));
    const events = [
      ...settled.actionEvents,
      ...(isTold ? settled.transitionEvents : []),
      ...eventsOfPruning({ deleted: pruned }),
    ];
    return {
      outcome: planned.outcome.kind,
      created: applied.started.kind === 'Created' ? [applied.started.job.metadata.name] : [],
      deleted: [...applied.replaced, ...pruned].map((job) => job.metadata.name),
      status: settled.status,
      events,
      reasons: events.map(({ reason }) => reason),
      tallies: settled.tallies,
      requeueAfterMs: settled.requeueAfterMs,
      again: settled.again,
      retry: settled.retry,
    };
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

  #apply({ outcome }: ReturnType<typeof plan>, now: Date, given: Started | undefined): Applied {
    const startsOne = outcome.kind === 'Run' || outcome.kind === 'RunNow';
    const replaced = startsOne ? outcome.replaces : [];
    this.jobs = this.jobs.filter((job) => !replaced.includes(job));
    const started = startsOne ? (given ?? this.#create(outcome.job, now)) : ({ kind: 'None' } as const);
    return { started, replaced };
  }

  #create(job: NewJob, now: Date): Started {
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

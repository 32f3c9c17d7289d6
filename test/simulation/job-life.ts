/** What becomes of Jobs: the Job controller runs them, the garbage collector removes them, people interfere. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { controllerOf } from '../../runtime/kubernetes/object.ts';
import type { Faults, NullTime } from './faults.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './operations.ts';
import type { Actor } from './pass.ts';
import type { Random } from './random.ts';
import { apiTime, ownerUid, type World } from './world.ts';

/** How the Jobs of one CronJob are. */
export interface Nature {
  readonly shortestMs: number;
  readonly longestMs: number;
  /** Probability that a Job fails. */
  readonly failing: number;
}

/** For Jobs that no CronJob made. */
const PLAIN: Nature = { shortestMs: SECOND_MS, longestMs: MINUTE_MS, failing: 0 };
const JOB_CONTROLLER: Actor = { kind: 'JobController' };
const GARBAGE_COLLECTOR: Actor = { kind: 'GarbageCollector' };

export interface JobLifeOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Faults;
  /** By the key of the CronJob. */
  readonly natures: ReadonlyMap<string, Nature>;
}

export class JobLife {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #natures: ReadonlyMap<string, Nature>;

  constructor({ world, clock, random, faults, natures }: JobLifeOptions) {
    this.#world = world;
    this.#clock = clock;
    this.#random = random;
    this.#faults = faults;
    this.#natures = natures;
  }

  start(): void {
    this.#world.jobs.listen(({ old, object }) => {
      if (old === undefined && object !== undefined) this.#welcome(object);
      const isMarked = object?.metadata.deletionTimestamp !== undefined;
      if (object !== undefined && isMarked && old?.metadata.deletionTimestamp === undefined) this.#bury(object);
    });
    this.#world.cronJobs.listen(({ old, object }) => {
      if (old !== undefined && object === undefined) this.#orphan(old.metadata.uid);
    });
  }

  /** Some Jobs are held on to by others when they are deleted. */
  finalizersOf(_: NewJob): readonly string[] {
    return this.#random.chance(0.04) ? ['example.com/billing'] : [];
  }

  #welcome(job: Job): void {
    const owner = ownerUid(job);
    if (owner !== undefined && this.#world.cronJobs.byUid(owner) === undefined) this.#collect(job.metadata.uid);
    if (job.spec.suspend === true) this.#resumeOrDelete(job);
    else this.#run(job);
    if (this.#random.chance(0.04)) this.#deleteByHand(job, this.#random.spread(SECOND_MS, DAY_MS));
  }

  #run(job: Job): void {
    const { uid, namespace } = job.metadata;
    const owner = controllerOf(job)?.name ?? '';
    const { shortestMs, longestMs, failing } = this.#natures.get(`${namespace}/${owner}`) ?? PLAIN;
    const startMs = this.#random.spread(50, 5000);
    const runMs = this.#random.spread(shortestMs, longestMs);
    const type = this.#random.chance(failing) ? 'Failed' : 'Complete';
    this.#clock.schedule(startMs, () => this.#begin(uid));
    this.#clock.schedule(startMs + runMs, () => this.#finish(uid, type));
  }

  #begin(uid: string): void {
    const startTime = apiTime(this.#clock.now());
    this.#world.changeJob(uid, (job) => ({ ...job, status: { ...job.status, startTime, active: 1 } }));
  }

  #finish(uid: string, type: 'Complete' | 'Failed'): void {
    const time = apiTime(this.#clock.now());
    const ends = this.#world.jobs.byUid(uid);
    const owner = ends && controllerOf(ends)?.name;
    const nulls = this.#faults.nullTimes.of(`${ends?.metadata.namespace}/${owner}`) ?? [];
    if (nulls.length > 0) this.#faults.count('null times');
    this.#world.changeJob(uid, (job) => {
      const startTime = job.status?.startTime ?? time;
      return { ...job, status: endedStatus({ startTime, time, type }, nulls) };
    });
    const ttlSeconds = this.#world.jobs.byUid(uid)?.spec.ttlSecondsAfterFinished;
    if (ttlSeconds !== undefined) {
      this.#clock.schedule(ttlSeconds * SECOND_MS + this.#random.spread(1, 1000), () =>
        this.#delete(uid, JOB_CONTROLLER),
      );
    }
  }

  #resumeOrDelete(job: Job): void {
    const delayMs = this.#random.spread(MINUTE_MS, 2 * DAY_MS);
    if (this.#random.chance(0.5)) {
      this.#deleteByHand(job, delayMs);
      return;
    }
    this.#clock.schedule(delayMs, () => {
      const { uid } = job.metadata;
      if (this.#world.jobs.byUid(uid) === undefined) return;
      this.#world.changeJob(uid, (suspended) => ({ ...suspended, spec: { ...suspended.spec, suspend: false } }));
      this.#run(job);
    });
  }

  #deleteByHand({ metadata }: Job, delayMs: number): void {
    const propagationPolicy = this.#random.pick(['Background', 'Foreground'] as const);
    this.#clock.schedule(delayMs, () => this.#delete(metadata.uid, { kind: 'Person' }, propagationPolicy));
  }

  #delete(uid: string, by: Actor, propagationPolicy: 'Background' | 'Foreground' = 'Background'): void {
    const job = this.#world.jobs.byUid(uid);
    if (job !== undefined) this.#world.deleteJob(job.metadata, { propagationPolicy }, by);
  }

  /** The pods of a Job that is being deleted end, and then it goes. */
  #bury({ metadata }: Job): void {
    this.#clock.schedule(this.#random.spread(500, HOUR_MS), () => this.#world.releaseJob(metadata.uid));
  }

  #orphan(cronJobUid: string): void {
    for (const job of this.#world.jobs.ownedBy(cronJobUid)) this.#collect(job.metadata.uid);
  }

  #collect(uid: string): void {
    this.#clock.schedule(this.#random.spread(200, 60_000), () => this.#delete(uid, GARBAGE_COLLECTOR));
  }
}

interface Ended {
  readonly startTime: string;
  readonly time: string;
  readonly type: 'Complete' | 'Failed';
}

/** The status of a Job that is finished, some of whose times nobody has set. */
function endedStatus({ startTime, time, type }: Ended, nulls: readonly NullTime[]): NonNullable<Job['status']> {
  const timeOf = (name: NullTime, value: string) => (nulls.includes(name) ? null : value);
  const condition = { type, status: 'True', reason: 'Simulated' };
  const status = {
    startTime: timeOf('startTime', startTime),
    ...(type === 'Complete' ? { completionTime: timeOf('completionTime', time) } : {}),
    conditions: [{ ...condition, lastTransitionTime: timeOf('lastTransitionTime', time) }],
  };
  return status as unknown as NonNullable<Job['status']>; // as the API server has it, which writes Go's zero time as null
}

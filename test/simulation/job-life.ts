/** The life of Jobs: the Job controller runs them, the garbage collector removes them, users interfere. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { getControllerReference } from '../../runtime/kubernetes/object.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { NullTime } from './faults.ts';
import type { Actor } from './observed-reconcile.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { apiTime, FOREIGN_FINALIZER, ownerUid } from './simulated-cluster.ts';

/** Behaviour of the Jobs of one CronJob. */
export interface JobBehavior {
  readonly shortestMs: number;
  readonly longestMs: number;
  /** Shortest and longest time from the start of a Job until a container starts. */
  readonly startupRangeMs: readonly [number, number];
  /** Probability that a Job fails. */
  readonly failureProbability: number;
}

/** For Jobs without a CronJob. */
const DEFAULT_BEHAVIOR: JobBehavior = {
  shortestMs: SECOND_MS,
  longestMs: MINUTE_MS,
  startupRangeMs: [10, 2000],
  failureProbability: 0,
};
/** Share of Jobs with an init container, which may run for longer than a start may take. */
const INIT_CONTAINER_SHARE = 0.2;
/** Share of finished Jobs whose Pods terminate. */
const TERMINATING_SHARE = 0.25;
const JOB_CONTROLLER: Actor = { kind: 'JobController' };
const GARBAGE_COLLECTOR: Actor = { kind: 'GarbageCollector' };

export interface JobLifeOptions {
  /** By key of the CronJob. */
  readonly behaviors: ReadonlyMap<string, JobBehavior>;
  /** Draws how long the Pods of finished Jobs terminate. Default: they do not terminate. */
  readonly terminations: Random | undefined;
}

export class JobLife {
  readonly #setting: Setting;
  readonly #random: Random;
  readonly #options: JobLifeOptions;

  constructor(setting: Setting, random: Random, options: JobLifeOptions) {
    this.#setting = setting;
    this.#random = random;
    this.#options = options;
  }

  start(): void {
    this.#setting.world.jobs.listen(({ old, object }) => {
      if (old === undefined && object !== undefined) this.#onCreated(object);
      const isMarked = object?.metadata.deletionTimestamp !== undefined;
      if (object !== undefined && isMarked && old?.metadata.deletionTimestamp === undefined)
        this.#onDeletionRequested(object);
    });
    this.#setting.world.jobs.listen(({ old, object }) => {
      if (object === undefined && old !== undefined) this.#setting.world.pods.remove(old.metadata.uid);
      const deadline = object?.spec.activeDeadlineSeconds;
      if (object !== undefined && deadline !== old?.spec.activeDeadlineSeconds) this.#watchDeadline(object);
    });
    this.#setting.world.cronJobs.listen(({ old, object }) => {
      if (old !== undefined && object === undefined) this.#orphan(old.metadata.uid);
    });
  }

  /** Other controllers hold on to some Jobs when they are deleted. */
  drawFinalizers(_: NewJob): readonly string[] {
    return this.#random.chance(0.04) ? [FOREIGN_FINALIZER] : [];
  }

  #onCreated(job: Job): void {
    const owner = ownerUid(job);
    if (owner !== undefined && this.#setting.world.cronJobs.getByUid(owner) === undefined)
      this.#collect(job.metadata.uid);
    if (job.spec.suspend === true) this.#resumeOrDelete(job);
    else this.#run(job);
    if (this.#random.chance(0.04)) this.#deleteByHand(job, this.#random.spread(SECOND_MS, DAY_MS));
  }

  #run(job: Job): void {
    const { uid, namespace } = job.metadata;
    const owner = getControllerReference(job)?.name ?? '';
    const { shortestMs, longestMs, startupRangeMs, failureProbability } =
      this.#options.behaviors.get(`${namespace}/${owner}`) ?? DEFAULT_BEHAVIOR;
    const startMs = this.#random.spread(50, 5000);
    const runMs = this.#random.spread(shortestMs, longestMs);
    const type = this.#random.chance(failureProbability) ? 'Failed' : 'Complete';
    this.#setting.clock.schedule(startMs, () => this.#startJob(uid));
    const initMs = startMs + this.#random.spread(...startupRangeMs);
    const hasInit = this.#random.chance(INIT_CONTAINER_SHARE);
    if (hasInit) this.#setting.clock.schedule(initMs, () => this.#startInitContainer(uid));
    const containerMs = initMs + (hasInit ? this.#random.spread(SECOND_MS, HOUR_MS) : 0);
    this.#setting.clock.schedule(containerMs, () => this.#startContainer(uid));
    this.#setting.clock.schedule(containerMs + runMs, () => this.#finish(uid, type));
  }

  /** The status of the Job does not show it. */
  #startInitContainer(uid: string): void {
    const job = this.#setting.world.jobs.getByUid(uid);
    if (job !== undefined && !isEnding(job)) this.#setting.world.pods.startInitContainer(uid);
  }

  /** The status of the Job may show it, or not yet. */
  #startContainer(uid: string): void {
    const job = this.#setting.world.jobs.getByUid(uid);
    if (job === undefined || isEnding(job)) return;
    this.#setting.world.pods.startContainer(uid);
    if (this.#random.chance(0.5)) return;
    this.#setting.clock.schedule(this.#random.spread(10, 3000), () =>
      this.#setting.world.changeJob(uid, (running) =>
        isEnding(running) ? running : { ...running, status: { ...running.status, ready: 1 } },
      ),
    );
  }

  /** The Job controller ends Jobs that are active for too long: first the Pods, then the Job. */
  #watchDeadline({ metadata: { uid }, spec, status }: Job): void {
    const { activeDeadlineSeconds: seconds } = spec;
    if (seconds === undefined || status?.startTime === undefined || spec.suspend === true) return;
    const endMs = new Date(status.startTime).getTime() + seconds * SECOND_MS;
    const delayMs = Math.max(0, endMs - this.#setting.clock.now().getTime()) + this.#random.spread(10, 2000);
    this.#setting.clock.schedule(delayMs, () => {
      const job = this.#setting.world.jobs.getByUid(uid);
      if (job === undefined || isEnding(job) || job.spec.activeDeadlineSeconds !== seconds) return;
      this.#setting.faults.count(
        job.metadata.annotations?.[START_TIMEOUT_ANNOTATION] ? 'start ended' : 'template deadline exceeded',
      );
      const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded' }] as const;
      this.#setting.world.changeJob(uid, (failing) => ({
        ...failing,
        status: { ...failing.status, conditions: [...conditions] },
      }));
      this.#setting.clock.schedule(this.#random.spread(100, 40_000), () =>
        this.#finish(uid, 'Failed', 'DeadlineExceeded'),
      );
    });
  }

  #startJob(uid: string): void {
    const startTime = apiTime(this.#setting.clock.now());
    this.#setting.world.pods.create(uid);
    this.#setting.world.changeJob(uid, (job) => ({ ...job, status: { ...job.status, startTime, active: 1 } }));
    const started = this.#setting.world.jobs.getByUid(uid);
    if (started !== undefined) this.#watchDeadline(started);
  }

  #finish(uid: string, type: 'Complete' | 'Failed', reason = 'Simulated'): void {
    const finished = this.#setting.world.jobs.getByUid(uid);
    if (finished === undefined || (isEnding(finished) && reason === 'Simulated')) return;
    const time = apiTime(this.#setting.clock.now());
    const owner = getControllerReference(finished)?.name;
    const nullTimes = this.#setting.faults.nullTimes.get(`${finished.metadata.namespace}/${owner}`) ?? [];
    if (nullTimes.length > 0) this.#setting.faults.count('null times');
    const terminating = this.#terminatePods(uid);
    this.#setting.world.changeJob(uid, (job) => {
      const startTime = job.status?.startTime ?? time;
      const status = createFinishedStatus({ startTime, time, type, reason }, nullTimes);
      return { ...job, status: { ...status, ...(terminating > 0 && { terminating }) } };
    });
    const ttlSeconds = this.#setting.world.jobs.getByUid(uid)?.spec.ttlSecondsAfterFinished;
    if (ttlSeconds !== undefined) {
      this.#setting.clock.schedule(ttlSeconds * SECOND_MS + this.#random.spread(1, 1000), () =>
        this.#delete(uid, JOB_CONTROLLER),
      );
    }
  }

  /** Returns the number of Pods that have not ended. Pods may end slowly, or stay on a lost node. */
  #terminatePods(uid: string): number {
    const { terminations: random } = this.#options;
    if (random?.chance(TERMINATING_SHARE) !== true) return 0;
    this.#setting.faults.count('Pods terminate after the end of a Job');
    const durationMs = random.spread(SECOND_MS, random.pick([MINUTE_MS, HOUR_MS, 3 * DAY_MS]));
    this.#setting.clock.schedule(durationMs, () =>
      this.#setting.world.changeJob(uid, (job) => ({ ...job, status: { ...job.status, terminating: 0 } })),
    );
    return random.int(1, 3);
  }

  #resumeOrDelete(job: Job): void {
    const delayMs = this.#random.spread(MINUTE_MS, 2 * DAY_MS);
    if (this.#random.chance(0.5)) {
      this.#deleteByHand(job, delayMs);
      return;
    }
    this.#setting.clock.schedule(delayMs, () => {
      const { uid } = job.metadata;
      if (this.#setting.world.jobs.getByUid(uid) === undefined) return;
      this.#setting.world.changeJob(uid, (suspended) => ({
        ...suspended,
        spec: { ...suspended.spec, suspend: false },
      }));
      this.#run(job);
    });
  }

  #deleteByHand({ metadata }: Job, delayMs: number): void {
    const propagationPolicy = this.#random.pick(['Background', 'Foreground'] as const);
    this.#setting.clock.schedule(delayMs, () => this.#delete(metadata.uid, { kind: 'Person' }, propagationPolicy));
  }

  #delete(uid: string, by: Actor, propagationPolicy: 'Background' | 'Foreground' = 'Background'): void {
    const job = this.#setting.world.jobs.getByUid(uid);
    if (job !== undefined) this.#setting.world.deleteJob(job.metadata, { propagationPolicy }, by);
  }

  /** The Pods of a Job that is being deleted end, and then the Job goes. */
  #onDeletionRequested({ metadata }: Job): void {
    this.#setting.clock.schedule(this.#random.spread(500, HOUR_MS), () => this.#setting.world.releaseJob(metadata.uid));
  }

  #orphan(cronJobUid: string): void {
    for (const job of this.#setting.world.jobs.listByOwner(cronJobUid)) this.#collect(job.metadata.uid);
  }

  #collect(uid: string): void {
    this.#setting.clock.schedule(this.#random.spread(200, 60_000), () => this.#delete(uid, GARBAGE_COLLECTOR));
  }
}

/** Whether it has ended, or is about to. */
function isEnding({ status }: Job): boolean {
  return (status?.conditions ?? []).some((condition) => condition.status === 'True');
}

interface FinishedJob {
  readonly startTime: string;
  readonly time: string;
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
}

/** The status of a finished Job, where some of the times are not set. */
function createFinishedStatus(
  { startTime, time, type, reason }: FinishedJob,
  nullTimes: readonly NullTime[],
): NonNullable<Job['status']> {
  const toTime = (name: NullTime, value: string) => (nullTimes.includes(name) ? null : value);
  const condition = { type, status: 'True', reason };
  const status = {
    startTime: toTime('startTime', startTime),
    ...(type === 'Complete' ? { completionTime: toTime('completionTime', time) } : {}),
    conditions: [{ ...condition, lastTransitionTime: toTime('lastTransitionTime', time) }],
  };
  return status as unknown as NonNullable<Job['status']>; // as the API server has it, which writes Go's zero time as null
}

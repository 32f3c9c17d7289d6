/** Actions of users on one CronJob in a year. */
import {
  API_VERSION,
  INSTANTIATE_ANNOTATION,
  KIND,
  RESUME_ANNOTATION,
  RUN_NOW_ANNOTATION,
  TAKES_OVER_FROM_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { JobBehavior } from './job-life.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { apiTime } from './simulated-cluster.ts';
import {
  applyEdit,
  estimatePeriodMs,
  listSlotsAfter,
  randomBehavior,
  randomDeadline,
  randomFeature,
  randomLimits,
  randomPolicy,
  randomSchedule,
  randomSpec,
  randomSuspendUntil,
  randomTemplate,
  type SpecEdit,
} from './specs.ts';
import { randomJitter, randomTimetable, randomTimetableEdit } from './timetable-specs.ts';

/** The CronJob of one user, and how its Jobs behave. */
export interface UserCronJob {
  readonly id: { readonly namespace: string; readonly name: string };
  /** Sets the behaviour of the Jobs, by key of the CronJob. */
  readonly behaviors: Map<string, JobBehavior>;
  /** Draws the fields that decide which slots exist, for some of the users. */
  readonly timetables: Random;
  /** Draws the delays of the runs, for some of the users. Default: no delays. */
  readonly delays: Random | undefined;
}

/** Share of the users who set more fields of the schedule than the schedule and its time zone. */
const TIMETABLE_SHARE = 0.5;
/** Share of the users who delay the runs, in a year with delays. */
const JITTER_SHARE = 0.5;

const TOOLS = ['kubectl-edit', 'helm', 'argocd'];
/** The longest time between two changes of a CronJob: without it, the CronJob would rest for most of the year. */
const LONGEST_PATIENCE_MS = 25 * DAY_MS;

/** Creates a CronJob and then runs one action after another on it. */
export class SimulatedUser {
  readonly #setting: Setting;
  readonly #random: Random;
  readonly #behaviors: Map<string, JobBehavior>;
  readonly #id: UserCronJob['id'];
  readonly #key: string;
  readonly #timetables: Random | undefined;
  readonly #delays: Random | undefined;
  #runNowCount = 0;
  #resumeCount = 0;
  #jobCount = 0;

  constructor(setting: Setting, random: Random, { id, behaviors, timetables, delays }: UserCronJob) {
    this.#setting = setting;
    this.#random = random;
    this.#behaviors = behaviors;
    this.#id = id;
    this.#key = formatKey(id);
    this.#timetables = timetables.chance(TIMETABLE_SHARE) ? timetables : undefined;
    this.#delays = delays?.chance(JITTER_SHARE) ? delays : undefined;
  }

  start(): void {
    this.#setting.clock.schedule(this.#random.spread(SECOND_MS, DAY_MS), () => {
      this.#create();
      this.#scheduleNextAction();
      if (this.#timetables) this.#scheduleEdits(this.#timetables, randomTimetableEdit);
      if (this.#delays) this.#scheduleEdits(this.#delays, randomJitter);
    });
  }

  /** Edits from a separate generator. */
  #scheduleEdits(random: Random, drawEdit: typeof randomJitter): void {
    const { world, clock, faults } = this.#setting;
    const spec = world.cronJobs.get(this.#key)?.spec;
    const slots = random.chance(0.15) ? random.spread(0.001, 0.1) : random.spread(0.5, 60);
    const periodMs = spec === undefined ? HOUR_MS : estimatePeriodMs(spec, clock.now());
    clock.schedule(Math.min(LONGEST_PATIENCE_MS, slots * periodMs), () => {
      if (faults.userActionStops.get(this.#key) === undefined) {
        world.editCronJob(this.#key, random.pick(TOOLS), ({ spec, metadata }) => ({
          metadata,
          spec: applyEdit(spec, drawEdit(random, spec, clock.now())),
        }));
      }
      this.#scheduleEdits(random, drawEdit);
    });
  }

  #scheduleNextAction(): void {
    this.#setting.clock.schedule(this.#drawPatienceMs(), () => {
      if (this.#setting.world.cronJobs.get(this.#key) === undefined) this.#create();
      else if (this.#setting.faults.userActionStops.get(this.#key) === undefined) this.#takeAction();
      this.#scheduleNextAction();
    });
  }

  /** Some slots, or a moment: edits in quick succession find the most bugs. */
  #drawPatienceMs(): number {
    const cronJob = this.#setting.world.cronJobs.get(this.#key);
    if (cronJob === undefined) return this.#random.spread(20, 2 * DAY_MS);
    if (this.#random.chance(0.15)) return this.#random.spread(20, MINUTE_MS);
    const slots = this.#random.spread(0.2, cronJob.spec.suspend ? 300 : 40);
    return Math.min(LONGEST_PATIENCE_MS, slots * estimatePeriodMs(cronJob.spec, this.#setting.clock.now()));
  }

  #create(): void {
    const now = this.#setting.clock.now();
    const base = randomSpec(this.#random, now);
    const planned = this.#timetables ? applyEdit(base, randomTimetable(this.#timetables, base, now)) : base;
    const spec = this.#delays ? applyEdit(planned, randomJitter(this.#delays, planned, now)) : planned;
    this.#drawBehavior();
    this.#setting.world.createCronJob(this.#id, spec, {
      ...(this.#random.chance(0.2) ? this.#createRunNow() : {}),
      ...(this.#random.chance(0.1) ? this.#createResume() : {}),
      ...(this.#random.chance(0.2) ? this.#drawTakeOver() : {}),
    });
  }

  #takeAction(): void {
    const random = this.#random;
    const isPaused = this.#setting.world.cronJobs.get(this.#key)?.status?.paused !== undefined;
    const action = random.weighted<() => void>([
      [8, () => this.#edit(randomSchedule(random))],
      [5, () => this.#toggleSuspend()],
      [3, () => this.#edit(randomPolicy(random))],
      [3, () => this.#edit(randomDeadline(random))],
      [2, () => this.#edit(randomLimits(random))],
      [2, () => this.#edit({ jobTemplate: randomTemplate(random) })],
      [1, () => this.#edit({ ...randomSchedule(random), ...randomPolicy(random), ...randomDeadline(random) })],
      [6, () => this.#edit(randomFeature(random))],
      [4, () => this.#changeSuspendUntil()],
      [isPaused ? 10 : 2, () => this.#resume()],
      [3, () => this.#drawBehavior()],
      [isPaused ? 20 : 4, () => this.#runNow()],
      [1, () => this.#touch()],
      [1, () => this.#setting.world.deleteCronJob(this.#key)],
      [1, () => this.#deleteDuringReconcile()],
      [1, () => this.#replace()],
      [1, () => this.#fillQuota()],
      [1, () => this.#takeName()],
      [2, () => this.#createJob()],
    ]);
    action();
  }

  #edit(edit: SpecEdit): void {
    this.#setting.world.editCronJob(this.#key, this.#random.pick(TOOLS), ({ spec, metadata }) => ({
      metadata,
      spec: applyEdit(spec, edit),
    }));
    if (this.#random.chance(0.5)) this.#drawBehavior();
  }

  #toggleSuspend(): void {
    const isSuspended = this.#setting.world.cronJobs.get(this.#key)?.spec.suspend === true;
    this.#edit({ suspend: !isSuspended });
  }

  /** Sets, moves or removes it. */
  #changeSuspendUntil(): void {
    const spec = this.#setting.world.cronJobs.get(this.#key)?.spec;
    if (spec === undefined) return;
    const isRemoved = spec.suspendUntil !== undefined && this.#random.chance(0.3);
    this.#edit(
      isRemoved ? { suspendUntil: undefined } : randomSuspendUntil(this.#random, spec, this.#setting.clock.now()),
    );
  }

  #resume(): void {
    this.#annotate(this.#createResume());
  }

  #createResume(): Readonly<Record<string, string>> {
    this.#resumeCount++;
    return { [RESUME_ANNOTATION]: `again-${this.#resumeCount}` };
  }

  /** A while ago, too long ago, or in the future. */
  #drawTakeOver(): Readonly<Record<string, string>> {
    const agoMs = this.#random.pick([1, 1, 1, 3, -1]) * this.#random.spread(SECOND_MS, 9 * MINUTE_MS);
    return { [TAKES_OVER_FROM_ANNOTATION]: apiTime(new Date(this.#setting.clock.now().getTime() - agoMs)) };
  }

  #drawBehavior(): void {
    const spec = this.#setting.world.cronJobs.get(this.#key)?.spec;
    const periodMs = spec === undefined ? HOUR_MS : estimatePeriodMs(spec, this.#setting.clock.now());
    this.#behaviors.set(this.#key, randomBehavior(this.#random, periodMs));
  }

  #createRunNow(): Readonly<Record<string, string>> {
    this.#runNowCount++;
    return { [RUN_NOW_ANNOTATION]: `please-${this.#runNowCount}` };
  }

  #runNow(): void {
    if (this.#random.chance(0.5)) this.#drawBehavior();
    this.#annotate(this.#createRunNow());
  }

  #touch(): void {
    this.#annotate({ 'example.com/note': String(this.#random.int(0, 1e6)) });
  }

  #annotate(annotations: Readonly<Record<string, string>>): void {
    this.#setting.world.editCronJob(this.#key, 'kubectl-annotate', ({ spec, metadata }) => ({
      spec,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    }));
  }

  #fillQuota(): void {
    this.#setting.faults.overQuota.start(this.#key, true, { durationMs: this.#random.spread(MINUTE_MS, 6 * HOUR_MS) });
  }

  /** During a reconcile, with some luck: the reconcile of the next slot. */
  #deleteDuringReconcile(): void {
    const { cronJobs } = this.#setting.world;
    const cronJob = cronJobs.get(this.#key);
    const [slot] = cronJob === undefined ? [] : listSlotsAfter(cronJob.spec, this.#setting.clock.now(), 1);
    if (slot === undefined) return;
    const delayMs = slot.getTime() - this.#setting.clock.now().getTime() + this.#random.spread(3, 60);
    this.#setting.clock.schedule(delayMs, () => {
      if (cronJobs.get(this.#key)?.metadata.uid === cronJob?.metadata.uid) this.#setting.world.deleteCronJob(this.#key);
    });
  }

  /** As `kubectl replace --force` does: deletes it, and immediately creates it again. At the next slot, with some luck. */
  #replace(): void {
    const { cronJobs } = this.#setting.world;
    const cronJob = cronJobs.get(this.#key);
    const [slot] = cronJob === undefined ? [] : listSlotsAfter(cronJob.spec, this.#setting.clock.now(), 1);
    if (slot === undefined) return;
    const aroundMs = this.#random.pick([-1, -1, -1, 1]) * this.#random.spread(1, 200);
    const absentMs = this.#random.spread(1, 100);
    this.#setting.clock.schedule(slot.getTime() - this.#setting.clock.now().getTime() + aroundMs, () => {
      const { metadata, spec } = cronJobs.get(this.#key) ?? {};
      if (spec === undefined || metadata?.uid !== cronJob?.metadata.uid) return;
      this.#setting.world.deleteCronJob(this.#key);
      this.#setting.clock.schedule(absentMs, () => {
        if (cronJobs.get(this.#key) === undefined) this.#setting.world.createCronJob(this.#id, spec, {});
      });
    });
  }

  /** As `kubectl create job --from` does, with or without its annotation. */
  #createJob(): void {
    const cronJob = this.#setting.world.cronJobs.get(this.#key);
    if (cronJob === undefined) return;
    const { namespace, name, uid } = cronJob.metadata;
    this.#jobCount++;
    const annotations = this.#random.chance(0.3) ? { [INSTANTIATE_ANNOTATION]: 'manual' } : {};
    const owner = { apiVersion: API_VERSION, kind: KIND, name, uid, controller: true, blockOwnerDeletion: true };
    const metadata = { namespace, name: `by-hand-${name}-${this.#jobCount}`, annotations, ownerReferences: [owner] };
    const { spec = { template: {} } } = cronJob.spec.jobTemplate;
    this.#setting.world.createJob({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec }, { kind: 'Person' });
  }

  /** Another client creates a Job with the name of a run of the next hours or days. */
  #takeName(): void {
    const { namespace, name } = this.#id;
    const spec = this.#setting.world.cronJobs.get(this.#key)?.spec;
    if (spec === undefined) return;
    const slots = listSlotsAfter(spec, this.#setting.clock.now(), 3);
    if (slots.length === 0) return;
    const foreign = `${name}-${this.#random.pick(slots).getTime() / 1000}`;
    if (this.#setting.world.jobs.get(formatKey({ namespace, name: foreign })) !== undefined) return;
    this.#setting.world.createJob(
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace, name: foreign }, spec: { template: {} } },
      { kind: 'Person' },
    );
  }
}

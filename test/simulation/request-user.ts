/** Creates, suspends and deletes CronJobRuns of one CronJob in a year. */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import type { CronJobRunSpec } from '../../api/v1/cronjobrun-types.ts';
import { parseSchedule } from '../../api/v1/schedule.ts';
import { formatKey, type ObjectKey } from '../../runtime/kubernetes/resource.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Random } from './random.ts';
import { isFinishedStatus } from './request-ledger.ts';
import { RESTORE_LABEL } from './request-rules.ts';
import type { Setting } from './setting.ts';
import { apiTime } from './simulated-cluster.ts';
import { applyEdit, estimatePeriodMs, listSlotsAfter, type SpecEdit } from './specs.ts';

/** Users delete CronJobRuns beyond this number. */
const MAX_KEPT = 2;
const LONGEST_PATIENCE_MS = 20 * DAY_MS;
const RESTORED = { [RESTORE_LABEL]: 'backup-1' };

export class RequestUser {
  readonly #setting: Setting;
  readonly #random: Random;
  /** The CronJob. */
  readonly id: { readonly namespace: string; readonly name: string };
  readonly #key: string;
  #count = 0;

  constructor(setting: Setting, random: Random, id: RequestUser['id']) {
    this.#setting = setting;
    this.#random = random;
    this.id = id;
    this.#key = formatKey(id);
  }

  start(): void {
    const spec = this.#setting.world.cronJobs.get(this.#key)?.spec;
    const periodMs = spec === undefined ? HOUR_MS : estimatePeriodMs(spec, this.#setting.clock.now());
    const slots = this.#random.chance(0.15) ? this.#random.spread(0.001, 0.1) : this.#random.spread(0.3, 100);
    this.#setting.clock.schedule(Math.min(LONGEST_PATIENCE_MS, slots * periodMs), () => {
      if (this.#setting.faults.userActionStops.get(this.#key) === undefined) this.#takeAction();
      this.start();
    });
  }

  #takeAction(): void {
    const act = this.#random.weighted<() => void>([
      [5, () => this.#create()],
      [5, () => this.#createAtSlot()],
      [3, () => this.#toggleSuspend()],
      [2, () => this.#deleteOne()],
      [1, () => this.#edit({ requestedRunsHistoryLimit: this.#random.pick([undefined, 0, 0, 1, 10]) })],
      [1, () => this.#edit({ runOverrides: this.#random.pick([undefined, 'Args', 'ArgsAndEnv']) })],
      // Requested runs that ignore the policy fill a short queue.
      [1, () => this.#edit({ concurrencyPolicy: 'Queue', queueLimit: this.#random.pick([1, 1, 3]) })],
      [1, () => this.#edit({ concurrencyPolicy: 'Replace' })],
      [1, () => this.#createOverQuota()],
      [0.5, () => this.#denyStatusWrites()],
      [0.5, () => this.#deleteCronJob()],
      [0.5, () => this.#replaceCronJob()],
    ]);
    act();
    const { requests } = this.#setting;
    const all = requests.listOf(this.#key);
    const excess = all.length - MAX_KEPT;
    const oldest = all.toSorted(
      (left, right) => Number(isFinishedStatus(right.status)) - Number(isFinishedStatus(left.status)),
    );
    for (const request of oldest.slice(0, Math.max(0, excess))) this.#delete(formatKey(request));
  }

  #create(): void {
    const { world, requests, clock } = this.#setting;
    const spec = world.cronJobs.get(this.#key)?.spec;
    const random = this.#random;
    if (spec === undefined && random.chance(0.7)) return;
    this.#count++;
    // A name may belong to an earlier, deleted CronJobRun.
    const number = random.chance(0.2) ? Math.max(1, this.#count - MAX_KEPT) : this.#count;
    const key = { namespace: this.id.namespace, name: `${this.id.name}-run-${number}` };
    if (requests.objects.get(formatKey(key)) !== undefined) return;
    const ttlSecondsAfterFinished = random.pick([undefined, undefined, undefined, 0, 60, 3600, 1_000_000]);
    requests.create(
      key,
      {
        cronJobName: this.id.name,
        ...drawRequest(random, spec, clock.now()),
        concurrencyPolicy: random.chance(0.7) ? 'Obey' : 'Ignore',
        ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
        ...(random.chance(0.15) && { suspend: true }),
        ...(random.chance(0.12) && { overrides: { containers: [{ name: 'work', args: ['again'] }] } }),
      },
      random.chance(0.03) ? RESTORED : {},
    );
    if (random.chance(0.25)) this.#deleteSoon(key);
  }

  /** The run of the slot has just started, or starts at the same time. */
  #createAtSlot(): void {
    const { world, clock } = this.#setting;
    const nowMs = clock.now().getTime();
    const spec = world.cronJobs.get(this.#key)?.spec;
    const [slot] = spec === undefined ? [] : listSlotsAfter(spec, clock.now(), 1);
    const slotMs = Math.min(nowMs + DAY_MS, slot?.getTime() ?? nowMs);
    clock.schedule(slotMs - nowMs + this.#random.spread(1, MINUTE_MS), () => this.#create());
  }

  #toggleSuspend(): void {
    const { requests } = this.#setting;
    const open = requests.listOf(this.#key).filter(({ status }) => !isFinishedStatus(status));
    if (open.length === 0) return;
    const request = this.#random.pick(open);
    const key = formatKey(request);
    requests.suspend(key, !request.spec.suspend);
    if (this.#random.chance(0.3))
      this.#setting.clock.schedule(this.#random.spread(20, MINUTE_MS), () =>
        requests.suspend(key, request.spec.suspend === true),
      );
  }

  #deleteOne(): void {
    const all = this.#setting.requests.listOf(this.#key);
    const open = all.filter(({ status }) => !isFinishedStatus(status));
    if (all.length > 0) this.#delete(formatKey(this.#random.pick(open.length > 0 ? open : all)));
  }

  /** While its runs start. */
  #deleteSoon(id: Required<ObjectKey>): void {
    const { requests, clock } = this.#setting;
    const key = formatKey(id);
    const uid = requests.objects.get(key)?.metadata.uid;
    clock.schedule(this.#random.spread(20, 6 * HOUR_MS), () => {
      if (requests.objects.get(key)?.metadata.uid === uid) this.#delete(key);
    });
  }

  #delete(key: string): void {
    const { requests, clock } = this.#setting;
    const uid = requests.objects.get(key)?.metadata.uid;
    if (this.#random.chance(0.5)) {
      requests.remove(key);
      return;
    }
    requests.markDeleted(key);
    clock.schedule(this.#random.spread(MINUTE_MS, DAY_MS), () => {
      if (requests.objects.get(key)?.metadata.uid === uid) requests.remove(key);
    });
  }

  #edit(edit: SpecEdit): void {
    this.#setting.world.editCronJob(this.#key, 'kubectl-edit', ({ spec, metadata }) => ({
      metadata,
      spec: applyEdit(spec, edit),
    }));
  }

  /** A run that the quota refuses for an hour is skipped. */
  #createOverQuota(): void {
    const durationMs = this.#random.spread(10 * MINUTE_MS, 10 * HOUR_MS);
    this.#setting.faults.overQuota.start(this.#key, true, { durationMs });
    this.#create();
  }

  /** After an upgrade without the new roles, the manager may write the status of the CronJob, and not of its CronJobRuns. */
  #denyStatusWrites(): void {
    const durationMs = this.#random.spread(MINUTE_MS, 6 * HOUR_MS);
    this.#setting.faults.deniedRequestStatus.start(this.#key, true, { durationMs });
    this.#edit({ requestedRunsHistoryLimit: 0 }); // every Job exceeds it, and no stored status has counted the Job
    this.#create();
  }

  /** A finalizer of another controller keeps the CronJob for a while, and users do not notice that it is being deleted. */
  #deleteCronJob(): void {
    const { world, clock } = this.#setting;
    const uid = world.cronJobs.get(this.#key)?.metadata.uid;
    world.markCronJobDeleted(this.#key);
    clock.schedule(this.#random.spread(20, MINUTE_MS), () => this.#create());
    clock.schedule(this.#random.spread(10 * MINUTE_MS, 10 * HOUR_MS), () => {
      if (world.cronJobs.get(this.#key)?.metadata.uid === uid) world.deleteCronJob(this.#key);
    });
  }

  /** As `kubectl replace --force` does, soon after the creation of a CronJobRun. */
  #replaceCronJob(): void {
    const { world, clock } = this.#setting;
    const cronJob = world.cronJobs.get(this.#key);
    if (cronJob === undefined) return;
    this.#create();
    clock.schedule(this.#random.spread(20, HOUR_MS), () => {
      if (world.cronJobs.get(this.#key)?.metadata.uid !== cronJob.metadata.uid) return;
      world.deleteCronJob(this.#key);
      world.createCronJob(this.id, cronJob.spec, {});
    });
  }
}

type RequestFields = Pick<CronJobRunSpec, 'manual' | 'scheduledTime' | 'backfill'>;

/** Draws the runs to ask for. */
function drawRequest(random: Random, spec: CronJobSpec | undefined, now: Date): RequestFields {
  const periodMs = spec === undefined ? HOUR_MS : estimatePeriodMs(spec, now);
  return random.weighted<() => RequestFields>([
    [4, () => ({ manual: {} })],
    [3, () => ({ scheduledTime: apiTime(drawTime(random, { spec, periodMs, now })) })],
    [4, () => ({ backfill: drawBackfill(random, periodMs, now) })],
  ])();
}

interface TimeContext {
  readonly spec: CronJobSpec | undefined;
  readonly periodMs: number;
  readonly now: Date;
}

/** Usually an earlier slot, or any other time; sometimes a time to come. */
function drawTime(random: Random, { spec, periodMs, now }: TimeContext): Date {
  const agoMs = Math.min(100 * DAY_MS, random.spread(0.01, 30) * periodMs);
  if (random.chance(0.1)) return new Date(now.getTime() + agoMs);
  const any = new Date(now.getTime() - agoMs);
  if (spec === undefined || random.chance(0.3)) return any;
  const parsed = parseSchedule(spec.schedule, { timeZone: spec.timeZone, anchor: now });
  const slot = parsed.kind === 'ok' ? parsed.schedule.previous(new Date(now.getTime() - agoMs / 10)) : undefined;
  return slot ?? any;
}

/** Some earlier slots; sometimes too many, or none, or also slots to come. */
function drawBackfill(random: Random, periodMs: number, now: Date): NonNullable<CronJobRunSpec['backfill']> {
  const isLong = random.chance(0.15);
  const agoMs = Math.min(400 * DAY_MS, (isLong ? random.spread(20, 1e6) : random.spread(0.5, 40)) * periodMs);
  const spanMs = isLong ? 1e12 : Math.min(400 * DAY_MS, random.spread(0.3, 25) * periodMs);
  const startMs = now.getTime() - agoMs;
  return {
    startTime: apiTime(new Date(startMs)),
    endTime: apiTime(new Date(startMs + Math.max(SECOND_MS, spanMs))),
    order: random.pick(['OldestFirst', 'NewestFirst']),
    maxConcurrentRuns: random.pick([1, 2, 2, 5]),
    limit: random.pick([100, 100, 20, 3]),
  };
}

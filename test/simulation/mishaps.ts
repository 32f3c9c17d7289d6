/** Who brings about the faults: things that befall one CronJob, and webhooks that hang in one namespace. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Faults, Hang, NullTime, StatusField } from './faults.ts';
import type { Random } from './random.ts';
import { periodMsOf, slotsAfter } from './specs.ts';
import type { World } from './world.ts';

/** Fields that a definition may lack. The tutorial's has `active` and `lastScheduleTime`, and no other. */
const PRUNABLE: readonly StatusField[] = [
  'activeCount',
  'lastSuccessfulTime',
  'lastFailureTime',
  'nextScheduleTime',
  'lastRun',
  'effectiveSchedule',
  'handledThrough',
  'lastManualRun',
  'observedGeneration',
  'conditions',
];

/** Stand for the fields of a later version: a definition that is older than the manager lacks them all at once. */
const LATER: readonly StatusField[] = [
  'recentRuns',
  'recentSkips',
  'consecutiveFailures',
  'paused',
  'lastResume',
  'successExpectedSince',
  'suspendedUntil',
  'failedStart',
  'reported',
];

const NULL_TIMES: readonly (readonly NullTime[])[] = [
  ['lastTransitionTime'],
  ['completionTime'],
  ['startTime'],
  ['completionTime', 'lastTransitionTime'],
  ['startTime', 'completionTime', 'lastTransitionTime'],
];

const HANGS: readonly Hang[] = [
  { forMs: 10 * SECOND_MS, verbs: ['create'] },
  { forMs: 10 * SECOND_MS, verbs: ['create', 'updateStatus', 'delete'] },
  { forMs: 65 * SECOND_MS, verbs: ['get', 'list', 'create', 'updateStatus', 'delete', 'listPods', 'patch'] },
];

export interface MishapsOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Faults;
}

/** One fault after another for the CronJob of that key. */
export class CronJobMishaps {
  readonly #options: MishapsOptions;
  readonly #key: string;

  constructor(options: MishapsOptions, key: string) {
    this.#options = options;
    this.#key = key;
  }

  start(): void {
    const { clock, random } = this.#options;
    clock.schedule(random.spread(3 * DAY_MS, 60 * DAY_MS), () => {
      this.#befall();
      this.start();
    });
  }

  #befall(): void {
    const { random, faults } = this.#options;
    const key = this.#key;
    const codes = [500, 503, 403];
    const befall = random.weighted<() => void>([
      [3, () => faults.deniedDeletes.begin(key, true, this.#slots([15, 80], [HOUR_MS, 3 * DAY_MS]))],
      [2, () => faults.overQuota.begin(key, true, this.#slots([3, 15], [10 * MINUTE_MS, DAY_MS]))],
      [3, () => faults.hangingDeletes.begin(key, true, this.#slots([15, 80], [HOUR_MS, 3 * DAY_MS]))],
      [3, () => faults.rivals.begin(key, random.int(2, 4), this.#slots([15, 80], [HOUR_MS, 10 * DAY_MS]))],
      [3, () => faults.deniedPatches.begin(key, true, this.#slots([15, 80], [HOUR_MS, 3 * DAY_MS]))],
      [3, () => faults.failingStatus.begin(key, random.pick(codes), this.#slots([5, 25], [20 * MINUTE_MS, DAY_MS]))],
      [3, () => faults.failingReads.begin(key, random.pick(codes), this.#slots([3, 15], [10 * MINUTE_MS, DAY_MS]))],
      [2, () => faults.prunedStatus.begin(key, somePrunable(random), this.#slots([10, 50], [HOUR_MS, 10 * DAY_MS]))],
      [2, () => faults.nullTimes.begin(key, random.pick(NULL_TIMES), this.#slots([5, 40], [HOUR_MS, 10 * DAY_MS]))],
    ]);
    befall();
  }

  /** As long as so many slots, within bounds. */
  #slots(
    [fewest, most]: readonly [number, number],
    [shortestMs, longestMs]: readonly [number, number],
  ): { readonly durationMs: number } {
    const { world, clock, random } = this.#options;
    const spec = world.cronJobs.get(this.#key)?.spec;
    const periodMs = spec === undefined ? HOUR_MS : periodMsOf(spec, clock.now());
    return { durationMs: Math.min(longestMs, Math.max(shortestMs, random.spread(fewest, most) * periodMs)) };
  }
}

/** A status of which the server keeps as much as the tutorial's definition has, or one that is older than the manager, or all but a field or two. */
export function somePrunable(random: Random): readonly StatusField[] {
  return random.weighted<readonly StatusField[]>([
    [2, [...PRUNABLE, ...LATER]],
    [2, LATER],
    [6, [random.pick(PRUNABLE), random.pick(PRUNABLE)]],
  ]);
}

/** Calls that hang in one namespace at a time, mostly when CronJobs of other namespaces are due. */
export class NamespaceMishaps {
  readonly #options: MishapsOptions;

  constructor(options: MishapsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, random } = this.#options;
    clock.schedule(random.spread(DAY_MS, 20 * DAY_MS), () => {
      this.#hang();
      this.start();
    });
  }

  #hang(): void {
    const { world, clock, random, faults } = this.#options;
    const cronJobs = world.cronJobs.list();
    if (cronJobs.length === 0) return;
    const namespace = random.pick(cronJobs).metadata.namespace;
    const waitMs = this.#untilSlotMs(cronJobs.filter(({ metadata }) => metadata.namespace !== namespace));
    const hang = random.pick(HANGS);
    const durationMs = random.spread(2 * MINUTE_MS, HOUR_MS);
    clock.schedule(waitMs, () => {
      if (faults.hanging.keys().length > 0) return;
      faults.hanging.begin(namespace, hang, { durationMs, tailMs: hang.forMs + 5 * SECOND_MS });
    });
  }

  /** Until shortly before one of the CronJobs is due. */
  #untilSlotMs(cronJobs: readonly CronJob[]): number {
    const { clock, random } = this.#options;
    if (cronJobs.length === 0) return 0;
    const [slot] = slotsAfter(random.pick(cronJobs).spec, clock.now(), 1);
    const aheadMs = slot === undefined ? 0 : slot.getTime() - clock.now().getTime();
    return Math.max(0, Math.min(DAY_MS, aheadMs) - random.spread(SECOND_MS, 2 * MINUTE_MS));
  }
}

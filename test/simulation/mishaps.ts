/** Plans the faults of one CronJob, and webhooks that hang in one namespace. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Hang, NullTime, StatusField } from './faults.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { periodMsOf, slotsAfter } from './specs.ts';

/** Fields that a CRD may lack. The tutorial's CRD only has `active` and `lastScheduleTime`. */
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

/** Represent the fields of a later version: a CRD that is older than the manager lacks all of them. */
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

/** Duration of a fault in slots, and its bounds. */
type Length = readonly [fewest: number, most: number, shortestMs: number, longestMs: number];

/** Plans one fault after another for the CronJob of that key. */
export function planMishapsOf(key: string, { world, clock, faults }: Setting, random: Random): void {
  const lasting = ([fewest, most, shortestMs, longestMs]: Length) => {
    const spec = world.cronJobs.get(key)?.spec;
    const periodMs = spec === undefined ? HOUR_MS : periodMsOf(spec, clock.now());
    return { durationMs: Math.min(longestMs, Math.max(shortestMs, random.spread(fewest, most) * periodMs)) };
  };
  const days: Length = [15, 80, HOUR_MS, 3 * DAY_MS];
  const codes = [500, 503, 403];
  const befall = () => {
    const befalls = random.weighted<() => void>([
      [3, () => faults.deniedDeletes.begin(key, true, lasting(days))],
      [2, () => faults.overQuota.begin(key, true, lasting([3, 15, 10 * MINUTE_MS, DAY_MS]))],
      [3, () => faults.hangingDeletes.begin(key, true, lasting(days))],
      [3, () => faults.rivals.begin(key, random.int(2, 4), lasting([15, 80, HOUR_MS, 10 * DAY_MS]))],
      [3, () => faults.deniedPatches.begin(key, true, lasting(days))],
      [3, () => faults.failingStatus.begin(key, random.pick(codes), lasting([5, 25, 20 * MINUTE_MS, DAY_MS]))],
      [3, () => faults.failingReads.begin(key, random.pick(codes), lasting([3, 15, 10 * MINUTE_MS, DAY_MS]))],
      [2, () => faults.prunedStatus.begin(key, somePrunable(random), lasting([10, 50, HOUR_MS, 10 * DAY_MS]))],
      [2, () => faults.nullTimes.begin(key, random.pick(NULL_TIMES), lasting([5, 40, HOUR_MS, 10 * DAY_MS]))],
    ]);
    befalls();
  };
  const plan = () => {
    clock.schedule(random.spread(3 * DAY_MS, 60 * DAY_MS), () => {
      befall();
      plan();
    });
  };
  plan();
}

/**
 * Status fields that the server drops: it keeps only those in the tutorial's CRD or in a CRD older than the manager, or drops only a field
 * or two.
 */
export function somePrunable(random: Random): readonly StatusField[] {
  return random.weighted<readonly StatusField[]>([
    [2, [...PRUNABLE, ...LATER]],
    [2, LATER],
    [6, [random.pick(PRUNABLE), random.pick(PRUNABLE)]],
  ]);
}

/** Calls that hang in one namespace at a time, mostly when CronJobs of other namespaces are due. */
export function planHangs(setting: Setting, random: Random): void {
  const { clock } = setting;
  clock.schedule(random.spread(DAY_MS, 20 * DAY_MS), () => {
    hang(setting, random);
    planHangs(setting, random);
  });
}

function hang({ world, clock, faults }: Setting, random: Random): void {
  const cronJobs = world.cronJobs.list();
  if (cronJobs.length === 0) return;
  const namespace = random.pick(cronJobs).metadata.namespace;
  const others = cronJobs.filter(({ metadata }) => metadata.namespace !== namespace);
  const waitMs = untilShortlyBeforeSlotMs(others, clock.now(), random);
  const hanging = random.pick(HANGS);
  const durationMs = random.spread(2 * MINUTE_MS, HOUR_MS);
  clock.schedule(waitMs, () => {
    if (faults.hanging.keys().length > 0) return;
    faults.hanging.begin(namespace, hanging, { durationMs, tailMs: hanging.forMs + 5 * SECOND_MS });
  });
}

/** Time until shortly before a slot of one of the CronJobs. */
function untilShortlyBeforeSlotMs(cronJobs: readonly CronJob[], now: Date, random: Random): number {
  if (cronJobs.length === 0) return 0;
  const [slot] = slotsAfter(random.pick(cronJobs).spec, now, 1);
  const aheadMs = slot === undefined ? 0 : slot.getTime() - now.getTime();
  return Math.max(0, Math.min(DAY_MS, aheadMs) - random.spread(SECOND_MS, 2 * MINUTE_MS));
}

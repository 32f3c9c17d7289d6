/** Plans the faults of one CronJob, and webhooks that hang in one namespace. */
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Hang, NullTime, StatusField } from './faults.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { estimatePeriodMs, listSlotsAfter } from './specs.ts';

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
const NEWER_FIELDS: readonly StatusField[] = [
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
  { forMs: 10 * SECOND_MS, verbs: ['create', 'updateStatus', 'updateRequestStatus', 'delete'] },
  {
    forMs: 65 * SECOND_MS,
    verbs: [
      'get',
      'list',
      'create',
      'updateStatus',
      'updateRequestStatus',
      'delete',
      'deleteRequest',
      'listPods',
      'patch',
    ],
  },
];

/** Duration of a fault in slots, and its bounds. */
type DurationRange = readonly [fewest: number, most: number, shortestMs: number, longestMs: number];

/** Plans one fault after another for the CronJob of that key. */
export function planFaults(key: string, { world, clock, faults }: Setting, random: Random): void {
  const drawDuration = ([fewest, most, shortestMs, longestMs]: DurationRange) => {
    const spec = world.cronJobs.get(key)?.spec;
    const periodMs = spec === undefined ? HOUR_MS : estimatePeriodMs(spec, clock.now());
    return { durationMs: Math.min(longestMs, Math.max(shortestMs, random.spread(fewest, most) * periodMs)) };
  };
  const days: DurationRange = [15, 80, HOUR_MS, 3 * DAY_MS];
  const codes = [500, 503, 403];
  const startFault = () => {
    const start = random.weighted<() => void>([
      [3, () => faults.deniedDeletes.start(key, true, drawDuration(days))],
      [2, () => faults.overQuota.start(key, true, drawDuration([3, 15, 10 * MINUTE_MS, DAY_MS]))],
      [3, () => faults.hangingDeletes.start(key, true, drawDuration(days))],
      [3, () => faults.competingWriters.start(key, random.int(2, 4), drawDuration([15, 80, HOUR_MS, 10 * DAY_MS]))],
      [3, () => faults.deniedPatches.start(key, true, drawDuration(days))],
      [3, () => faults.failingStatus.start(key, random.pick(codes), drawDuration([5, 25, 20 * MINUTE_MS, DAY_MS]))],
      [3, () => faults.failingReads.start(key, random.pick(codes), drawDuration([3, 15, 10 * MINUTE_MS, DAY_MS]))],
      [2, () => faults.prunedStatus.start(key, drawPrunedFields(random), drawDuration([10, 50, HOUR_MS, 10 * DAY_MS]))],
      [2, () => faults.nullTimes.start(key, random.pick(NULL_TIMES), drawDuration([5, 40, HOUR_MS, 10 * DAY_MS]))],
    ]);
    start();
  };
  const plan = () => {
    clock.schedule(random.spread(3 * DAY_MS, 60 * DAY_MS), () => {
      startFault();
      plan();
    });
  };
  plan();
}

/**
 * Status fields that the server drops: it keeps only those in the tutorial's CRD or in a CRD older than the manager, or drops only a field
 * or two.
 */
export function drawPrunedFields(random: Random): readonly StatusField[] {
  return random.weighted<readonly StatusField[]>([
    [2, [...PRUNABLE, ...NEWER_FIELDS]],
    [2, NEWER_FIELDS],
    [6, [random.pick(PRUNABLE), random.pick(PRUNABLE)]],
  ]);
}

/** Calls that hang in one namespace at a time, mostly when CronJobs of other namespaces are due. */
export function planHangs(setting: Setting, random: Random): void {
  const { clock } = setting;
  clock.schedule(random.spread(DAY_MS, 20 * DAY_MS), () => {
    planHang(setting, random);
    planHangs(setting, random);
  });
}

function planHang({ world, clock, faults }: Setting, random: Random): void {
  const cronJobs = world.cronJobs.list();
  if (cronJobs.length === 0) return;
  const namespace = random.pick(cronJobs).metadata.namespace;
  const others = cronJobs.filter(({ metadata }) => metadata.namespace !== namespace);
  const waitMs = drawDelayBeforeSlotMs(others, clock.now(), random);
  const hangKind = random.pick(HANGS);
  const durationMs = random.spread(2 * MINUTE_MS, HOUR_MS);
  clock.schedule(waitMs, () => {
    if (faults.hangingNamespaces.keys().length > 0) return;
    faults.hangingNamespaces.start(namespace, hangKind, { durationMs, tailMs: hangKind.forMs + 5 * SECOND_MS });
  });
}

/** Time until shortly before a slot of one of the CronJobs. */
function drawDelayBeforeSlotMs(cronJobs: readonly CronJob[], now: Date, random: Random): number {
  if (cronJobs.length === 0) return 0;
  const [slot] = listSlotsAfter(random.pick(cronJobs).spec, now, 1);
  const aheadMs = slot === undefined ? 0 : slot.getTime() - now.getTime();
  return Math.max(0, Math.min(DAY_MS, aheadMs) - random.spread(SECOND_MS, 2 * MINUTE_MS));
}

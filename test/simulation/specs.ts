/** Random specs, as users write them. */
import type { JobTemplateSpec } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../api/v1/schedule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { JobBehavior } from './job-life.ts';
import type { Random } from './random.ts';
import { apiTime } from './simulated-cluster.ts';

const SCHEDULES: readonly (readonly [weight: number, schedules: readonly string[]])[] = [
  [2, ['* * * * *', '*/2 * * * *', '*/5 * * * *', '@every 90s', '@every 7m', '3-59/10 8-17 * * *']],
  [4, ['0 * * * *', '@hourly', '17 */2 * * *', '@every 1h30m', '*/30 9-17 * * 1-5', '45 1-4 * * *']],
  [
    5,
    ['30 2 * * *', '0 2 * * *', '0 3 * * *', '30 1 * * *', '15 0,1,2,3 * * *', '@daily', '@every 26h', '59 23 * * *'],
  ],
  [3, ['@weekly', '0 12 1 * *', '@monthly', '0 0 13 * 5', '30 2 * 3,10 0', '0 2 30 12 *']],
  [1, ['@yearly', '0 0 29 2 *', '0 0 31 2 *']],
  [0.5, ['61 * * * *', 'TZ=UTC * * * * *', '* * * * * *', '0 0 * * 7', '@every 1ms', 'hourly']],
];

const ZONES: readonly (string | undefined)[] = [
  undefined,
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
  'Asia/Kathmandu',
];
const UNKNOWN_ZONE = 'Europe/Atlantis';

/** An edit of a spec; undefined removes a field. */
export type SpecEdit = { readonly [K in keyof CronJobSpec]?: CronJobSpec[K] | undefined };

export function applyEdit(spec: CronJobSpec, edit: SpecEdit): CronJobSpec {
  const entries = Object.entries({ ...spec, ...edit }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as CronJobSpec; // edits remove only optional fields
}

export function randomSpec(random: Random, now: Date): CronJobSpec {
  const defaults: CronJobSpec = {
    schedule: '@daily',
    concurrencyPolicy: 'Allow',
    suspend: random.chance(0.1),
    jobTemplate: randomTemplate(random),
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  };
  const edits = [randomSchedule, randomPolicy, randomDeadline, ...(random.chance(0.5) ? [randomLimits] : [])];
  const base = edits.reduce((spec, edit) => applyEdit(spec, edit(random)), defaults);
  const features = FEATURES.filter(() => random.chance(0.6)).map((feature) => feature(random));
  const until = random.chance(0.15) ? [randomSuspendUntil(random, base, now)] : [];
  return [...features, ...until].reduce<CronJobSpec>(applyEdit, base);
}

export function randomSchedule(random: Random): SpecEdit {
  const schedule = random.pick(random.weighted(SCHEDULES));
  return { schedule, timeZone: random.chance(0.02) ? UNKNOWN_ZONE : random.pick(ZONES) };
}

export function randomPolicy(random: Random): SpecEdit {
  return { concurrencyPolicy: random.pick(['Allow', 'Forbid', 'Replace']) };
}

export function randomDeadline(random: Random): SpecEdit {
  const choices = [undefined, undefined, undefined, 0, 5, 90, 200, 3600, 40_000, 1_000_000, Number.MAX_SAFE_INTEGER];
  return { startingDeadlineSeconds: random.pick(choices) };
}

export function randomLimits(random: Random): SpecEdit {
  return { successfulJobsHistoryLimit: random.int(0, 4), failedJobsHistoryLimit: random.int(0, 3) };
}

/** Optional fields that affect runs. */
const FEATURES: readonly ((random: Random) => SpecEdit)[] = [
  (random) => ({ recentRunsLimit: random.pick([50, 50, 50, 50, undefined, 0, 1, 3, 10]) }),
  (random) => ({ startTimeoutSeconds: random.pick([undefined, 1, 20, 300, 7200]) }),
  (random) => ({
    expectSuccessWithinSeconds: random.pick([undefined, 1, 600, 20_000, 100_000, 2_000_000, Number.MAX_SAFE_INTEGER]),
  }),
  (random) => ({ pauseAfterFailures: random.pick([undefined, 1, 2, 3, 10]) }),
  (random) => ({ runContext: random.pick([undefined, 'None', 'Env', 'Env']) }),
];

export function randomFeature(random: Random): SpecEdit {
  return random.pick(FEATURES)(random);
}

/** Usually some slots ahead; or the time of a slot. */
export function randomSuspendUntil(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  const slots = random.chance(0.4) ? listSlotsAfter(spec, now, 5) : [];
  if (slots.length > 0) return { suspendUntil: apiTime(random.pick(slots)) };
  const aheadMs = Math.min(40 * DAY_MS, random.spread(0.1, 150) * estimatePeriodMs(spec, now));
  return { suspendUntil: apiTime(new Date(now.getTime() + (random.chance(0.2) ? -aheadMs : aheadMs))) };
}

export function randomTemplate(random: Random): JobTemplateSpec {
  const ttlSecondsAfterFinished = random.pick([undefined, undefined, 0, 5, 600, 100_000]);
  return {
    metadata: { labels: { app: 'simulated' }, annotations: { edition: String(random.int(0, 1e6)) } },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [randomContainer(random)] } },
      ...(random.chance(0.04) ? { suspend: true } : {}),
      ...(random.chance(0.05) ? { activeDeadlineSeconds: Math.ceil(random.spread(30, 100_000)) } : {}),
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    },
  };
}

function randomContainer(random: Random) {
  const container = { name: 'work', image: 'busybox' };
  if (random.chance(0.7)) return container;
  const env = [
    { name: 'COLOUR', value: 'red' },
    ...(random.chance(0.5) ? [{ name: 'CRONJOB_RUN', value: 'mine' }] : []),
  ];
  return { ...container, env };
}

/** Durations of Jobs: immediate, about the schedule's period, or days. */
export function randomBehavior(random: Random, periodMs: number): JobBehavior {
  const failureProbability = random.pick([0, 0, 0.15, 0.5, 1]);
  const [shortestMs, longestMs] = random.weighted([
    [5, [200, 20 * SECOND_MS]],
    [4, [periodMs / 10, periodMs * 3]],
    [1, [HOUR_MS, 4 * DAY_MS]],
  ]);
  const startupRangeMs = random.weighted<JobBehavior['startupRangeMs']>([
    [6, [10, 2 * SECOND_MS]],
    [2, [SECOND_MS, 10 * MINUTE_MS]],
    [1, [MINUTE_MS, 2 * DAY_MS]],
  ]);
  return { shortestMs, longestMs, startupRangeMs, failureProbability };
}

/** The next slots of all schedules of the spec; `@every` counts from now. */
export function listSlotsAfter(spec: CronJobSpec, now: Date, count: number): readonly Date[] {
  const { schedule, schedules = [], timeZone } = spec;
  const until = new Date(now.getTime() + 5 * 366 * DAY_MS);
  const slots = [schedule, ...schedules].flatMap((text) => {
    const parsed = parseSchedule(text, { timeZone, anchor: now });
    return parsed.kind === 'invalid' ? [] : parsed.schedule.between(now, until, { limit: count });
  });
  return slots.sort((left, right) => left.getTime() - right.getTime()).slice(0, count);
}

const SAMPLE = 4;

/** The approximate distance between slots at `now`; a day when there are no slots. */
export function estimatePeriodMs(spec: CronJobSpec, now: Date): number {
  const last = listSlotsAfter(spec, now, SAMPLE).at(SAMPLE - 1);
  return last === undefined ? DAY_MS : Math.max(MINUTE_MS, (last.getTime() - now.getTime()) / SAMPLE);
}

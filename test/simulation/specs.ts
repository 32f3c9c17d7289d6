/** What people write into CronJobs. */
import type { JobTemplateSpec } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../api/v1/schedule.ts';
import type { Nature } from './job-life.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './operations.ts';
import type { Random } from './random.ts';

const SCHEDULES: readonly (readonly [weight: number, schedules: readonly string[]])[] = [
  [2, ['* * * * *', '*/2 * * * *', '*/5 * * * *', '@every 90s', '@every 7m', '3-59/10 8-17 * * *']],
  [4, ['0 * * * *', '@hourly', '17 */2 * * *', '@every 1h30m', '*/30 9-17 * * 1-5', '45 1-4 * * *']],
  [5, ['30 2 * * *', '0 3 * * *', '30 1 * * *', '15 0,1,2,3 * * *', '@daily', '@every 26h', '59 23 * * *']],
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

/** An edit of a spec; what is undefined is taken out. */
export type SpecEdit = { readonly [K in keyof CronJobSpec]?: CronJobSpec[K] | undefined };

export function edited(spec: CronJobSpec, edit: SpecEdit): CronJobSpec {
  const entries = Object.entries({ ...spec, ...edit }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as CronJobSpec; // edits take out optional fields only
}

export function randomSpec(random: Random): CronJobSpec {
  const blank: CronJobSpec = {
    schedule: '@daily',
    concurrencyPolicy: 'Allow',
    suspend: random.chance(0.1),
    jobTemplate: randomTemplate(random),
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  };
  const edits = [randomSchedule, randomPolicy, randomDeadline, ...(random.chance(0.5) ? [randomLimits] : [])];
  return edits.reduce((spec, edit) => edited(spec, edit(random)), blank);
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

export function randomTemplate(random: Random): JobTemplateSpec {
  const ttlSecondsAfterFinished = random.pick([undefined, undefined, 0, 5, 600, 100_000]);
  return {
    metadata: { labels: { app: 'simulated' }, annotations: { edition: String(random.int(0, 1e6)) } },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] } },
      ...(random.chance(0.04) ? { suspend: true } : {}),
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    },
  };
}

/** Jobs that are over at once, that take about as long as the schedule's period, that take days. */
export function randomNature(random: Random, periodMs: number): Nature {
  const failing = random.pick([0, 0, 0.15, 0.5, 1]);
  const [shortestMs, longestMs] = random.weighted([
    [5, [200, 20 * SECOND_MS]],
    [4, [periodMs / 10, periodMs * 3]],
    [1, [HOUR_MS, 4 * DAY_MS]],
  ]);
  return { shortestMs, longestMs, failing };
}

/** The next slots as far as anybody can tell from the spec alone; `@every` is taken to begin now. */
export function slotsAfter({ schedule, timeZone }: CronJobSpec, now: Date, count: number): readonly Date[] {
  const parsed = parseSchedule(schedule, { timeZone, anchor: now });
  return parsed.kind === 'invalid'
    ? []
    : parsed.schedule.between(now, new Date(now.getTime() + 5 * 366 * DAY_MS), { limit: count });
}

const SAMPLE = 4;

/** About how far apart the slots are just now; a day where there are none. */
export function periodMsOf(spec: CronJobSpec, now: Date): number {
  const last = slotsAfter(spec, now, SAMPLE).at(SAMPLE - 1);
  return last === undefined ? DAY_MS : Math.max(MINUTE_MS, (last.getTime() - now.getTime()) / SAMPLE);
}

/** Random values of the fields that decide which slots exist, besides the schedule, and which of them start. */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Random } from './random.ts';
import { apiTime } from './simulated-cluster.ts';
import { estimatePeriodMs, listSlotsAfter, type SpecEdit } from './specs.ts';

type Exclusion = NonNullable<CronJobSpec['exclude']>[number];

const EXTRA_SCHEDULES = [
  '30 * * * *',
  '0 */2 * * *',
  '@every 50m',
  '@every 26h',
  '30 2 * * *',
  '0 3 * * *',
  '15 0,1,2,3 * * *',
  '0 0 * * 1-5',
  '@monthly',
  '0 0 31 2 *',
] as const;

const EXCLUDED_MINUTES = [
  '* 2-3 * * *',
  '* * * * 0,6',
  '* 0-11 * * *',
  '0 * * * *',
  '*/2 * * * *',
  '30 1-2 * 3,10,11 *',
  '* * 1-7 * *',
] as const;

/** Several fields, for a new CronJob. */
export function randomTimetable(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  const edits = FIELDS.filter(() => random.chance(0.5)).map((draw) => draw(random, spec, now));
  return Object.assign({}, ...edits);
}

/** An edit of one of the fields: often removes it. */
export function randomTimetableEdit(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  const edit = random.pick(FIELDS)(random, spec, now);
  const names = Object.keys(edit) as (keyof CronJobSpec)[]; // the names come from an edit
  const isPresent = names.some((name) => spec[name] !== undefined);
  if (!isPresent || !random.chance(0.4)) return edit;
  const removal: SpecEdit = Object.fromEntries(names.map((name) => [name, undefined]));
  return 'concurrencyPolicy' in edit ? { ...removal, concurrencyPolicy: 'Allow' } : removal;
}

const FIELDS: readonly ((random: Random, spec: CronJobSpec, now: Date) => SpecEdit)[] = [
  randomSchedules,
  randomWindow,
  randomExclude,
  randomDaylightSaving,
  randomCatchUp,
  randomConcurrency,
];

const MAX_JITTER_SECONDS = 86_400;

/** From a second to more than the time between two slots; sometimes none. */
export function randomJitter(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  const longest = Math.min(MAX_JITTER_SECONDS, (3 * estimatePeriodMs(spec, now)) / SECOND_MS);
  return { jitterSeconds: random.chance(0.2) ? random.pick([undefined, 0]) : Math.ceil(random.spread(1, longest)) };
}

function randomCatchUp(random: Random): SpecEdit {
  return { catchUpPolicy: random.pick(['All', 'All', 'Latest']), catchUpLimit: random.pick([undefined, 1, 3, 1000]) };
}

function randomConcurrency(random: Random): SpecEdit {
  return random.pick<SpecEdit>([
    { concurrencyPolicy: 'Skip' },
    { concurrencyPolicy: 'Queue', queueLimit: random.pick([undefined, 1, 3, 1000]) },
    { maxConcurrentRuns: random.int(1, 3) },
  ]);
}

/** Not much more frequent than the schedule: hourly slots beside rare ones would make a year long. */
function randomSchedules(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  const shortestMs = estimatePeriodMs({ ...spec, schedules: [] }, now) / 4;
  const choices = EXTRA_SCHEDULES.filter(
    (schedule) => estimatePeriodMs({ ...spec, schedule, schedules: [] }, now) >= shortestMs,
  );
  const isInvalid = random.chance(0.04);
  const schedules = Array.from(
    { length: random.int(1, 3) },
    () => random.pick(choices.length > 0 ? choices : ['@monthly']) as string,
  );
  const isRepeated = random.chance(0.1); // the same times as the schedule
  return { schedules: [...schedules, ...(isRepeated ? [spec.schedule] : []), ...(isInvalid ? ['61 * * * *'] : [])] };
}

/** A start, an end, or both. */
function randomWindow(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  const start = random.chance(0.5) ? randomTime(random, spec, now) : undefined;
  const end = random.chance(0.6) ? randomTime(random, spec, now) : undefined;
  const times = [start, end].filter((time) => time !== undefined).map((time) => time.getTime());
  const [first = 0, second = first] = times.toSorted((left, right) => left - right);
  // The end of a window comes after its start.
  const endTime = end && apiTime(new Date(start && second - first < MINUTE_MS ? second + HOUR_MS : second));
  return { startTime: start && apiTime(new Date(first)), endTime };
}

/** The time of a slot, or some slots ahead; sometimes a past time. */
function randomTime(random: Random, spec: CronJobSpec, now: Date): Date {
  const slots = random.chance(0.4) ? listSlotsAfter(spec, now, 8) : [];
  if (slots.length > 0) return random.pick(slots);
  const aheadMs = Math.min(60 * DAY_MS, random.spread(0.1, 100) * estimatePeriodMs(spec, now));
  return new Date(now.getTime() + (random.chance(0.25) ? -aheadMs : aheadMs));
}

function randomExclude(random: Random, spec: CronJobSpec, now: Date): SpecEdit {
  return { exclude: Array.from({ length: random.int(1, 3) }, () => randomExclusion(random, spec, now)) };
}

function randomExclusion(random: Random, spec: CronJobSpec, now: Date): Exclusion {
  const reason = random.pick([
    undefined,
    undefined,
    'holidays',
    'maintenance window',
    ' a  reason\n with spaces ',
    'x'.repeat(128),
  ]);
  const covered = random.weighted<() => Exclusion>([
    [4, () => randomSpan(random, spec, now)],
    [3, () => ({ dates: Array.from({ length: random.int(1, 6) }, () => randomDate(random, now)) })],
    [3, () => ({ schedule: random.pick(EXCLUDED_MINUTES) })],
    [0.2, () => ({ schedule: '* * * * *' })],
  ])();
  return reason === undefined ? covered : { reason, ...covered };
}

function randomSpan(random: Random, spec: CronJobSpec, now: Date): Exclusion {
  const start = randomTime(random, spec, now);
  const durationMs = Math.min(30 * DAY_MS, random.spread(0.5, 30) * estimatePeriodMs(spec, now));
  return { startTime: apiTime(start), endTime: apiTime(new Date(start.getTime() + Math.max(MINUTE_MS, durationMs))) };
}

/** Mostly soon. */
function randomDate(random: Random, now: Date): string {
  return apiTime(new Date(now.getTime() + random.int(-1, random.pick([2, 6, 40])) * DAY_MS)).slice(
    0,
    'yyyy-mm-dd'.length,
  );
}

function randomDaylightSaving(random: Random): SpecEdit {
  const skippedTimes = random.pick(['RunAfter', 'RunAfter', 'Skip', undefined] as const);
  const repeatedTimes = random.pick(['RunOnce', 'RunOnce', 'RunTwice', undefined] as const);
  return {
    daylightSaving: { ...(skippedTimes && { skippedTimes }), ...(repeatedTimes && { repeatedTimes }) },
  };
}

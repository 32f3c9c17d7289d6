/** Lists the upcoming runs of many CronJobs. */
import { formatKey } from 'controller-runtime/kubernetes';
import { isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { listStarts } from '../../../api/v1/start-changes.ts';

export interface Agenda {
  /** Sorted by time, then by namespace and name. */
  readonly slots: readonly AgendaSlot[];
  /** CronJobs with more than {@link getMaxListedSlots} starts within the period. `slots` does not include these starts. */
  readonly frequentCronJobs: readonly FrequentCronJob[];
  /** The minutes with the most starts, including the starts of frequent CronJobs. Minutes with a single start are omitted. */
  readonly busiestMinutes: readonly BusyMinute[];
  /** CronJobs without a run in the period because of a suspension or a pause. */
  readonly inactiveCronJobs: readonly CronJob[];
}

export interface FrequentCronJob {
  readonly cronJob: CronJob;
  /** The number of starts within the period. */
  readonly startCount: number;
  /** The time within the period at which a suspension ends. */
  readonly suspendedUntil?: Date;
}

export interface AgendaSlot {
  /** The start of the run, including the jitter. */
  readonly time: Date;
  readonly cronJob: CronJob;
}

export interface BusyMinute {
  readonly time: Date;
  readonly startCount: number;
  /** The CronJobs that start a run in the minute, without duplicates. */
  readonly cronJobs: readonly CronJob[];
}

export interface AgendaPeriod {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

const HOUR_MS = 3_600_000;
const MIN_LISTED_SLOTS = 4;
const MAX_LISTED_SLOTS = 24;

/** Returns the maximum number of slots per CronJob: one per hour of the period, at least 4 and at most 24. */
export function getMaxListedSlots({ from, until }: AgendaPeriod): number {
  return Math.min(
    MAX_LISTED_SLOTS,
    Math.max(MIN_LISTED_SLOTS, Math.ceil((until.getTime() - from.getTime()) / HOUR_MS)),
  );
}

const MAX_BUSIEST_MINUTES = 3;
const MINUTE_MS = 60_000;

export function buildAgenda(cronJobs: readonly CronJob[], period: AgendaPeriod): Agenda {
  const upcomingTimes = cronJobs.map((cronJob) => ({ cronJob, times: listTimes(cronJob, period) }));
  const isFrequent = ({ times }: { readonly times: readonly Date[] }) => times.length > getMaxListedSlots(period);
  const slots = upcomingTimes
    .filter((each) => !isFrequent(each))
    .flatMap(({ cronJob, times }) => times.map((time) => ({ time, cronJob })))
    .toSorted(
      (left, right) =>
        left.time.getTime() - right.time.getTime() || (formatKey(left.cronJob) < formatKey(right.cronJob) ? -1 : 1),
    );
  return {
    slots,
    frequentCronJobs: upcomingTimes.filter(isFrequent).map(({ cronJob, times }) => {
      const suspensionEnd = findSuspensionEnd(cronJob, period);
      return { cronJob, startCount: times.length, ...(suspensionEnd && { suspendedUntil: suspensionEnd }) };
    }),
    busiestMinutes: findBusiestMinutes(upcomingTimes),
    inactiveCronJobs: upcomingTimes
      .filter(({ times }) => times.length === 0)
      .map(({ cronJob }) => cronJob)
      .filter((each) => each.spec.suspend || each.status?.paused || findSuspensionEnd(each, period)),
  };
}

interface UpcomingTimes {
  readonly cronJob: CronJob;
  readonly times: readonly Date[];
}

/** Callers must limit the period, because the schedule `@every 1s` fires every second. */
function listTimes(cronJob: CronJob, { from, until }: AgendaPeriod): readonly Date[] {
  // {@link listStarts} excludes the start of the period and includes the end.
  const listedPeriod = { now: new Date(from.getTime() - 1), until: new Date(until.getTime() - 1) };
  const { starts } = listStarts(cronJob, { ...listedPeriod, limit: Number.POSITIVE_INFINITY });
  return starts.map(({ time }) => time).filter((time) => time < until);
}

/** Returns the end of a suspension that lasts beyond the start of the period. */
function findSuspensionEnd({ spec }: CronJob, { from }: AgendaPeriod): Date | undefined {
  const suspensionEnd = parseTime(spec.suspendUntil);
  return suspensionEnd !== undefined && isAfter(suspensionEnd, from) ? suspensionEnd : undefined;
}

function findBusiestMinutes(upcomingTimes: readonly UpcomingTimes[]): readonly BusyMinute[] {
  const counts = new Map<number, number>();
  for (const { times } of upcomingTimes) {
    for (const time of times) {
      const minute = toMinute(time);
      counts.set(minute, (counts.get(minute) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, startCount]) => startCount > 1)
    .toSorted(([leftMinute, left], [rightMinute, right]) => right - left || leftMinute - rightMinute)
    .slice(0, MAX_BUSIEST_MINUTES)
    .map(([minute, startCount]) => ({
      time: new Date(minute * MINUTE_MS),
      startCount,
      cronJobs: upcomingTimes
        .filter(({ times }) => times.some((time) => toMinute(time) === minute))
        .map(({ cronJob }) => cronJob),
    }));
}

function toMinute(time: Date): number {
  return Math.floor(time.getTime() / MINUTE_MS);
}

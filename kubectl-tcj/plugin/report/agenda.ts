/** Lists the upcoming runs of many CronJobs. */
import { formatKey } from 'controller-runtime/kubernetes';
import { isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJobSchedule } from './cron-job-schedule.ts';

export interface Agenda {
  /** Sorted by time, then by namespace and name. */
  readonly slots: readonly AgendaSlot[];
  /** CronJobs with more than {@link getMaxSlots} starts within the span. The slots do not include them. */
  readonly frequentCronJobs: readonly FrequentCronJob[];
  /** The minutes with the most starts, including the starts of frequent CronJobs. Minutes with a single start are omitted. */
  readonly busiestMinutes: readonly BusyMinute[];
  /** CronJobs without a run in the span because of a suspension or a pause. */
  readonly inactiveCronJobs: readonly CronJob[];
}

export interface FrequentCronJob {
  readonly cronJob: CronJob;
  /** The number of starts within the span. */
  readonly startCount: number;
  /** The time within the span at which a suspension ends. */
  readonly suspendedUntil?: Date;
}

export interface AgendaSlot {
  readonly time: Date;
  readonly cronJob: CronJob;
}

export interface BusyMinute {
  readonly time: Date;
  readonly startCount: number;
}

export interface AgendaSpan {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

const HOUR_MS = 3_600_000;
const MIN_SLOTS = 4;
const MAX_SLOTS = 24;

/** Returns the maximum number of slots per CronJob: one per hour of the span, at least 4 and at most 24. */
export function getMaxSlots({ from, until }: AgendaSpan): number {
  return Math.min(MAX_SLOTS, Math.max(MIN_SLOTS, Math.ceil((until.getTime() - from.getTime()) / HOUR_MS)));
}

const MAX_BUSIEST_MINUTES = 3;
const MINUTE_MS = 60_000;

export function buildAgenda(cronJobs: readonly CronJob[], span: AgendaSpan): Agenda {
  const upcomingTimes = cronJobs.map((cronJob) => ({ cronJob, times: listTimes(cronJob, span) }));
  const isFrequent = ({ times }: { readonly times: readonly Date[] }) => times.length > getMaxSlots(span);
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
      const suspensionEnd = findSuspensionEnd(cronJob, span);
      return { cronJob, startCount: times.length, ...(suspensionEnd && { suspendedUntil: suspensionEnd }) };
    }),
    busiestMinutes: findBusiestMinutes(upcomingTimes.flatMap(({ times }) => times)),
    inactiveCronJobs: upcomingTimes
      .filter(({ times }) => times.length === 0)
      .map(({ cronJob }) => cronJob)
      .filter((each) => each.spec.suspend || each.status?.paused || findSuspensionEnd(each, span)),
  };
}

/** Callers must limit the span, because the schedule `@every 1s` fires every second. */
function listTimes(cronJob: CronJob, { from, until }: AgendaSpan): readonly Date[] {
  const { suspend, suspendUntil } = cronJob.spec;
  const schedule = parseCronJobSchedule(cronJob);
  if (suspend || cronJob.status?.paused || schedule === undefined) return [];
  const resumeTime = parseTime(suspendUntil);
  // `between` excludes its start and includes its end.
  const times = schedule.between(new Date(from.getTime() - 1), new Date(until.getTime() - 1));
  // A run can start exactly at suspendUntil.
  return resumeTime === undefined ? times : times.filter((time) => !isAfter(resumeTime, time));
}

/** Returns the end of a suspension that lasts beyond the start of the span. */
function findSuspensionEnd({ spec }: CronJob, { from }: AgendaSpan): Date | undefined {
  const suspensionEnd = parseTime(spec.suspendUntil);
  return suspensionEnd !== undefined && isAfter(suspensionEnd, from) ? suspensionEnd : undefined;
}

function findBusiestMinutes(times: readonly Date[]): readonly BusyMinute[] {
  const counts = new Map<number, number>();
  for (const time of times) {
    const minute = Math.floor(time.getTime() / MINUTE_MS);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, startCount]) => startCount > 1)
    .toSorted(([leftMinute, left], [rightMinute, right]) => right - left || leftMinute - rightMinute)
    .slice(0, MAX_BUSIEST_MINUTES)
    .map(([minute, startCount]) => ({ time: new Date(minute * MINUTE_MS), startCount }));
}

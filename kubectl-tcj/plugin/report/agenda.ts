/** Lists the coming runs of many CronJobs. */
import { formatKey } from 'controller-runtime/kubernetes';
import { isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJobSchedule } from './cron-job-schedule.ts';

export interface Agenda {
  /** Earliest first; slots with the same time by namespace and name. */
  readonly slots: readonly AgendaSlot[];
  /** CronJobs that fire more often than {@link getMaxSlots} times within the span: listed once, and not among the slots. */
  readonly frequent: readonly FrequentCronJob[];
  /** Minutes with the most starts, including frequent CronJobs, busiest first; only minutes with two or more starts. */
  readonly busiest: readonly BusyMinute[];
  /** CronJobs that are suspended or paused, for the span or until a user resumes them. */
  readonly silent: readonly CronJob[];
}

export interface FrequentCronJob {
  readonly cronJob: CronJob;
  /** Number of starts within the span. */
  readonly starts: number;
  /** End of a suspension that covers a part of the span. */
  readonly suspendedUntil?: Date;
}

export interface AgendaSlot {
  readonly at: Date;
  readonly cronJob: CronJob;
}

export interface BusyMinute {
  readonly at: Date;
  readonly starts: number;
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

/** Maximum number of listed times per CronJob: one an hour. */
export function getMaxSlots({ from, until }: AgendaSpan): number {
  return Math.min(MAX_SLOTS, Math.max(MIN_SLOTS, Math.ceil((until.getTime() - from.getTime()) / HOUR_MS)));
}

const MAX_BUSIEST = 3;
const MINUTE_MS = 60_000;

export function buildAgenda(cronJobs: readonly CronJob[], span: AgendaSpan): Agenda {
  const coming = cronJobs.map((cronJob) => ({ cronJob, times: listTimes(cronJob, span) }));
  const isFrequent = ({ times }: { readonly times: readonly Date[] }) => times.length > getMaxSlots(span);
  const slots = coming
    .filter((each) => !isFrequent(each))
    .flatMap(({ cronJob, times }) => times.map((at) => ({ at, cronJob })))
    .toSorted(
      (left, right) =>
        left.at.getTime() - right.at.getTime() || (formatKey(left.cronJob) < formatKey(right.cronJob) ? -1 : 1),
    );
  return {
    slots,
    frequent: coming.filter(isFrequent).map(({ cronJob, times }) => {
      const until = findSuspensionEnd(cronJob, span);
      return { cronJob, starts: times.length, ...(until && { suspendedUntil: until }) };
    }),
    busiest: findBusiestMinutes(coming.flatMap(({ times }) => times)),
    silent: coming
      .filter(({ times }) => times.length === 0)
      .map(({ cronJob }) => cronJob)
      .filter((each) => each.spec.suspend || each.status?.paused || findSuspensionEnd(each, span)),
  };
}

/** The number of times is at most the seconds of the span: the caller limits the span to about a day. */
function listTimes(cronJob: CronJob, { from, until }: AgendaSpan): readonly Date[] {
  const { suspend, suspendUntil } = cronJob.spec;
  const schedule = parseCronJobSchedule(cronJob);
  if (suspend || cronJob.status?.paused || schedule === undefined) return [];
  const resumes = parseTime(suspendUntil);
  // Both ends of `between` are inclusive.
  const times = schedule.between(new Date(from.getTime() - 1), new Date(until.getTime() - 1));
  // The time of suspendUntil itself runs.
  return resumes === undefined ? times : times.filter((time) => !isAfter(resumes, time));
}

/** The end of a suspension that covers a part of the span or more. */
function findSuspensionEnd({ spec }: CronJob, { from }: AgendaSpan): Date | undefined {
  const until = parseTime(spec.suspendUntil);
  return until !== undefined && isAfter(until, from) ? until : undefined;
}

function findBusiestMinutes(times: readonly Date[]): readonly BusyMinute[] {
  const counts = new Map<number, number>();
  for (const time of times) {
    const minute = Math.floor(time.getTime() / MINUTE_MS);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, starts]) => starts > 1)
    .toSorted(([leftMinute, left], [rightMinute, right]) => right - left || leftMinute - rightMinute)
    .slice(0, MAX_BUSIEST)
    .map(([minute, starts]) => ({ at: new Date(minute * MINUTE_MS), starts }));
}

/** `expectSuccessWithinSeconds`: since when a success is expected, and when it is overdue. */

import { getCondition } from 'controller-runtime/kubernetes';
import { latest, parseTime, wholeSeconds } from '../../api/time.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Facts } from './facts.ts';
import { passedSuspendUntil } from './slots.ts';

/** 300 years. A longer expectation counts as none, because a Date could not hold its end. */
const MAX_SECONDS = 300 * 366 * 86_400;

/** A start of the wait that is further ahead is of another clock, one of the two being wrong, or set by hand. It would silence the alarm until then. */
const TOLERATED_SKEW_MS = 60_000;

/** `status.successExpectedSince` after a pass; `undefined` when no success is expected, or the last one says it all. */
export function successExpectedSince(facts: Facts, lastSuccess: Date | undefined): Date | undefined {
  const since = expectedSince(facts, lastSuccess);
  const { spec } = facts.cronJob;
  const isWanted = spec.expectSuccessWithinSeconds !== undefined && !facts.isSuspended;
  const until = isWanted ? passedSuspendUntil(spec, facts.now) : undefined;
  // No success was expected up to then, also when no status could be stored to say so.
  return until !== undefined && latest(since, lastSuccess, until) === until ? until : since;
}

function expectedSince({ cronJob, status, now, isSuspended }: Facts, lastSuccess: Date | undefined): Date | undefined {
  if (cronJob.spec.expectSuccessWithinSeconds === undefined) return undefined;
  const isLifted = !isSuspended && getCondition(status.conditions, 'Overdue')?.reason === 'Suspended';
  if (isLifted) return endOfSuspendUntil({ cronJob, status }) ?? wholeSeconds(now);
  const since = parseTime(status.successExpectedSince);
  const isFirst = status.observedGeneration === undefined;
  const created = isFirst ? parseTime(cronJob.metadata.creationTimestamp) : undefined;
  const latestMs = now.getTime() + TOLERATED_SKEW_MS;
  const known = [since, created].find((time) => time !== undefined && time.getTime() <= latestMs);
  return known ?? (isFirst || since !== undefined || lastSuccess === undefined ? wholeSeconds(now) : undefined);
}

/** `suspendUntil`, if it was what suspended the CronJob, and is over by itself. */
function endOfSuspendUntil({ cronJob: { spec }, status }: Pick<Facts, 'cronJob' | 'status'>): Date | undefined {
  return status.suspendedUntil === spec.suspendUntil ? parseTime(spec.suspendUntil) : undefined;
}

/** When a success is overdue, with `status` as the pass will store it; `undefined` when none is expected. A time ahead of now counts as now. */
export function overdueAt({ cronJob: { spec }, now, isSuspended }: Facts, status: CronJobStatus): Date | undefined {
  const { expectSuccessWithinSeconds: seconds } = spec;
  if (seconds === undefined || seconds > MAX_SECONDS || isSuspended) return undefined;
  const since = latest(parseTime(status.lastSuccessfulTime), parseTime(status.successExpectedSince));
  const sinceMs = Math.min(since?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
  return new Date(sinceMs + seconds * 1000);
}

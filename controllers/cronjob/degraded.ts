/** What is wrong with a CronJob, if anything: the first that holds, in the order of `CONDITION_REASONS`. */
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import { failureMessage, type Started } from './applied.ts';
import type { Finding } from './condition-reasons.ts';
import { deadlineMs } from './due-slots.ts';
import { parseTime, storedCondition } from './observed.ts';
import type { Plan } from './plan.ts';

/** What the conditions are made from. */
export interface Standing {
  readonly cronJob: CronJob;
  readonly plan: Plan;
  readonly started: Started;
  /** The status that the pass will store, but for its conditions. */
  readonly status: CronJobStatus;
}

type Degraded = Finding<'Degraded'>;

const AS_EXPECTED: Degraded = { isTrue: false, reason: 'AsExpected', message: 'nothing is wrong' };

export function degraded(standing: Standing, now: Date): Degraded {
  return (
    invalidSchedule(standing) ??
    neverFires(standing, now) ??
    clockSkew(standing, now) ??
    failedCreate(standing) ??
    tooManyMissed(standing) ??
    lastRunFailed(standing) ??
    AS_EXPECTED
  );
}

function wrong(reason: Degraded['reason'], message: string): Degraded {
  return { isTrue: true, reason, message };
}

function invalidSchedule({ plan: { parsed } }: Standing): Degraded | undefined {
  return parsed.kind === 'invalid' ? wrong(parsed.reason, parsed.message) : undefined;
}

function neverFires({ cronJob: { spec }, plan: { parsed, next } }: Standing, now: Date): Degraded | undefined {
  if (deadlineMs(spec) === 0) {
    return wrong(
      'NeverFires',
      'spec.startingDeadlineSeconds: 0: every run is too late to start; raise it or leave it out',
    );
  }
  if (next !== undefined || parsed.kind === 'invalid' || parsed.schedule.next(now) !== undefined) return undefined;
  return wrong('NeverFires', `spec.schedule: ${JSON.stringify(spec.schedule)}: matches no time within five years`);
}

/** Clocks of a cluster differ a little; only more than this is worth a word. */
const TOLERATED_SKEW_MS = 60_000;

function clockSkew({ cronJob: { metadata }, status }: Standing, now: Date): Degraded | undefined {
  const { lastScheduleTime, lastSuccessfulTime, lastFailureTime, handledThrough, effectiveSchedule } = status;
  const times = {
    lastScheduleTime,
    handledThrough,
    'effectiveSchedule.since': effectiveSchedule?.since,
    lastSuccessfulTime,
    lastFailureTime,
  };
  const ahead = Object.entries(times).find(([, time]) => {
    const instant = parseTime(time);
    return instant !== undefined && instant.getTime() > now.getTime() + TOLERATED_SKEW_MS;
  });
  if (ahead === undefined) return undefined;
  const [field, time] = ahead;
  const fix = `kubectl edit ${PLURAL}.${GROUP} ${metadata.name} --namespace ${metadata.namespace} --subresource=status`;
  return wrong(
    'ClockSkew',
    `status.${field}: ${time} is ahead of the clock; nothing is started before a scheduled time that the status ` +
      `has as settled. If the clock is right, fix it: ${fix}`,
  );
}

function failedCreate(standing: Standing): Degraded | undefined {
  const message = failureMessage(standing.started) ?? untilRunStarts('FailedCreate', standing);
  return message === undefined ? undefined : wrong('FailedCreate', message);
}

function tooManyMissed(standing: Standing): Degraded | undefined {
  const { outcome, isResuming } = standing.plan;
  const isNew = outcome.kind === 'TooManyMissed' && !isResuming;
  const message = isNew ? TOO_MANY_MISSED : untilRunStarts('TooManyMissedTimes', standing);
  return message === undefined ? undefined : wrong('TooManyMissedTimes', message);
}

const TOO_MANY_MISSED =
  'more than 100 times were missed, and none of them is run late; set or decrease ' +
  'spec.startingDeadlineSeconds, or check the clock';

/** The message of an earlier pass, while what it says still holds. */
function untilRunStarts(reason: Degraded['reason'], { cronJob, status }: Standing): string | undefined {
  const stored = storedCondition(cronJob.status, 'Degraded');
  // By this pass, or by one that could not say so.
  const hasStarted =
    status.lastScheduleTime !== cronJob.status?.lastScheduleTime ||
    status.lastManualRun !== cronJob.status?.lastManualRun;
  return stored?.reason === reason && !hasStarted ? stored.message : undefined;
}

function lastRunFailed({ status }: Standing): Degraded | undefined {
  const { lastRun } = status;
  // Nobody dated its end, so that no time below tells of it.
  if (lastRun?.result === 'Failed' && lastRun.completionTime === undefined) {
    return wrong('LastRunFailed', `run ${lastRun.jobName} failed`);
  }
  const failed = parseTime(status.lastFailureTime);
  const succeeded = parseTime(status.lastSuccessfulTime);
  if (failed === undefined || (succeeded !== undefined && succeeded >= failed)) return undefined;
  return wrong('LastRunFailed', `a run failed at ${status.lastFailureTime} and none has succeeded since`);
}

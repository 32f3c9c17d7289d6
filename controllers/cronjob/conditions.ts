/** The conditions: how the CronJob stands, for people and for machines. */
import type { Condition, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CONDITION_REASONS, type ConditionType, type Finding } from './condition-reasons.ts';
import { degraded, type Standing } from './degraded.ts';
import { formatTime, parseTime, storedCondition } from './observed.ts';

/** The conditions after the pass. Those of other types, which somebody else has set, stay as they are. */
export function conditionsAfter(standing: Standing, now: Date): readonly Condition[] {
  const { cronJob, status } = standing;
  const conditionOf = <Type extends ConditionType>(type: Type, finding: Finding<Type>): Condition => {
    const stored = storedCondition(cronJob.status, type);
    const truth = finding.isTrue ? 'True' : 'False';
    const since = stored?.status === truth ? parseTime(stored.lastTransitionTime) : undefined;
    return {
      type,
      status: truth,
      reason: String(finding.reason),
      message: finding.message,
      lastTransitionTime: formatTime(since ?? now),
      ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    };
  };
  return [
    conditionOf('Available', available(standing)),
    conditionOf('Progressing', progressing(standing)),
    conditionOf('Degraded', degraded(standing, now)),
    ...(cronJob.status?.conditions ?? []).filter(({ type }) => !(type in CONDITION_REASONS)),
  ];
}

function available({ cronJob, plan: { parsed }, status }: Standing): Finding<'Available'> {
  if (parsed.kind === 'invalid') return { isTrue: false, reason: parsed.reason, message: parsed.message };
  if (cronJob.spec.suspend) return { isTrue: false, reason: 'Suspended', message: 'spec.suspend is true' };
  const isActive = hasActive(status);
  const message = isActive ? activeJobs(status) : 'no run is active';
  return { isTrue: true, reason: isActive ? 'JobsActive' : 'AllJobsCompleted', message };
}

/** Names the Jobs that wait, so that the next pass knows that people have been told. */
function progressing({ plan: { waiting }, status }: Standing): Finding<'Progressing'> {
  if (!hasActive(status)) return { isTrue: false, reason: 'NoJobsActive', message: 'no run is active' };
  const waits =
    waiting.length === 0 ? '' : `; ${waiting.join(', then ')} will start after that (concurrencyPolicy Forbid)`;
  return { isTrue: true, reason: 'JobsActive', message: `${activeJobs(status)}${waits}` };
}

function hasActive({ activeCount = 0 }: CronJobStatus): boolean {
  return activeCount > 0;
}

function activeJobs({ activeCount }: CronJobStatus): string {
  return activeCount === 1 ? '1 Job is active' : `${activeCount} Jobs are active`;
}

/** What people are told, and only when something changes. Reasons are those of Kubernetes' own controller. */
import { MAX_MISSED_SLOTS } from '../../api/v1/cronjob-defaults.ts';
import type { ObjectReference } from '../../api/v1/cronjob-types.ts';
import type { Applied, Started } from './applied.ts';
import { type Observed, parseTime } from './observed.ts';
import type { Outcome, Plan } from './plan.ts';

export interface CronJobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What the pass has done. It is so, whatever becomes of the status. */
export function eventsOfActions({ started, pruned }: Applied): readonly CronJobEvent[] {
  return [...pruned.map((name) => normal('SuccessfulDelete', `Deleted job ${name}`)), ...ofStart(started)];
}

/** What the pass has seen for the first time. Told once the status that remembers it is stored, so that it is told once. */
export function eventsOfTransitions(observed: Observed, plan: Plan): readonly CronJobEvent[] {
  return [...endedRuns(observed, plan), ...ofOutcome(observed, plan.outcome)];
}

/** Runs that the stored status has as active and that are not any more. */
function endedRuns({ cronJob }: Observed, { runs }: Plan): readonly CronJobEvent[] {
  const events: CronJobEvent[] = [];
  for (const reference of cronJob.status?.active ?? []) {
    const run = runs.find(({ job }) => job.metadata.uid === reference.uid);
    if (run === undefined) events.push(missingJob(reference));
    else if (run.state !== 'Active') {
      const condition = run.state === 'Succeeded' ? 'Complete' : 'Failed';
      events.push(normal('SawCompletedJob', `Saw completed job: ${run.job.metadata.name}, condition: ${condition}`));
    }
  }
  return events;
}

function missingJob({ name }: ObjectReference): CronJobEvent {
  return normal('MissingJob', `Active job went missing: ${name}`);
}

function ofOutcome(observed: Observed, outcome: Outcome): readonly CronJobEvent[] {
  switch (outcome.kind) {
    case 'Deleting':
    case 'Suspended':
    case 'NothingDue':
    case 'Run':
      return [];
    case 'InvalidSchedule':
      return isNewGeneration(observed) ? [warning(outcome.reason, outcome.message)] : [];
    case 'TooManyMissed':
      return [
        warning(
          'TooManyMissedTimes',
          `Cannot determine if job needs to be started. Too many missed start time (> ${MAX_MISSED_SLOTS}). ` +
            'Set or decrease .spec.startingDeadlineSeconds or check clock skew.',
        ),
      ];
    case 'Blocked':
      return isFirstPassOf(outcome.slot, observed)
        ? [
            normal(
              'JobAlreadyActive',
              'Not starting job because prior execution is running and concurrency policy is Forbid',
            ),
          ]
        : [];
  }
}

function ofStart(started: Started): readonly CronJobEvent[] {
  switch (started.kind) {
    case 'None':
    case 'Adopted':
      return [];
    case 'Created':
      return [normal('SuccessfulCreate', `Created job ${started.job.metadata.name}`)];
    case 'Foreign':
      return [
        warning(
          'FailedCreate',
          `Error creating job: ${started.jobName} exists and belongs to something else; rename it or delete it`,
        ),
      ];
    case 'Failed':
      return ofFailure(started.failure);
  }
}

function ofFailure({
  kind,
  jobName,
  message,
}: Extract<Started, { kind: 'Failed' }>['failure']): readonly CronJobEvent[] {
  switch (kind) {
    case 'Refused':
      return [warning('FailedCreate', `Error creating job: ${message}`)];
    case 'DeleteFailed':
      return [warning('FailedDelete', `Error deleting job ${jobName}: ${message}`)];
    case 'Transient':
    case 'NamespaceTerminating':
      return [];
  }
}

/** The stored status was computed from another spec, or there is none yet. */
function isNewGeneration({ cronJob: { metadata, status } }: Observed): boolean {
  return status?.observedGeneration !== metadata.generation;
}

/** A pass that met `slot` before has moved the stored nextScheduleTime past it. */
function isFirstPassOf(slot: Date, { cronJob: { status } }: Observed): boolean {
  const next = parseTime(status?.nextScheduleTime);
  return next === undefined || next <= slot;
}

function normal(reason: string, message: string): CronJobEvent {
  return { type: 'Normal', reason, message };
}

function warning(reason: string, message: string): CronJobEvent {
  return { type: 'Warning', reason, message };
}

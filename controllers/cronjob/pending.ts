/** The newest status of a CronJob, until the API server stores it: docs/adr/0038-pending-status.md. */
import { isSameJson } from 'controller-runtime/schema';
import { findLatest, formatTime, parseTime } from '../../api/time.ts';
import type { Condition, CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CONDITION_REASONS } from '../../api/v1/reasons.ts';
import { formatRecentRun } from '../../api/v1/recent-lines.ts';
import type { Notifications } from './events.ts';
import { mergeRuns, parseRecentRuns } from './history.ts';

export interface PendingStatus {
  /** UID of the CronJob. A CronJob that was deleted and created again has no pending status. */
  readonly uid: string;
  readonly status: CronJobStatus;
  /** The status that the API server had stored when `status` was computed. For Altered, the status that the API server stored instead. */
  readonly stored: CronJobStatus;
  /** Altered: the API server stored the status without some fields, because the cluster has a different CRD for this kind. */
  readonly kind: 'Postponed' | 'Failed' | 'Altered';
  /** The newest statuses whose writes failed. The API server may have stored any of these statuses. */
  readonly sent?: readonly CronJobStatus[];
  readonly notifications: Notifications;
  /**
   * Set after a failed write of a status that must record runs before Replace deletes them. The next reconcile deletes
   * the runs anyway.
   */
  readonly hasTriedToRecord?: true;
}

interface UnstoredOutcome {
  readonly status: CronJobStatus;
  readonly notifications: Notifications;
  readonly mustRecord: boolean;
}

const MAX_SENT_STATUSES = 3;

/**
 * @param cronJob The CronJob with its stored status.
 * @param earlierPending The pending status before the reconcile.
 */
export function createPendingStatus(
  cronJob: CronJob,
  { status, notifications, mustRecord }: UnstoredOutcome,
  kind: 'Postponed' | 'Failed',
  earlierPending: PendingStatus | undefined,
): PendingStatus {
  const { metadata, status: stored = {} } = cronJob;
  const sent = kind === 'Failed' ? addSentStatus(earlierPending?.sent, status) : earlierPending?.sent;
  const hasTried = kind === 'Failed' && mustRecord;
  return {
    uid: metadata.uid,
    status,
    stored,
    kind,
    ...(sent && { sent }),
    notifications: withPendingNotifications(earlierPending, notifications),
    ...(hasTried && { hasTriedToRecord: true }),
  };
}

function addSentStatus(sentStatuses: readonly CronJobStatus[] = [], status: CronJobStatus): readonly CronJobStatus[] {
  return [...sentStatuses.filter((each) => !isSameJson(each, status)), status].slice(-MAX_SENT_STATUSES);
}

/** Limits the memory of pending notifications. Only the newest notifications are sent. */
const MAX_PENDING_EVENTS = 20;
const MAX_PENDING_COUNTS = 100;

export function withPendingNotifications(
  pending: PendingStatus | undefined,
  newNotifications: Notifications,
): Notifications {
  if (pending === undefined) return newNotifications;
  const { events, skips, finished } = pending.notifications;
  return {
    events: [...events, ...newNotifications.events].slice(-MAX_PENDING_EVENTS),
    skips: [...skips, ...newNotifications.skips].slice(-MAX_PENDING_COUNTS),
    finished: [...finished, ...newNotifications.finished].slice(-MAX_PENDING_COUNTS),
  };
}

/** The result of a write. `status` is the status that the API server stores. */
export type StatusWriteResult =
  /** `isNew` is false if the status is unchanged. */
  | {
      readonly kind: 'Stored';
      readonly status: CronJobStatus;
      readonly isNew: boolean;
      readonly notifications: Notifications;
    }
  | { readonly kind: 'Failed'; readonly status: CronJobStatus }
  /** The next reconcile writes the status, because runs of other CronJobs are due. */
  | { readonly kind: 'Postponed' }
  /** The CronJob no longer exists, or the API server does not serve the kind. */
  | { readonly kind: 'Gone' };

/**
 * Replaces the stored status with the pending status. If another client has changed the stored status, the result
 * merges both statuses.
 */
export function withPendingStatus(cronJob: CronJob, pending: PendingStatus | undefined): CronJob {
  if (pending === undefined) return cronJob;
  const { status: stored = {} } = cronJob;
  const isOwnWrite = [pending.stored, ...(pending.sent ?? [])].some((each) => isSameJson(each, stored));
  return { ...cronJob, status: isOwnWrite ? pending.status : mergeStatus(stored, pending) };
}

/**
 * If the controller and another client have changed a field, the result has the stored value, with three exceptions. No
 * time moves back, the lists of recent runs are merged, and the conditions of this controller come from the pending
 * status.
 */
function mergeStatus(stored: CronJobStatus, { status, stored: base, kind }: PendingStatus): CronJobStatus {
  const result: Record<string, unknown> = { ...stored };
  const names = new Set([...Object.keys(base), ...Object.keys(status)]) as ReadonlySet<keyof CronJobStatus>;
  for (const name of names) {
    if (isSameJson(status[name], base[name])) continue;
    const isStoredChanged = !isSameJson(stored[name], base[name]);
    if (!isStoredChanged) result[name] = status[name];
    else if (kind !== 'Altered') result[name] = mergeField(name, { stored, status, base });
    if (result[name] === undefined) delete result[name];
  }
  return result as CronJobStatus; // each field comes from one of the statuses
}

interface StatusMergeInput {
  readonly stored: CronJobStatus;
  readonly status: CronJobStatus;
  readonly base: CronJobStatus;
}

function mergeField(name: keyof CronJobStatus, { stored, status, base }: StatusMergeInput): unknown {
  switch (name) {
    case 'lastScheduleTime':
    case 'lastSuccessfulTime':
    case 'lastFailureTime':
    case 'handledThrough': {
      const time = findLatest(parseTime(stored[name]), parseTime(status[name]));
      return time && formatTime(time);
    }
    case 'recentRuns': {
      const changedLines = status.recentRuns?.filter((line) => !base.recentRuns?.includes(line));
      const runs = mergeRuns(parseRecentRuns(stored), parseRecentRuns({ recentRuns: changedLines }));
      return runs.length === 0 ? undefined : runs.map(formatRecentRun);
    }
    case 'conditions': {
      const isOwnCondition = ({ type }: Condition) => Object.hasOwn(CONDITION_REASONS, type);
      const { conditions: storedConditions = [] } = stored;
      return [
        ...(status.conditions ?? []).filter(isOwnCondition),
        ...storedConditions.filter((condition) => !isOwnCondition(condition)),
      ];
    }
    default:
      return stored[name];
  }
}

/**
 * The pending status: the newest status of a CronJob that the API server does not have yet. A restart loses it, but loses no run:
 * docs/adr/0038-pending-status.md.
 */
import { isSameJson } from 'controller-runtime/schema';
import { formatTime, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { formatRecentRun } from '../../api/v1/recent-lines.ts';
import type { Notifications } from './events.ts';
import { mergeRuns, parseRecentRuns } from './history.ts';

export interface PendingStatus {
  /** UID of the CronJob: a CronJob that was deleted and created again under the same name starts without a pending status. */
  readonly uid: string;
  readonly status: CronJobStatus;
  /** The status that the API server had when `status` was computed. For Altered, the status that it stored instead. */
  readonly stored: CronJobStatus;
  /** Altered: the CRD in the cluster differs, and drops or changes fields. */
  readonly kind: 'Postponed' | 'Failed' | 'Altered';
  /**
   * The newest statuses with failed writes: the API server may still store a status for which it sent no response. Absent when
   * empty.
   */
  readonly sent?: readonly CronJobStatus[];
  /** Sent after a status is stored. */
  readonly notifications: Notifications;
  /** The status had to record runs before their replacement and could not be stored: the runs are replaced without it. */
  readonly hasTriedToRecord?: true;
}

/** What a pass could not store, or postponed. */
interface UnstoredResult {
  readonly status: CronJobStatus;
  readonly notifications: Notifications;
  readonly followUp?: string;
}

/** Few, because writes after a late write fail with a conflict. */
const MAX_SENT = 3;

/**
 * @param cronJob With the status that the API server has.
 * @param kind Postponed: not sent.
 * @param before What was pending before the pass.
 */
export function pendingAfter(
  cronJob: CronJob,
  { status, notifications, followUp }: UnstoredResult,
  kind: 'Postponed' | 'Failed',
  before: PendingStatus | undefined,
): PendingStatus {
  const { metadata, status: stored = {} } = cronJob;
  const sent = kind === 'Failed' ? withSent(before?.sent, status) : before?.sent;
  const hasTried = kind === 'Failed' && followUp === 'Record';
  return {
    uid: metadata.uid,
    status,
    stored,
    kind,
    ...(sent && { sent }),
    notifications: withPendingNotifications(before, notifications),
    ...(hasTried && { hasTriedToRecord: true }),
  };
}

function withSent(before: readonly CronJobStatus[] = [], status: CronJobStatus): readonly CronJobStatus[] {
  return [...before.filter((each) => !isSameJson(each, status)), status].slice(-MAX_SENT);
}

/**
 * More events wait only while no status can be stored for long: then the newest are enough. Event messages are long, and every
 * CronJob may wait.
 */
const MAX_EVENTS = 20;
/** Maximum pending counts of slots and of results, which are short. */
const MAX_COUNTS = 100;

/** The pending notifications and the notifications of this pass. */
export function withPendingNotifications(pending: PendingStatus | undefined, newer: Notifications): Notifications {
  if (pending === undefined) return newer;
  const { events, skips, finished } = pending.notifications;
  return {
    events: [...events, ...newer.events].slice(-MAX_EVENTS),
    skips: [...skips, ...newer.skips].slice(-MAX_COUNTS),
    finished: [...finished, ...newer.finished].slice(-MAX_COUNTS),
  };
}

/** The result of writing the status. */
export type StatusWrite =
  /** The status was written or is unchanged. `status` is what the API server stores; `isNew` when this pass wrote it. */
  | {
      readonly kind: 'Stored';
      readonly status: CronJobStatus;
      readonly isNew: boolean;
      readonly notifications: Notifications;
    }
  /** The status was not written: `status` is what the API server stores. */
  | { readonly kind: 'Failed'; readonly status: CronJobStatus }
  /** The next pass writes the status, because other CronJobs come first. */
  | { readonly kind: 'Postponed' }
  /** The CronJob no longer exists, or the API server does not serve the kind. */
  | { readonly kind: 'Gone' };

/** The CronJob with its newest status: the pending status, merged with what another client stored meanwhile. */
export function withPending(cronJob: CronJob, pending: PendingStatus | undefined): CronJob {
  if (pending === undefined) return cronJob;
  const { status: stored = {} } = cronJob;
  const isOurs = [pending.stored, ...(pending.sent ?? [])].some((each) => isSameJson(each, stored));
  return { ...cronJob, status: isOurs ? pending.status : mergeStatus(stored, pending) };
}

/** Where both have changed a field, the stored value counts; but no time moves back, and no run is forgotten. */
function mergeStatus(stored: CronJobStatus, { status, stored: base, kind }: PendingStatus): CronJobStatus {
  const result: Record<string, unknown> = { ...stored };
  const names = new Set([...Object.keys(base), ...Object.keys(status)]) as ReadonlySet<keyof CronJobStatus>;
  for (const name of names) {
    if (isSameJson(status[name], base[name])) continue;
    const isOurs = isSameJson(stored[name], base[name]);
    const value = isOurs ? status[name] : kind === 'Altered' ? stored[name] : mergeField(name);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result as CronJobStatus; // each field is from a status

  function versionsFor<Name extends keyof CronJobStatus>(name: Name) {
    return { stored: stored[name], pending: status[name], base: base[name] };
  }

  function mergeField(name: keyof CronJobStatus): unknown {
    switch (name) {
      case 'lastScheduleTime':
      case 'lastSuccessfulTime':
      case 'lastFailureTime':
      case 'handledThrough': {
        const time = latest(parseTime(stored[name]), parseTime(status[name]));
        return time && formatTime(time);
      }
      case 'recentRuns': {
        const { recentRuns: before = [] } = base;
        const changed = (status.recentRuns ?? []).filter((line) => !before.includes(line));
        const runs = mergeRuns(parseRecentRuns(stored), parseRecentRuns({ recentRuns: changed }));
        return runs.length === 0 ? undefined : runs.map(formatRecentRun);
      }
      case 'active':
        return mergeItems(versionsFor('active'), ({ uid, name: jobName }) => uid ?? jobName);
      case 'conditions':
        return mergeItems(versionsFor('conditions'), ({ type }) => type);
      default:
        return stored[name];
    }
  }
}

/** The items of a list, in the stored status, in the pending status, and in their common base. */
interface Versions<T> {
  readonly stored: readonly T[] | undefined;
  readonly pending: readonly T[] | undefined;
  readonly base: readonly T[] | undefined;
}

/**
 * Takes each item from the version that changed it; if both changed it, from the stored one. `undefined` when no items are left.
 */
function mergeItems<T>(versions: Versions<T>, getKey: (item: T) => string | undefined): readonly T[] | undefined {
  const byKey = (items: readonly T[] = []) => new Map(items.map((item) => [getKey(item), item]));
  const [stored, pending, base] = [byKey(versions.stored), byKey(versions.pending), byKey(versions.base)];
  const items = [...new Map([...stored, ...pending]).keys()]
    .map((key) => (isSameJson(stored.get(key), base.get(key)) ? pending : stored).get(key))
    .filter((item) => item !== undefined);
  return items.length === 0 ? undefined : items;
}

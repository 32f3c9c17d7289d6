/**
 * The pending status: the newest status of a CronJob, as long as the API server does not have it. A restart loses it, and no run:
 * docs/adr/0038-pending-status.md.
 */
import { isSameJson } from 'controller-runtime/schema';
import { formatTime, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { formatRecentRun } from '../../api/v1/recent-lines.ts';
import type { Notifications } from './events.ts';
import { mergedRuns, recentRunsIn } from './history.ts';

export interface PendingStatus {
  /** UID of the CronJob: one that was deleted and created again under its name starts without. */
  readonly uid: string;
  readonly status: CronJobStatus;
  /** The status that the API server had when `status` was computed; of an altered one, what it stored instead. */
  readonly stored: CronJobStatus;
  /** Altered: the CRD in the cluster is another one, and drops or changes fields. */
  readonly kind: 'Postponed' | 'Failed' | 'Altered';
  /** The newest statuses whose writes failed: one without an answer may be stored later. Absent when there are none. */
  readonly sent?: readonly CronJobStatus[];
  /** For once a status is stored. */
  readonly notifications: Notifications;
  /** It was to record runs before they are replaced, and could not be stored: they are replaced without it. */
  readonly hasTriedToRecord?: true;
}

/** What a pass leaves that could not be stored, or waits. */
interface Unstored {
  readonly status: CronJobStatus;
  readonly notifications: Notifications;
  readonly followUp?: string;
}

/** Few, because writes after one that was stored late fail with a conflict. */
const MAX_SENT = 3;

/**
 * @param cronJob With the status that the API server has.
 * @param kind Postponed: not sent.
 * @param before What was pending before the pass.
 */
export function pendingAfter(
  cronJob: CronJob,
  { status, notifications, followUp }: Unstored,
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

/** More wait only while no status can be stored for long: then the newest are enough. Their messages are long, and every CronJob may wait. */
const MAX_EVENTS = 20;
/** Of slots and of results, which are short. */
const MAX_COUNTS = 100;

/** The pending notifications, and the ones of this pass. */
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
  /** Written, or unchanged. `status` is what the API server stores; `isNew` when this pass wrote it. */
  | {
      readonly kind: 'Stored';
      readonly status: CronJobStatus;
      readonly isNew: boolean;
      readonly notifications: Notifications;
    }
  /** Not written: `status` is what the API server stores. */
  | { readonly kind: 'Failed'; readonly status: CronJobStatus }
  /** Left to the next pass, because other CronJobs come first. */
  | { readonly kind: 'Postponed' }
  /** The CronJob no longer exists, or the API server does not serve the kind. */
  | { readonly kind: 'Gone' };

/** The CronJob with its newest status: the pending one, merged with what another client stored meanwhile. */
export function withPending(cronJob: CronJob, pending: PendingStatus | undefined): CronJob {
  if (pending === undefined) return cronJob;
  const { status: stored = {} } = cronJob;
  const isOurs = [pending.stored, ...(pending.sent ?? [])].some((each) => isSameJson(each, stored));
  return { ...cronJob, status: isOurs ? pending.status : merged(stored, pending) };
}

/** Where both have changed a field, the stored value counts; but no time moves back, and no run is forgotten. */
function merged(stored: CronJobStatus, { status, stored: base, kind }: PendingStatus): CronJobStatus {
  const result: Record<string, unknown> = { ...stored };
  const names = new Set([...Object.keys(base), ...Object.keys(status)]) as ReadonlySet<keyof CronJobStatus>;
  for (const name of names) {
    if (isSameJson(status[name], base[name])) continue;
    const isOurs = isSameJson(stored[name], base[name]);
    const value = isOurs ? status[name] : kind === 'Altered' ? stored[name] : both(name);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result as CronJobStatus; // each field is from a status

  function versionsOf<Name extends keyof CronJobStatus>(name: Name) {
    return { stored: stored[name], pending: status[name], base: base[name] };
  }

  function both(name: keyof CronJobStatus): unknown {
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
        const runs = mergedRuns(recentRunsIn(stored), recentRunsIn({ recentRuns: changed }));
        return runs.length === 0 ? undefined : runs.map(formatRecentRun);
      }
      case 'active':
        return mergedItems(versionsOf('active'), ({ uid, name: jobName }) => uid ?? jobName);
      case 'conditions':
        return mergedItems(versionsOf('conditions'), ({ type }) => type);
      default:
        return stored[name];
    }
  }
}

/** The items of a list, in the stored status, in the pending one, and in the one that both began with. */
interface Versions<T> {
  readonly stored: readonly T[] | undefined;
  readonly pending: readonly T[] | undefined;
  readonly base: readonly T[] | undefined;
}

/** Each item is as the one of the two says that has changed it, and as it is stored where both have. `undefined` when there are none. */
function mergedItems<T>(versions: Versions<T>, keyOf: (item: T) => string | undefined): readonly T[] | undefined {
  const byKey = (items: readonly T[] = []) => new Map(items.map((item) => [keyOf(item), item]));
  const [stored, pending, base] = [byKey(versions.stored), byKey(versions.pending), byKey(versions.base)];
  const items = [...new Map([...stored, ...pending]).keys()]
    .map((key) => (isSameJson(stored.get(key), base.get(key)) ? pending : stored).get(key))
    .filter((item) => item !== undefined);
  return items.length === 0 ? undefined : items;
}

/**
 * The pending status: the newest status of a CronJob, as long as the API server does not have it. A restart loses it, and no run:
 * docs/adr/0038-pending-status.md.
 */
import { isSameJson } from 'controller-runtime/schema';
import { formatTime, latest, parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { headOfRecentRun, resultIn } from '../../api/v1/recent-lines.ts';
import type { Notifications } from './events.ts';
import { mergedRuns } from './recent-runs.ts';

export interface PendingStatus {
  /** UID of the CronJob: one that was deleted and created again under its name starts without. */
  readonly uid: string;
  readonly status: CronJobStatus;
  /** The status that the API server had when `status` was computed; of an altered one, what it stored instead. */
  readonly stored: CronJobStatus;
  /** Altered: the CRD in the cluster is another one, and drops or changes fields. */
  readonly kind: 'Postponed' | 'Failed' | 'Altered';
  /** For once a status is stored. */
  readonly notifications: Notifications;
  /** It was to record runs before they are replaced, and could not be stored: they are replaced without it. */
  readonly hasTriedToRecord?: true;
}

/** What a pass leaves that could not be stored, or waits. */
interface Unstored {
  readonly status: CronJobStatus;
  readonly seen: Notifications;
  readonly followUp?: string;
}

/**
 * @param cronJob With the status that the API server has.
 * @param before What was pending before the pass.
 */
export function pendingAfter(
  cronJob: CronJob,
  { status, seen, followUp }: Unstored,
  kind: 'Postponed' | 'Failed',
  before: PendingStatus | undefined,
): PendingStatus {
  const { metadata, status: stored = {} } = cronJob;
  const notifications = withPendingNotifications(before, seen);
  const hasTried = kind === 'Failed' && followUp === 'Record';
  return { uid: metadata.uid, status, stored, kind, notifications, ...(hasTried && { hasTriedToRecord: true }) };
}

/** Of each kind. More wait only while no status can be stored for hours: then the newest are enough. */
const MAX_NOTIFICATIONS = 100;

/** Those that wait, and those of the pass. */
export function withPendingNotifications(pending: PendingStatus | undefined, seen: Notifications): Notifications {
  if (pending === undefined) return seen;
  const { events, slotCounts, finished } = pending.notifications;
  return {
    events: [...events, ...seen.events].slice(-MAX_NOTIFICATIONS),
    slotCounts: [...slotCounts, ...seen.slotCounts].slice(-MAX_NOTIFICATIONS),
    finished: [...finished, ...seen.finished].slice(-MAX_NOTIFICATIONS),
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
  /** Not written, or left to the next pass because other CronJobs come first. */
  | { readonly kind: 'Failed' | 'Postponed' }
  /** The CronJob no longer exists, or the API server does not serve the kind. */
  | { readonly kind: 'Gone' };

/** The CronJob with its newest status: the pending one, and what somebody else has stored meanwhile. */
export function withPending(cronJob: CronJob, pending: PendingStatus | undefined): CronJob {
  if (pending === undefined) return cronJob;
  const { status: stored = {} } = cronJob;
  return { ...cronJob, status: isSameJson(stored, pending.stored) ? pending.status : merged(stored, pending) };
}

/** Where both have changed a field, the stored value counts; but no time moves back, and no run is forgotten. */
function merged(stored: CronJobStatus, { status, stored: base, kind }: PendingStatus): CronJobStatus {
  const result: Record<string, unknown> = { ...stored };
  const recentRuns = mergedRuns(stored.recentRuns, status.recentRuns);
  const names = new Set([...Object.keys(base), ...Object.keys(status)]) as ReadonlySet<keyof CronJobStatus>;
  for (const name of names) {
    if (isSameJson(status[name], base[name])) continue;
    const isOurs = isSameJson(stored[name], base[name]);
    const value = isOurs ? status[name] : kind === 'Altered' ? stored[name] : both(name);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result as CronJobStatus; // each field is from a status

  function both(name: keyof CronJobStatus): unknown {
    switch (name) {
      case 'lastScheduleTime':
      case 'lastSuccessfulTime':
      case 'lastFailureTime':
      case 'handledThrough': {
        const time = latest(parseTime(stored[name]), parseTime(status[name]));
        return time && formatTime(time);
      }
      case 'recentRuns':
        return recentRuns;
      case 'active': {
        const all = new Map([...(stored.active ?? []), ...(status.active ?? [])].map((each) => [each.uid, each]));
        const active = [...all.values()].filter(({ name: jobName }) => !isOver(jobName, recentRuns));
        return active.length === 0 ? undefined : active;
      }
      default:
        return stored[name];
    }
  }
}

function isOver(jobName: string | undefined, lines: readonly string[] = []): boolean {
  const line = lines.find((each) => headOfRecentRun(each)?.jobName === jobName);
  return line !== undefined && resultIn(line) !== 'Running';
}

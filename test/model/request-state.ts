/** The CronJobRun of a scenario: on the API server, in the cache, and in the process. */
import { formatTime } from '../../api/time.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { RUN_KIND } from '../../api/v1/cronjobrun-types.ts';
import { API_VERSION } from '../../api/v1/groupversion.ts';
import type { ModelScenario } from './budget.ts';
import type { PendingWatchEvent, ReconcileQueue } from './watch.ts';

export interface RequestState extends ReconcileQueue {
  readonly stored: CronJobRun | undefined;
  readonly cached: CronJobRun | undefined;
  readonly events: readonly PendingWatchEvent<CronJobRun>[];
  /** The last status that the process has written, while the cache is behind. */
  readonly written: CronJobRun | undefined;
  /** A status write got no response: the client reads from the API server until the cache has caught up. */
  readonly isUncertain: boolean;
  /** Names of Jobs that the client reads from the API server: their last write failed, or the cache does not have them yet. */
  readonly uncertainJobs: readonly string[];
  /** UIDs of Jobs that the process has deleted and the cache still has. */
  readonly deletedJobs: readonly string[];
  /** Requested runs whose Jobs a reconcile of the CronJobRun has read, or created with an answer. */
  readonly knownRuns: readonly string[];
  /** Requested runs whose Jobs were deleted before a reconcile of the CronJob could read them. */
  readonly unrecordedRuns: readonly string[];
}

const NO_REQUEST: RequestState = {
  stored: undefined,
  cached: undefined,
  events: [],
  written: undefined,
  isUncertain: false,
  uncertainJobs: [],
  deletedJobs: [],
  knownRuns: [],
  unrecordedRuns: [],
  isQueued: false,
  hasRetry: false,
  wakeAtMs: undefined,
};

export const REQUEST_NAME = 'r';

/** The CronJobRun of the scenario, which no manager has seen. */
export function initialRequest({ request }: ModelScenario, createdMs: number): RequestState {
  if (request === undefined) return NO_REQUEST;
  const stored: CronJobRun = {
    apiVersion: API_VERSION,
    kind: RUN_KIND,
    metadata: {
      name: REQUEST_NAME,
      namespace: 'default',
      uid: 'request',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: formatTime(new Date(createdMs)),
    },
    spec: { cronJobName: 'c', concurrencyPolicy: 'Obey', ...request },
  };
  return { ...NO_REQUEST, stored, cached: stored, isQueued: true };
}

/** What the process knows after its start. */
export function restartRequest({ stored }: RequestState): RequestState {
  return { ...NO_REQUEST, stored, cached: stored, isQueued: stored !== undefined };
}

/** The CronJobRun that the process can read. */
export function seenRequest({ isUncertain, stored, written, cached }: RequestState): CronJobRun | undefined {
  return isUncertain ? stored : (written ?? cached);
}

export function hasRequestFinished({ status }: Pick<CronJobRun, 'status'>): boolean {
  return status?.completionTime !== undefined;
}

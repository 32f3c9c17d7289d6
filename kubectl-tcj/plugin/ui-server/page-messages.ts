/** The types of the JSON messages between the server of `kubectl tcj ui` and its page. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { PodReport } from '../report/explanation.ts';
import type { Variable } from '../report/overrides.ts';

/** A CronJob without its Job template, its managed fields and the annotations of other API groups. */
export interface PageCronJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<
    CronJob['metadata'],
    'namespace' | 'name' | 'uid' | 'generation' | 'creationTimestamp' | 'labels' | 'annotations'
  >;
  readonly spec: Omit<CronJob['spec'], 'jobTemplate'>;
  readonly status?: CronJob['status'];
  readonly invalidValues?: StoredCronJob['invalidValues'];
}

/** The response to `GET /api/about`. */
export interface ServerInfo {
  readonly version: string;
  /** The context of the kubeconfig. */
  readonly context: string;
  /** The namespace that the page shows. Default: all namespaces. */
  readonly namespace?: string;
  /** The reason that the page shows a single namespace although the user selected none. */
  readonly narrowedBecause?: string;
}

/** The event `cronjobs` of `GET /api/events`, with the changes since the previous event. */
export interface CronJobChanges {
  readonly changed: readonly PageCronJob[];
  /** The UIDs of the deleted CronJobs. */
  readonly deleted: readonly string[];
}

/**
 * The event `watch` of `GET /api/events`. `Reading`: the server reads the list of CronJobs. `Live`: the page shows the current
 * state of the cluster. `Broken`: the page shows an earlier state, and the server retries.
 */
export type WatchState =
  | { readonly kind: 'Reading' }
  | { readonly kind: 'Live' }
  | ({ readonly kind: 'Broken'; readonly reason: WatchFailureReason } & PageError);

/** The cause of a broken watch. `NotInstalled`: the CustomResourceDefinition does not exist. */
export type WatchFailureReason = 'Forbidden' | 'Unauthorized' | 'NotInstalled' | 'Unreachable';

/** The body of an error response. */
export interface PageError {
  readonly message: string;
  /** A sentence that tells the user how to fix the problem. */
  readonly change?: string;
}

/** The response to `GET /api/permissions?namespace=`, with the permissions of the user in the namespace. */
export interface Permissions {
  /** Whether the user may run, suspend and resume CronJobs. */
  readonly patchCronJobs: boolean;
  /** Whether the user may create CronJobRuns, which request runs, retries and backfills. */
  readonly createRuns: boolean;
  /** Whether the user may list Pods and read their logs. */
  readonly readLogs: boolean;
}

/**
 * The bodies of `POST /api/cronjobs/NAMESPACE/NAME/run`, `…/suspend`, `…/resume`, `…/retry` and `…/backfill`. The query
 * parameter `zone` is the IANA name of the time zone in which the response formats times. Default: the time zone of the
 * schedule. An unknown name means UTC.
 */
export interface ActionBodies {
  /** Changes the first container of the run. `args` replaces all arguments of the container. */
  readonly run: { readonly args?: readonly string[]; readonly env?: readonly Variable[] };
  /** The time `until` is in RFC 3339. `null` suspends the CronJob until a user resumes it. */
  readonly suspend: { readonly until: string | null };
  readonly resume: { readonly skipMissed: boolean };
  /** The Job of the run to repeat. */
  readonly retry: { readonly jobName: string };
  /** The times are in RFC 3339. The newest run starts first if `isReversed` is true. */
  readonly backfill: { readonly startTime: string; readonly endTime: string; readonly isReversed: boolean };
}

/** The response to an action. */
export interface ActionResult {
  readonly message: string;
  /** The name of the Job of a requested run. */
  readonly jobName?: string;
}

/** The response to `GET /api/cronjobs/NAMESPACE/NAME/pods`. */
export interface RunPods {
  /** The problem of the Pods whose run `kubectl tcj why` explains. Absent if the Pods have no problem. */
  readonly podReport?: PodReport;
}

/**
 * The response to `GET /api/cronjobs/NAMESPACE/NAME/creators`: maps the name of a Job to the user who requested it with
 * a CronJobRun. The response is empty if the user of the page may not list CronJobRuns.
 */
export type RunCreators = Readonly<Record<string, string>>;

/**
 * An event of `GET /api/cronjobs/NAMESPACE/NAME/logs?job=`. `line` is a line of the output of a container. `note` explains missing
 * output. `end` is the last event.
 */
export type LogEvent =
  | { readonly kind: 'line'; readonly pod: string; readonly container: string; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'end' };

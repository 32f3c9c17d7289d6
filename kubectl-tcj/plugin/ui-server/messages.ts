/** The JSON messages between the server of `kubectl tcj ui` and its page. Types only, because the page is built from them too. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { PodReport } from '../report/explanation.ts';

/** A CronJob for the page: it fits its type, and lacks its template, its managed fields and foreign annotations. */
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

/** `GET /api/about`. */
export interface About {
  readonly version: string;
  /** Context of the kubeconfig. */
  readonly context: string;
  /** The namespace whose CronJobs are shown; absent for all namespaces. */
  readonly namespace?: string;
  /** Why only one namespace is shown, although the user did not request one. */
  readonly narrowedBecause?: string;
}

/** An event `cronjobs` of `GET /api/events`: changes since the previous event. */
export interface Changes {
  readonly changed: readonly PageCronJob[];
  /** UIDs. */
  readonly deleted: readonly string[];
}

/**
 * An event `watch` of `GET /api/events`: whether the page shows the current state of the cluster. `Reading`: the first list is
 * being read. `Live`: everything was sent, and each change is sent. `Broken`: the page shows an earlier state; the server retries
 * until it succeeds.
 */
export type Watch =
  | { readonly kind: 'Reading' }
  | { readonly kind: 'Live' }
  | ({ readonly kind: 'Broken'; readonly reason: BrokenReason } & PageError);

/** `NotInstalled`: the cluster does not have the kind. */
export type BrokenReason = 'Forbidden' | 'Unauthorized' | 'NotInstalled' | 'Unreachable';

/** Also the body of each error response. */
export interface PageError {
  /** A sentence. */
  readonly message: string;
  /** The remedy. */
  readonly change?: string;
}

/** `GET /api/rights?namespace=`: what the user may do in the namespace. */
export interface Rights {
  /** Whether the user may run, suspend and resume CronJobs. */
  readonly patchCronJobs: boolean;
  /** Whether the user may list Pods and read their logs. */
  readonly readLogs: boolean;
}

/**
 * Bodies of `POST /api/cronjobs/NAMESPACE/NAME/run`, `…/suspend` and `…/resume`. `?zone=` is the time zone of the response, by its
 * IANA name. Default: the zone of the schedule; UTC for an unknown zone.
 */
export interface Actions {
  readonly run: Record<string, never>;
  /** RFC 3339; `null` suspends until a user resumes it. */
  readonly suspend: { readonly until: string | null };
  readonly resume: { readonly skipMissed: boolean };
}

/** The result of an action. */
export interface Done {
  /** A sentence. */
  readonly message: string;
  /** The Job of a started run. */
  readonly jobName?: string;
}

/** `GET /api/cronjobs/NAMESPACE/NAME/pods`: the report on the Pods of the run that `kubectl tcj why` describes. */
export interface RunPods {
  /** Absent without such a run, or when its Pods show nothing relevant. */
  readonly podReport?: PodReport;
}

/**
 * An event of `GET /api/cronjobs/NAMESPACE/NAME/logs?job=`: `line` is output of a container, `note` says why it is missing, `end`
 * comes last.
 */
export type LogEvent =
  | { readonly kind: 'line'; readonly pod: string; readonly container: string; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'end' };

/** What the server of `kubectl tcj ui` and its page say to each other, as JSON. Types alone: the page is built from them too. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import type { PodsTold } from '../report/answer.ts';

/** A CronJob as the page has it: it fits its type, without its template, its managed fields and foreign annotations. */
export interface PageCronJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<
    CronJob['metadata'],
    'namespace' | 'name' | 'uid' | 'generation' | 'creationTimestamp' | 'labels' | 'annotations'
  >;
  readonly spec: Omit<CronJob['spec'], 'jobTemplate'>;
  readonly status?: CronJob['status'];
  readonly oddities?: StoredCronJob['oddities'];
}

/** `GET /api/about`. */
export interface About {
  readonly version: string;
  /** Of the kubeconfig. */
  readonly context: string;
  /** The one whose CronJobs are shown; absent for all of them. */
  readonly namespace?: string;
  /** Why it is not all of them, where nobody asked for one namespace. */
  readonly narrowedBecause?: string;
}

/** An event `cronjobs` of `GET /api/events`: what has changed since the one before. */
export interface Changes {
  readonly changed: readonly PageCronJob[];
  /** UIDs. */
  readonly deleted: readonly string[];
}

/**
 * An event `watch` of `GET /api/events`: whether what the page shows is what the cluster has. `Reading`: the first list is on its way.
 * `Live`: everything was sent, and each change is. `Broken`: what is shown is as it was; it is tried again until it works.
 */
export type Watch =
  | { readonly kind: 'Reading' }
  | { readonly kind: 'Live' }
  | ({ readonly kind: 'Broken'; readonly reason: BrokenReason } & Fault);

/** `NotInstalled`: the cluster does not have the kind. */
export type BrokenReason = 'Forbidden' | 'Unauthorized' | 'NotInstalled' | 'Unreachable';

/** Also the body of each answer that is no success. */
export interface Fault {
  /** A sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly change?: string;
}

/** `GET /api/rights?namespace=`: what the user may do there. */
export interface Rights {
  /** Run, suspend and resume. */
  readonly patchCronJobs: boolean;
  /** Logs: list Pods and read their logs. */
  readonly readLogs: boolean;
}

/**
 * Bodies of `POST /api/cronjobs/NAMESPACE/NAME/run`, `…/suspend` and `…/resume`. `?zone=` is the time zone of the answer, by its IANA name;
 * default that of the schedule, and UTC where there is no such zone.
 */
export interface Actions {
  readonly run: Record<string, never>;
  /** RFC 3339; `null` for until somebody resumes it. */
  readonly suspend: { readonly until: string | null };
  readonly resume: { readonly skipMissed: boolean };
}

/** What became of an action. */
export interface Done {
  /** A sentence. */
  readonly message: string;
  /** Of a run. */
  readonly jobName?: string;
}

/** `GET /api/cronjobs/NAMESPACE/NAME/pods`: what those of the run tell that `kubectl tcj why` answers about. */
export interface RunPods {
  /** Absent when there is no such run, or its Pods tell nothing. */
  readonly told?: PodsTold;
}

/**
 * An event of `GET /api/cronjobs/NAMESPACE/NAME/logs?job=`: `line` is what a container printed, `note` says why there is none, `end` comes last.
 */
export type LogEvent =
  | { readonly kind: 'line'; readonly pod: string; readonly container: string; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'end' };

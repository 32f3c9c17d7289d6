/** One reconcile as seen from outside: its inputs and its effects. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';

export class ObservedReconcile {
  /** `namespace/name` of the CronJob. */
  readonly key: string;
  readonly startedAt: Date;
  /** Identifies the process. */
  readonly process: object;
  /** The same object with the newest status that its process knows. */
  view: CronJob | undefined;
  /** The CronJob that the reconcile got. */
  readCronJob: CronJob | undefined;
  /** Its process knew of a status that was not stored. */
  hadPending = false;
  /** `namespace/name` of the CronJobRun, in a reconcile of a CronJobRun. `key` is then the key of its CronJob. */
  requestKey: string | undefined;
  /** The CronJobRun that the reconcile last got. */
  request: CronJobRun | undefined;
  /** Returns the CronJobRun in the cache. */
  readCachedRequest: () => CronJobRun | undefined = () => undefined;
  /** The CronJobRun in the cache when the reconcile sent a create. */
  requestAtCreate: CronJobRun | undefined;
  /** Jobs that the reconcile got, by UID. */
  readonly jobs = new Map<string, Job>();
  /** Names of objects that it could not read: for these Jobs it uses the status. */
  readonly unreadNames = new Set<string>();
  /** Time of each clock read of the reconcile. */
  readonly clockReads: Date[] = [];
  /** Whether the process knew of the Job with that UID when the reconcile began, even if it did not read it. */
  knewJob: (uid: string) => boolean = () => false;
  /** Whether the process has created the Job with that UID, or has seen it in a reconcile. */
  hasReadJob: (uid: string) => boolean = () => false;
  /** Calls that failed because of the server or the network. */
  failedCalls = 0;
  /** Creates or deletes failed shortly before it: it may skip them. */
  isBackingOff = false;
  /** Number of sent creates of Jobs. */
  creates = 0;
  /** Number of refused creates. */
  refusedCreates = 0;
  /** The Job whose creation the server has confirmed. */
  created: Job | undefined;
  /** The CronJob after its status write. */
  writtenCronJob: CronJob | undefined;
  /** The status that it sent, and the fields of it that were not stored. */
  sentStatus: { readonly status: CronJobStatus; readonly pruned: ReadonlySet<string> } | undefined;
  /** The CronJob that it got was older than the last write of the same process. */
  isBehindOwnWrite = false;
  /** Number of deletes without a UID precondition. */
  deletesWithoutUid = 0;
  /** Its process died, or another one took over from it, and one of its calls arrived nevertheless, late. */
  isOrphaned = false;
  /** Number of slots that it has computed. */
  slotsComputed = 0;
  /** Number of calls that change something. */
  writes = 0;
  /** Reasons of the events that it recorded. */
  readonly events: string[] = [];
  /** Whether a container of the Job with that UID had started when the reconcile listed its Pods. */
  readonly podChecks = new Map<string, boolean>();
  /** Whether the process has seen in a reconcile that the Job with that UID had ended. */
  hasReadFinishedJob: (uid: string) => boolean = () => false;

  constructor(key: string, startedAt: Date, process: object) {
    this.key = key;
    this.startedAt = startedAt;
    this.process = process;
  }

  /** `namespace/name` of the object that it reconciles. */
  get objectKey(): string {
    return this.requestKey ?? this.key;
  }
}

/** The outcome of a reconcile. */
export type ReconcileEnd =
  | { readonly kind: 'Returned'; readonly result: Result }
  | { readonly kind: 'Threw'; readonly error: unknown };

/** The author of a change. */
export type Actor =
  | { readonly kind: 'Person' | 'JobController' | 'GarbageCollector' }
  | { readonly kind: 'Manager'; readonly observed: ObservedReconcile };

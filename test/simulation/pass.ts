/** One reconcile pass as seen from outside: what it was shown and what came of it. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';

export class Pass {
  /** `namespace/name` of the CronJob. */
  readonly key: string;
  readonly startedAt: Date;
  /** Tells the process from all others. */
  readonly process: object;
  /** The same with the newest status that its process knows. */
  view: CronJob | undefined;
  /** The CronJob that the pass was given. */
  stored: CronJob | undefined;
  /** Its process knew of a status that was not stored. */
  hadPending = false;
  /** Jobs that the pass was given, by UID. */
  readonly jobs = new Map<string, Job>();
  /** Names of objects that it could not read: it takes Jobs for what the status says of them. */
  readonly unread = new Set<string>();
  /** When the pass looked at the clock, each time that it did. */
  readonly clockReads: Date[] = [];
  /** Whether the process knew of the Job with that UID when the pass began, even if it did not look at it. */
  knew: (uid: string) => boolean = () => false;
  /** Whether the process has created the Job with that UID, or has seen it in a pass. */
  hasSeen: (uid: string) => boolean = () => false;
  /** Calls that the server, or the way to it, let fail. */
  failedCalls = 0;
  /** Creates or deletes failed not long before it: it may do without them. */
  isBackingOff = false;
  /** Creates of Jobs that were sent. */
  creates = 0;
  /** Number of refused creates. */
  refusedCreates = 0;
  /** The Job whose creation the server has confirmed. */
  created: Job | undefined;
  /** The CronJob as its status write left it. */
  wrote: CronJob | undefined;
  /** The status that it sent, and the fields of it that were not stored. */
  sent: { readonly status: CronJobStatus; readonly pruned: ReadonlySet<string> } | undefined;
  /** The CronJob it was given was older than what the same process had written. */
  isBehindItself = false;
  /** Deletes that did not say by UID which Job they mean. */
  blindDeletes = 0;
  /** Its process died, or another one took over from it, and one of its calls arrived all the same, late. */
  isOrphaned = false;
  /** Slots that it has computed. */
  slotsComputed = 0;
  /** Calls that change something. */
  writes = 0;
  /** Reasons of the events that it recorded. */
  readonly events: string[] = [];
  /** Whether a container of the Job with that UID had started when the pass looked at its Pods. */
  readonly podLooks = new Map<string, boolean>();
  /** Whether the process has seen in a pass that the Job with that UID had ended. */
  hasSeenEnd: (uid: string) => boolean = () => false;

  constructor(key: string, startedAt: Date, process: object) {
    this.key = key;
    this.startedAt = startedAt;
    this.process = process;
  }
}

/** How a pass ended. */
export type PassEnd =
  | { readonly kind: 'Returned'; readonly result: Result }
  | { readonly kind: 'Threw'; readonly error: unknown };

/** Whose doing a change is. */
export type Actor =
  | { readonly kind: 'Person' | 'JobController' | 'GarbageCollector' }
  | { readonly kind: 'Manager'; readonly pass: Pass };

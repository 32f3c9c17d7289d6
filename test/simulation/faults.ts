/** Faults of one CronJob or one namespace for a while, when all others are well. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { memoize } from './calendar.ts';
import type { Effect } from './effects.ts';
import { parseNamespace } from './facts.ts';
import type { Journal } from './journal.ts';
import { TimeoutError } from './network.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

export type CallVerb =
  | 'get'
  | 'list'
  | 'create'
  | 'updateStatus'
  | 'delete'
  | 'listPods'
  | 'patch'
  | 'deleteRequest'
  | 'updateRequestStatus';

/** The longest back-off of the manager, and some more time. */
const LONGEST_BACK_OFF_MS = 20 * 60_000;

/** A call without an answer fails after this time. */
const REQUEST_TIMEOUT_MS = 65_000;

/** Duration of a spell. */
interface FaultDuration {
  readonly durationMs: number;
  /** How long calls may still be affected afterwards. Default 0. */
  readonly tailMs?: number;
}

/** One fault for some keys, each for its own time. */
export class FaultPeriods<V> {
  readonly #clock: Clock;
  readonly #onChange: (key: string, text: string) => void;
  readonly #values = new Map<string, V>();
  /** End of each key's last spell including its tail, on the monotonic clock. */
  readonly #endMs = new Map<string, number>();
  readonly #listeners = new Set<(key: string) => void>();

  constructor(clock: Clock, onChange: (key: string, text: string) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Calls the listener for every key whose spell begins; returns a function that unsubscribes. */
  onStart(listener: (key: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ignored during a spell of the key. */
  start(key: string, value: V, { durationMs, tailMs = 0 }: FaultDuration): void {
    if (this.#values.has(key)) return;
    this.#values.set(key, value);
    this.#endMs.set(key, this.#clock.monotonicMs() + durationMs + tailMs);
    this.#onChange(key, `begins (${JSON.stringify(value)})`);
    this.#clock.schedule(durationMs, () => {
      this.#values.delete(key);
      this.#onChange(key, 'ends');
    });
    for (const listener of [...this.#listeners]) listener(key);
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Time since its end, in milliseconds; not above 0 during the spell. */
  faultFreeMs(key: string): number {
    return this.#clock.monotonicMs() - (this.#endMs.get(key) ?? Number.NEGATIVE_INFINITY);
  }
}

/** Calls of a namespace that get no answer. */
export interface Hang {
  /** Time until they fail, in milliseconds. */
  readonly forMs: number;
  readonly verbs: readonly CallVerb[];
}

export type StatusField = keyof CronJobStatus;
export type NullTime = 'startTime' | 'completionTime' | 'lastTransitionTime';

export class SimulatedFaults {
  /** CronJobs whose Jobs the quota refuses. */
  readonly overQuota: FaultPeriods<true>;
  /** CronJobs whose Jobs the manager may not delete. */
  readonly deniedDeletes: FaultPeriods<true>;
  /** CronJobs whose Jobs have a webhook for deletes that does not respond. */
  readonly hangingDeletes: FaultPeriods<true>;
  /** CronJobs that another controller also writes: one of this number of their status writes conflicts. */
  readonly competingWriters: FaultPeriods<number>;
  /** CronJobs whose Jobs the manager may not patch. */
  readonly deniedPatches: FaultPeriods<true>;
  /** CronJobs whose status cannot be written, with the HTTP status of the response. */
  readonly failingStatus: FaultPeriods<number>;
  /** CronJobs whose CronJobRuns have a status that the manager may not write. */
  readonly deniedRequestStatus: FaultPeriods<true>;
  /** CronJobs that users do not change. */
  readonly userActionStops: FaultPeriods<true>;
  /** CronJobs that cannot be read from the server, nor their Jobs; their status also cannot be written. */
  readonly failingReads: FaultPeriods<number>;
  /** CronJobs with status fields that the server drops, because the CRD does not define them. */
  readonly prunedStatus: FaultPeriods<readonly StatusField[]>;
  /** CronJobs whose Jobs end with times that are null. */
  readonly nullTimes: FaultPeriods<readonly NullTime[]>;
  /** Namespaces whose calls hang. */
  readonly hangingNamespaces: FaultPeriods<Hang>;
  /** Number of times that each fault had an effect. */
  readonly counts = new Map<Effect, number>();
  readonly #clock: Clock;
  /** Number of statuses of each CronJob that were sent while it has a rival. */
  readonly #statusWrites = new Map<string, number>();
  /** Time of the last failed call of each verb for each CronJob, on the monotonic clock. */
  readonly #failedMs = new Map<CallVerb, Map<string, number>>();

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock;
    const createPeriods = <V>(name: string) =>
      new FaultPeriods<V>(clock, (key, text) => journal.note(() => `FAULT: ${name} ${text}`, key));
    this.overQuota = createPeriods('over quota');
    this.userActionStops = createPeriods('holidays');
    this.deniedDeletes = createPeriods('denied deletes');
    this.hangingDeletes = createPeriods('hanging deletes');
    this.competingWriters = createPeriods('rival writes');
    this.deniedPatches = createPeriods('denied patches');
    this.failingStatus = createPeriods('failing status writes');
    this.deniedRequestStatus = createPeriods('denied status writes of CronJobRuns');
    this.failingReads = createPeriods('failing reads');
    this.prunedStatus = createPeriods('pruned status');
    this.nullTimes = createPeriods('null times');
    this.hangingNamespaces = new FaultPeriods(clock, (key, text) =>
      journal.note(() => `FAULT: hanging calls of ${key}: ${text}`),
    );
  }

  count(effect: Effect): void {
    this.counts.set(effect, (this.counts.get(effect) ?? 0) + 1);
  }

  /** A call in a reconcile of that CronJob has failed, for any reason. */
  noteFailure(verb: CallVerb, key: string): void {
    memoize(this.#failedMs, verb, () => new Map<string, number>()).set(key, this.#clock.monotonicMs());
  }

  /** How long no fault has kept runs of the CronJob from starting, apart from the manager and the network. */
  startFaultFreeMs(key: string): number {
    return Math.min(
      this.overQuota.faultFreeMs(key),
      this.failingReads.faultFreeMs(key),
      this.hangingNamespaces.faultFreeMs(parseNamespace(key)),
    );
  }

  /** How long all calls except deletes have succeeded. */
  callFaultFreeMs(key: string): number {
    const failures = (['get', 'list', 'create', 'updateStatus', 'updateRequestStatus'] as const).map((verb) =>
      this.#sinceFailureMs(verb, key),
    );
    const statusFaultFreeMs = Math.min(this.failingStatus.faultFreeMs(key), this.deniedRequestStatus.faultFreeMs(key));
    return Math.min(this.startFaultFreeMs(key), statusFaultFreeMs, ...failures);
  }

  /** How long deletes have succeeded. */
  deleteFaultFreeMs(key: string): number {
    const refused = Math.min(this.deniedDeletes.faultFreeMs(key), this.hangingDeletes.faultFreeMs(key));
    return Math.min(refused, this.#sinceFailureMs('delete', key));
  }

  /** How long reads of Pods and ends of starts have succeeded. */
  startCheckFaultFreeMs(key: string): number {
    const failures = (['listPods', 'patch'] as const).map((verb) => this.#sinceFailureMs(verb, key));
    return Math.min(this.deniedPatches.faultFreeMs(key), ...failures);
  }

  /** Whether a start may have failed so recently that the manager does not retry it yet. */
  isBackingOff(key: string): boolean {
    return Math.min(this.#sinceFailureMs('create', key), this.#sinceFailureMs('delete', key)) < LONGEST_BACK_OFF_MS;
  }

  /** The server's error for a reconcile of that CronJob; `undefined` when it executes the call. */
  findRefusal(verb: CallVerb, key: string): Error | undefined {
    const readCode = this.failingReads.get(key);
    switch (verb) {
      case 'create':
        return this.#deny(this.overQuota, key, 'create over quota');
      case 'delete':
        return this.#deny(this.deniedDeletes, key, 'delete denied');
      case 'updateStatus': {
        const code = readCode ?? this.failingStatus.get(key);
        return code === undefined ? undefined : this.#createError('status write failed', code);
      }
      case 'updateRequestStatus':
        return (
          this.#deny(this.deniedRequestStatus, key, 'request status write denied') ??
          this.findRefusal('updateStatus', key)
        );
      case 'patch':
        return this.#deny(this.deniedPatches, key, 'patch denied');
      case 'deleteRequest':
        return undefined;
      case 'get':
      case 'list':
      case 'listPods':
        return readCode === undefined ? undefined : this.#createError('read failed', readCode);
    }
  }

  /**
   * Whether another client writes the object of the reconcile just before the manager does. The next write of the object succeeds. Not
   * called for a write that the server refuses: a conflict with each refused write would cause the next reconcile without end.
   */
  hasWriteConflict({ key, objectKey }: Pick<ObservedReconcile, 'key' | 'objectKey'>): boolean {
    const every = this.competingWriters.get(key);
    if (every === undefined) return false;
    const count = (this.#statusWrites.get(objectKey) ?? 0) + 1;
    this.#statusWrites.set(objectKey, count);
    if (count % every > 0) return false;
    this.count('status conflict');
    return true;
  }

  /** How long the call hangs before it fails, in milliseconds; `undefined` when it does not hang. */
  findHang(verb: CallVerb, key: string): { readonly forMs: number; readonly error: Error } | undefined {
    if (verb === 'delete' && this.hangingDeletes.get(key)) {
      this.count('delete hung');
      return { forMs: REQUEST_TIMEOUT_MS, error: new TimeoutError('no answer') };
    }
    const hang = this.hangingNamespaces.get(parseNamespace(key));
    if (hang === undefined || !hang.verbs.includes(verb)) return undefined;
    this.count('call hung');
    const isWebhook = hang.forMs < 60_000;
    const message = 'failed calling webhook: context deadline exceeded';
    const error = isWebhook ? new ApiError(500, { reason: 'InternalError', message }) : new TimeoutError('no answer');
    return { forMs: hang.forMs, error };
  }

  /** The stored fields of a status that the manager writes, and the dropped ones. */
  pruneStatus(key: string, status: CronJobStatus): { status: CronJobStatus; pruned: ReadonlySet<StatusField> } {
    const dropped = new Set(this.prunedStatus.get(key));
    if (dropped.size === 0) return { status, pruned: dropped };
    this.count('status pruned');
    const rest = Object.entries(status).filter(([name]) => !dropped.has(name as StatusField)); // the names come from a status
    return { status: Object.fromEntries(rest), pruned: dropped };
  }

  #deny(periods: FaultPeriods<true>, key: string, effect: Effect): Error | undefined {
    return periods.get(key) ? this.#createError(effect, 403) : undefined;
  }

  #createError(effect: Effect, code: number): ApiError {
    this.count(effect);
    const reason = code === 403 ? 'Forbidden' : '';
    return new ApiError(code, { reason, message: `simulated: ${effect}` });
  }

  #sinceFailureMs(verb: CallVerb, key: string): number {
    return this.#clock.monotonicMs() - (this.#failedMs.get(verb)?.get(key) ?? Number.NEGATIVE_INFINITY);
  }
}

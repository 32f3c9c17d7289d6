/** Faults of one CronJob or one namespace for a while, when all others are well. */
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { namespaceOf } from './facts.ts';
import type { Journal } from './journal.ts';
import { TimeoutError } from './network.ts';

/** Effects of the faults. A simulation in which one of these never happens does not test it. */
export const EFFECTS = [
  'create over quota',
  'delete denied',
  'delete hung',
  'status overtaken',
  'status write failed',
  'read failed',
  'status pruned',
  'call hung',
  'status postponed',
  'history left to a later pass',
  'null times',
  'way to the server cut',
  'pass failed',
  'status write of a CronJob that is gone',
  'slot while deletes are denied',
  'slot while deletes hang',
  'slot while status writes fail',
  'slot while another namespace hangs',
  'patch denied',
  'start ended',
  'patch of a Job that has changed',
  'template deadline exceeded',
  'start timed out',
  'overdue',
  'paused',
  'resumed by resume',
  'resumed by edit',
  'resumed by manual run',
  'run: Running',
  'run: Succeeded',
  'run: Failed',
  'run: Replaced',
  'run: Unknown',
  'skipped: Suspended',
  'skipped: Paused',
  'skipped: DeadlineExceeded',
  'skipped: Superseded',
  'skipped: ConcurrencyPolicyForbid',
  'skipped: FailedCreate',
  'skipped: JobNameTaken',
  'clock ahead',
  'clock behind',
  'machine slept',
  'clock skew shown',
  'handed over',
  'two managers at once',
  'skipped: TooManyMissedTimes',
  'external run listed',
] as const;

export type Effect = (typeof EFFECTS)[number];
export type Verb = 'get' | 'list' | 'create' | 'updateStatus' | 'delete' | 'listPods' | 'patch';

/** The longest back-off of the manager, and some more time. */
const LONGEST_BACK_OFF_MS = 20 * 60_000;

/** A call without an answer fails after this time. */
const REQUEST_TIMEOUT_MS = 65_000;

/** Duration of a spell. */
interface Length {
  readonly durationMs: number;
  /** How long calls may still be affected afterwards. Default 0. */
  readonly tailMs?: number;
}

/** One fault for some keys, each for its own time. */
export class Spells<V> {
  readonly #clock: Clock;
  readonly #onChange: (key: string, text: string) => void;
  readonly #current = new Map<string, V>();
  /** End of each key's last spell including its tail, on the monotonic clock. */
  readonly #overMs = new Map<string, number>();
  readonly #listeners = new Set<(key: string) => void>();

  constructor(clock: Clock, onChange: (key: string, text: string) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Calls the listener for every key whose spell begins; returns a function that unsubscribes. */
  onBegin(listener: (key: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ignored during a spell of the key. */
  begin(key: string, value: V, { durationMs, tailMs = 0 }: Length): void {
    if (this.#current.has(key)) return;
    this.#current.set(key, value);
    this.#overMs.set(key, this.#clock.monotonicMs() + durationMs + tailMs);
    this.#onChange(key, `begins (${JSON.stringify(value)})`);
    this.#clock.schedule(durationMs, () => {
      this.#current.delete(key);
      this.#onChange(key, 'ends');
    });
    for (const tell of [...this.#listeners]) tell(key);
  }

  of(key: string): V | undefined {
    return this.#current.get(key);
  }

  keys(): readonly string[] {
    return [...this.#current.keys()];
  }

  /** Time since its end, in milliseconds; not above 0 during the spell. */
  peaceMs(key: string): number {
    return this.#clock.monotonicMs() - (this.#overMs.get(key) ?? Number.NEGATIVE_INFINITY);
  }
}

/** Calls of a namespace that get no answer. */
export interface Hang {
  /** Time until they fail, in milliseconds. */
  readonly forMs: number;
  readonly verbs: readonly Verb[];
}

export type StatusField = keyof CronJobStatus;
export type NullTime = 'startTime' | 'completionTime' | 'lastTransitionTime';

export class Faults {
  /** CronJobs whose Jobs the quota refuses. */
  readonly overQuota: Spells<true>;
  /** CronJobs whose Jobs the manager may not delete. */
  readonly deniedDeletes: Spells<true>;
  /** CronJobs whose Jobs have a webhook for deletes that does not respond. */
  readonly hangingDeletes: Spells<true>;
  /** CronJobs that another controller also writes: one of this number of their status writes conflicts. */
  readonly rivals: Spells<number>;
  /** CronJobs whose Jobs the manager may not patch. */
  readonly deniedPatches: Spells<true>;
  /** CronJobs whose status cannot be written, with the HTTP status of the response. */
  readonly failingStatus: Spells<number>;
  /** CronJobs that users do not change. */
  readonly holidays: Spells<true>;
  /** CronJobs that cannot be read from the server, nor their Jobs; their status also cannot be written. */
  readonly failingReads: Spells<number>;
  /** CronJobs with status fields that the server drops, because the CRD does not define them. */
  readonly prunedStatus: Spells<readonly StatusField[]>;
  /** CronJobs whose Jobs end with times that are null. */
  readonly nullTimes: Spells<readonly NullTime[]>;
  /** Namespaces whose calls hang. */
  readonly hanging: Spells<Hang>;
  /** Number of times that each fault had an effect. */
  readonly counts = new Map<Effect, number>();
  readonly #clock: Clock;
  /** Number of statuses of each CronJob that were sent while it has a rival. */
  readonly #statusWrites = new Map<string, number>();
  /** Time of the last failed call of each verb for each CronJob, on the monotonic clock. */
  readonly #failedMs = new Map<string, number>();

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock;
    const ofCronJobs = <V>(name: string) =>
      new Spells<V>(clock, (key, text) => journal.note(() => `FAULT: ${name} ${text}`, key));
    this.overQuota = ofCronJobs('over quota');
    this.holidays = ofCronJobs('holidays');
    this.deniedDeletes = ofCronJobs('denied deletes');
    this.hangingDeletes = ofCronJobs('hanging deletes');
    this.rivals = ofCronJobs('rival writes');
    this.deniedPatches = ofCronJobs('denied patches');
    this.failingStatus = ofCronJobs('failing status writes');
    this.failingReads = ofCronJobs('failing reads');
    this.prunedStatus = ofCronJobs('pruned status');
    this.nullTimes = ofCronJobs('null times');
    this.hanging = new Spells(clock, (key, text) => journal.note(() => `FAULT: hanging calls of ${key}: ${text}`));
  }

  count(effect: Effect): void {
    this.counts.set(effect, (this.counts.get(effect) ?? 0) + 1);
  }

  /** A call in a pass over that CronJob has failed, for any reason. */
  noteFailure(verb: Verb, key: string): void {
    this.#failedMs.set(`${verb} ${key}`, this.#clock.monotonicMs());
  }

  /** How long no fault has kept runs of the CronJob from starting, apart from the manager and the network. */
  startPeaceMs(key: string): number {
    return Math.min(
      this.overQuota.peaceMs(key),
      this.failingReads.peaceMs(key),
      this.hanging.peaceMs(namespaceOf(key)),
    );
  }

  /** How long all calls except deletes have succeeded. */
  restPeaceMs(key: string): number {
    const failures = (['get', 'list', 'create', 'updateStatus'] as const).map((verb) =>
      this.#sinceFailureMs(verb, key),
    );
    return Math.min(this.startPeaceMs(key), this.failingStatus.peaceMs(key), ...failures);
  }

  /** How long deletes have succeeded. */
  deletePeaceMs(key: string): number {
    const refused = Math.min(this.deniedDeletes.peaceMs(key), this.hangingDeletes.peaceMs(key));
    return Math.min(refused, this.#sinceFailureMs('delete', key));
  }

  /** How long reads of Pods and ends of starts have succeeded. */
  startCheckPeaceMs(key: string): number {
    const failures = (['listPods', 'patch'] as const).map((verb) => this.#sinceFailureMs(verb, key));
    return Math.min(this.deniedPatches.peaceMs(key), ...failures);
  }

  /** Whether a start may have failed so recently that the manager does not retry it yet. */
  isBackingOff(key: string): boolean {
    return Math.min(this.#sinceFailureMs('create', key), this.#sinceFailureMs('delete', key)) < LONGEST_BACK_OFF_MS;
  }

  /** The server's error for a pass over that CronJob; `undefined` when it executes the call. */
  refusalOf(verb: Verb, key: string): Error | undefined {
    const readCode = this.failingReads.of(key);
    switch (verb) {
      case 'create':
        return this.overQuota.of(key) ? this.#answer('create over quota', 403) : undefined;
      case 'delete':
        return this.deniedDeletes.of(key) ? this.#answer('delete denied', 403) : undefined;
      case 'updateStatus': {
        const code = readCode ?? this.failingStatus.of(key);
        return code === undefined ? undefined : this.#answer('status write failed', code);
      }
      case 'patch':
        return this.deniedPatches.of(key) ? this.#answer('patch denied', 403) : undefined;
      case 'get':
      case 'list':
      case 'listPods':
        return readCode === undefined ? undefined : this.#answer('read failed', readCode);
    }
  }

  /** Whether another client writes the CronJob just before the manager does. */
  isOvertaken(key: string): boolean {
    const every = this.rivals.of(key);
    if (every === undefined) return false;
    const count = (this.#statusWrites.get(key) ?? 0) + 1;
    this.#statusWrites.set(key, count);
    if (count % every > 0) return false;
    this.count('status overtaken');
    return true;
  }

  /** How long the call hangs before it fails, in milliseconds; `undefined` when it does not hang. */
  hangOf(verb: Verb, key: string): { readonly forMs: number; readonly error: Error } | undefined {
    if (verb === 'delete' && this.hangingDeletes.of(key)) {
      this.count('delete hung');
      return { forMs: REQUEST_TIMEOUT_MS, error: new TimeoutError('no answer') };
    }
    const hang = this.hanging.of(namespaceOf(key));
    if (hang === undefined || !hang.verbs.includes(verb)) return undefined;
    this.count('call hung');
    const isWebhook = hang.forMs < 60_000;
    const message = 'failed calling webhook: context deadline exceeded';
    const error = isWebhook ? new ApiError(500, { reason: 'InternalError', message }) : new TimeoutError('no answer');
    return { forMs: hang.forMs, error };
  }

  /** The stored fields of a status that the manager writes, and the dropped ones. */
  stored(key: string, status: CronJobStatus): { status: CronJobStatus; pruned: ReadonlySet<StatusField> } {
    const gone = new Set(this.prunedStatus.of(key));
    if (gone.size === 0) return { status, pruned: gone };
    this.count('status pruned');
    const kept = Object.entries(status).filter(([name]) => !gone.has(name as StatusField)); // the names come from a status
    return { status: Object.fromEntries(kept), pruned: gone };
  }

  #answer(effect: Effect, code: number): ApiError {
    this.count(effect);
    const reason = code === 403 ? 'Forbidden' : '';
    return new ApiError(code, { reason, message: `simulated: ${effect}` });
  }

  #sinceFailureMs(verb: Verb, key: string): number {
    return this.#clock.monotonicMs() - (this.#failedMs.get(`${verb} ${key}`) ?? Number.NEGATIVE_INFINITY);
  }
}

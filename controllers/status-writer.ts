/** Writes the status of CronJobs. What counts is what the API server stored, not what was sent: another CRD may drop fields. */
import {
  apiErrorOf,
  BackOff,
  type Clock,
  isConflict,
  isNotFound,
  keyOf,
  type ReconcileContext,
  type Writer,
} from 'controller-runtime';
import { isSameJson } from 'controller-runtime/schema';
import type { CronJob, CronJobStatus } from '../api/v1/cronjob-types.ts';
import type { StatusWrite } from './cronjob/applied.ts';
import type { Settled } from './cronjob/settle.ts';
import { mayBeStored } from './job-writer.ts';
import { cronJobs } from './resources.ts';

/** A field of the status that the API server stored with another value than was sent, or dropped. */
interface Altered {
  readonly sent: unknown;
  readonly stored: unknown;
}

interface AlteredFields {
  readonly uid: string;
  /** On the monotonic clock. */
  readonly sentAtMs: number;
  readonly fields: ReadonlyMap<string, Altered>;
  /** What was sent since and got no answer that tells whether it is stored. */
  readonly unanswered?: CronJobStatus;
}

/** Limits a write that hangs in an admission webhook, because the next slot of the CronJob waits for the pass. */
const STATUS_TIMEOUT_MS = 15_000;
/** A status that was altered is sent again after this long: the CRD may have been upgraded. */
const SEND_AGAIN_AFTER_MS = 3_600_000;

export class StatusWriter {
  readonly #client: Writer;
  readonly #clock: Clock;
  /** By CronJob. */
  readonly #backOff: BackOff;
  /** By CronJob: what the API server altered. Empty unless the CRD in the cluster is not the one of this version. */
  readonly #altered = new Map<string, AlteredFields>();
  #hasLoggedAltered = false;

  constructor(client: Writer, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#backOff = new BackOff(clock);
  }

  /**
   * The CronJob, with the values that were sent in place of those that the API server altered. Without this, each pass would find a
   * difference and write the status again.
   */
  withStatusAsSent(cronJob: CronJob): CronJob {
    const altered = this.#altered.get(keyOf(cronJob));
    if (altered?.uid !== cronJob.metadata.uid) return cronJob;
    const stored = entriesOf(cronJob.status);
    const { fields, unanswered } = altered;
    const isStored = unanswered && isSameJson(without(fields, unanswered), without(fields, cronJob.status));
    const newest = entriesOf(unanswered);
    const sent = [...fields]
      .filter(([name, field]) => isSameJson(stored.get(name), field.stored))
      .map(([name, field]) => [name, isStored ? newest.get(name) : field.sent] as const)
      .filter(([, value]) => value !== undefined);
    return { ...cronJob, status: statusFrom([...stored, ...sent]) };
  }

  /**
   * Writes `status` if it differs from what is stored, and if it cannot wait or no other CronJob comes first. Never rejects.
   * @param cronJob With the status that the API server has.
   */
  async write(
    cronJob: CronJob,
    { status, canWait }: Pick<Settled, 'status' | 'canWait'>,
    { log, signal, lowerPriority }: ReconcileContext,
  ): Promise<StatusWrite> {
    const key = keyOf(cronJob);
    const { status: stored = {} } = cronJob;
    if (isSameJson(status, cronJob.status)) {
      this.forget(key);
      return { kind: 'Stored', status, isNew: false };
    }
    if (!this.#mustSendAgain(cronJob) && isSameJson(status, this.withStatusAsSent(cronJob).status)) {
      this.#backOff.forget(key);
      return { kind: 'Stored', status: stored, isNew: false };
    }
    if (canWait && !lowerPriority()) return { kind: 'Postponed', status: stored };
    return this.#send(cronJob, status, { log, signal });
  }

  /** How long until the next try, in milliseconds; `undefined` when none is needed. */
  remainingMs(key: string): number | undefined {
    return this.#backOff.remainingMs(key);
  }

  /** For a CronJob whose status is stored as wanted, or that is gone. */
  forget(key: string): void {
    this.#backOff.forget(key);
    this.#altered.delete(key);
  }

  async #send(
    cronJob: CronJob,
    status: CronJobStatus,
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<StatusWrite> {
    const key = keyOf(cronJob);
    try {
      const { metadata } = cronJob;
      const options = { signal, timeoutMs: STATUS_TIMEOUT_MS };
      const written = await this.#client.updateStatus(cronJobs, { metadata, status }, options);
      this.#backOff.forget(key);
      this.#noteAltered(written, status, log);
      return { kind: 'Stored', status: written.status ?? {}, isNew: true };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'Gone' };
      this.#backOff.failed(key, apiErrorOf(error)?.retryAfterMs);
      if (mayBeStored(error)) this.#noteUnanswered(key, status);
      if (signal.aborted) log.debug('could not write status: stopping');
      else if (isConflict(error)) log.debug('could not write status: CronJob changed meanwhile, will retry');
      else log.error('could not write status, will retry', error);
      return { kind: 'Failed', status: cronJob.status ?? {} };
    }
  }

  #mustSendAgain({ metadata }: CronJob): boolean {
    const altered = this.#altered.get(keyOf(metadata));
    return altered?.uid === metadata.uid && this.#clock.monotonicMs() - altered.sentAtMs >= SEND_AGAIN_AFTER_MS;
  }

  #noteUnanswered(key: string, sent: CronJobStatus): void {
    const altered = this.#altered.get(key);
    if (altered) this.#altered.set(key, { ...altered, unanswered: sent });
  }

  #noteAltered(written: CronJob, sent: CronJobStatus, log: ReconcileContext['log']): void {
    const key = keyOf(written);
    const fields = alteredFields(sent, written.status);
    if (fields === undefined) {
      this.#altered.delete(key);
      return;
    }
    this.#altered.set(key, { uid: written.metadata.uid, sentAtMs: this.#clock.monotonicMs(), fields });
    if (this.#hasLoggedAltered) return;
    this.#hasLoggedAltered = true;
    log.info('the API server dropped fields of the status; install the CustomResourceDefinition of this version', {
      fields: [...fields.keys()],
    });
  }
}

/** `undefined` when all was stored as it was sent, as ever where the CRD is the one of this version. */
function alteredFields(sent: CronJobStatus, stored: CronJobStatus = {}): ReadonlyMap<string, Altered> | undefined {
  if (isSameJson(sent, stored)) return undefined;
  const found = entriesOf(stored);
  const fields = new Map<string, Altered>();
  for (const [name, value] of entriesOf(sent)) {
    const field = { sent: value, stored: found.get(name) };
    if (!isSameJson(field.sent, field.stored)) fields.set(name, field);
  }
  return fields.size === 0 ? undefined : fields;
}

/** The status without these fields. */
function without(fields: AlteredFields['fields'], status: CronJobStatus | undefined): CronJobStatus {
  return statusFrom([...entriesOf(status)].filter(([name]) => !fields.has(name)));
}

function entriesOf(status: CronJobStatus | undefined): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(status ?? {}));
}

/** @param entries Names and values of fields, all from a status that was sent or received. */
function statusFrom(entries: readonly (readonly [string, unknown])[]): CronJobStatus {
  return Object.fromEntries(entries) as CronJobStatus;
}

/** Stores the status of CronJobs. What the API server has stored is the truth, not what was sent. */
import { isDeepStrictEqual } from 'node:util';
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
import type { CronJob, CronJobStatus } from '../api/v1/cronjob-types.ts';
import type { StatusWrite } from './cronjob/applied.ts';
import { cronJobs } from './resources.ts';

/** A field that the API server has stored otherwise than it was sent, or not at all. */
interface Altered {
  readonly sent: unknown;
  readonly stored: unknown;
}

interface AlteredFields {
  readonly uid: string;
  /** On the steady clock. */
  readonly sentAtMs: number;
  readonly fields: ReadonlyMap<string, Altered>;
}

/** An admission webhook may hang: the next slot of the CronJob waits for the pass. */
const STATUS_TIMEOUT_MS = 15_000;
/** After this long a status that was altered is sent once more: the CRD may be another by now. */
const SEND_AGAIN_AFTER_MS = 3_600_000;

export class StatusWriter {
  readonly #client: Writer;
  readonly #clock: Clock;
  /** By CronJob. */
  readonly #backOff: BackOff;
  /** By CronJob, where the CRD in the cluster is another than ours: it drops fields that it does not know. */
  readonly #altered = new Map<string, AlteredFields>();
  #hasTold = false;

  constructor(client: Writer, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#backOff = new BackOff(clock);
  }

  /** The CronJob with the status as it was sent, where the API server would not keep it so: else each pass would send it again. */
  withStatusAsSent(cronJob: CronJob): CronJob {
    const altered = this.#altered.get(keyOf(cronJob));
    if (altered?.uid !== cronJob.metadata.uid) return cronJob;
    const stored = entriesOf(cronJob.status);
    const sent = [...altered.fields]
      .filter(([name, field]) => isDeepStrictEqual(stored.get(name), field.stored))
      .map(([name, field]) => [name, field.sent] as const);
    return { ...cronJob, status: statusFrom([...stored, ...sent]) };
  }

  /**
   * Stores `status` unless it is stored already. Never rejects.
   * @param cronJob With the status that the API server has.
   */
  async write(cronJob: CronJob, status: CronJobStatus, { log, signal }: ReconcileContext): Promise<StatusWrite> {
    const key = keyOf(cronJob);
    const { status: stored = {} } = cronJob;
    if (isDeepStrictEqual(status, cronJob.status)) {
      this.forget(key);
      return { kind: 'Stored', status };
    }
    if (!this.#mustSendAgain(cronJob) && isDeepStrictEqual(status, this.withStatusAsSent(cronJob).status)) {
      this.#backOff.forget(key);
      return { kind: 'Stored', status: stored };
    }
    try {
      const { metadata } = cronJob;
      const options = { signal, timeoutMs: STATUS_TIMEOUT_MS };
      const written = await this.#client.updateStatus(cronJobs, { metadata, status }, options);
      this.#backOff.forget(key);
      this.#noteAltered(written, status, log);
      return { kind: 'Stored', status: written.status ?? {} };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'Gone' };
      this.#backOff.failed(key, apiErrorOf(error)?.retryAfterMs);
      if (signal.aborted) log.debug('could not write status: stopping');
      else if (isConflict(error)) log.debug('could not write status: CronJob changed meanwhile, will retry');
      else log.error('could not write status, will retry', error);
      return { kind: 'Failed', status: stored };
    }
  }

  /** How long until the next try, in milliseconds; `undefined` when none is needed. */
  remainingMs(key: string): number | undefined {
    return this.#backOff.remainingMs(key);
  }

  /** All is stored as it is wanted, or the CronJob is gone. */
  forget(key: string): void {
    this.#backOff.forget(key);
    this.#altered.delete(key);
  }

  #mustSendAgain({ metadata }: CronJob): boolean {
    const altered = this.#altered.get(keyOf(metadata));
    return altered?.uid === metadata.uid && this.#clock.monotonicMs() - altered.sentAtMs >= SEND_AGAIN_AFTER_MS;
  }

  #noteAltered(written: CronJob, sent: CronJobStatus, log: ReconcileContext['log']): void {
    const key = keyOf(written);
    const stored = entriesOf(written.status);
    const fields = new Map(
      [...entriesOf(sent)]
        .map(([name, value]) => [name, { sent: value, stored: stored.get(name) }] as const)
        .filter(([, field]) => !isDeepStrictEqual(field.sent, field.stored)),
    );
    if (fields.size === 0) {
      this.#altered.delete(key);
      return;
    }
    this.#altered.set(key, { uid: written.metadata.uid, sentAtMs: this.#clock.monotonicMs(), fields });
    if (this.#hasTold) return;
    this.#hasTold = true;
    log.info('the API server dropped fields of the status; install the CustomResourceDefinition of this version', {
      fields: [...fields.keys()],
    });
  }
}

function entriesOf(status: CronJobStatus | undefined): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(status ?? {}));
}

/** @param entries Each of one field of a status, with a value that was sent or received for it. */
function statusFrom(entries: readonly (readonly [string, unknown])[]): CronJobStatus {
  return Object.fromEntries(entries) as CronJobStatus;
}

/** Writes the status of CronJobs. Keeps a status as the pending status until the API server stores it. */
import {
  type Clock,
  findApiError,
  formatKey,
  isConflict,
  isNotFound,
  type ReconcileContext,
  type Writer,
} from 'controller-runtime';
import { BackOff } from 'controller-runtime/internal';
import { isSameJson } from 'controller-runtime/schema';
import type { CronJob, CronJobStatus } from '../api/v1/cronjob-types.ts';
import type { Outcome } from './cronjob/conclude.ts';
import { NO_NOTIFICATIONS } from './cronjob/events.ts';
import {
  createPendingStatus,
  type PendingStatus,
  type StatusWriteResult,
  withPendingNotifications,
  withPendingStatus,
} from './cronjob/pending.ts';
import { cronJobs } from './resources.ts';

/** Time limit of a write, which may hang in an admission webhook. The run of the next slot waits until the reconcile ends. */
const STATUS_TIMEOUT_MS = 15_000;
/** Time between attempts to store an altered status. Meanwhile, an administrator may upgrade the CRD. */
const ALTERED_STATUS_RETRY_MS = 3_600_000;

export class StatusWriter {
  readonly #client: Writer;
  readonly #clock: Clock;
  readonly #writeBackOff: BackOff;
  /** The pending status of each CronJob, by the key of the CronJob. */
  readonly #pending: Map<string, PendingStatus>;
  /** For the key of each CronJob: the monotonic time at which the API server last dropped fields of the status. */
  readonly #alteredAtMs = new Map<string, number>();
  #hasLoggedAltered = false;

  constructor(client: Writer, clock: Clock, pending = new Map<string, PendingStatus>()) {
    this.#client = client;
    this.#clock = clock;
    this.#writeBackOff = new BackOff(clock);
    this.#pending = pending;
  }

  pending({ metadata }: CronJob): PendingStatus | undefined {
    const pending = this.#pending.get(formatKey(metadata));
    return pending?.uid === metadata.uid ? pending : undefined;
  }

  /**
   * Writes the status if it differs from the stored status. Postpones the write if it can wait and other CronJobs wait for an
   * urgent reconcile. Never rejects.
   * @param cronJob The CronJob with its stored status.
   */
  async write(
    cronJob: CronJob,
    outcome: Outcome,
    { log, signal, tryContinueAtLowPriority }: ReconcileContext,
  ): Promise<StatusWriteResult> {
    const key = formatKey(cronJob);
    const { status: stored = {} } = cronJob;
    const { status } = outcome;
    const pending = this.pending(cronJob);
    if (isSameJson(status, cronJob.status)) {
      this.forget(key);
      return {
        kind: 'Stored',
        status,
        isNew: false,
        notifications: withPendingNotifications(pending, outcome.notifications),
      };
    }
    const isKnownAlteration =
      pending?.kind === 'Altered' && isSameJson(status, withPendingStatus(cronJob, pending).status);
    if (isKnownAlteration && !this.#mustSendAgain(key)) {
      return { kind: 'Stored', status: stored, isNew: false, notifications: outcome.notifications };
    }
    if (outcome.canWait && !tryContinueAtLowPriority()) return this.#makePending(cronJob, outcome, 'Postponed');
    return await this.#send(cronJob, outcome, { log, signal });
  }

  #makePending(cronJob: CronJob, outcome: Outcome, kind: 'Postponed' | 'Failed'): StatusWriteResult {
    this.#pending.set(formatKey(cronJob), createPendingStatus(cronJob, outcome, kind, this.pending(cronJob)));
    return kind === 'Failed' ? { kind, status: cronJob.status ?? {} } : { kind };
  }

  /** Milliseconds until the next attempt; `undefined` if the last write succeeded. */
  remainingMs(key: string): number | undefined {
    return this.#writeBackOff.remainingMs(key);
  }

  forget(key: string): void {
    this.#writeBackOff.forget(key);
    this.#pending.delete(key);
    this.#alteredAtMs.delete(key);
  }

  async #send(
    cronJob: CronJob,
    outcome: Outcome,
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<StatusWriteResult> {
    const key = formatKey(cronJob);
    const { status } = outcome;
    try {
      const { metadata } = cronJob;
      const options = { signal, timeoutMs: STATUS_TIMEOUT_MS };
      const written = await this.#client.updateStatus(cronJobs, { metadata, status }, options);
      const notifications = withPendingNotifications(this.pending(cronJob), outcome.notifications);
      this.forget(key);
      this.#detectAltered(written, status, log);
      return { kind: 'Stored', status: written.status ?? {}, isNew: true, notifications };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'Gone' };
      this.#writeBackOff.recordFailure(key, undefined, findApiError(error)?.retryAfterMs);
      if (signal.aborted) log.debug('could not write status: stopping');
      else if (isConflict(error)) log.debug('could not write status: CronJob changed meanwhile, will retry');
      else log.error('could not write status, will retry', error);
      return this.#makePending(cronJob, outcome, 'Failed');
    }
  }

  #mustSendAgain(key: string): boolean {
    return this.#clock.monotonicMs() - (this.#alteredAtMs.get(key) ?? 0) >= ALTERED_STATUS_RETRY_MS;
  }

  #detectAltered(
    { metadata, status: stored = {} }: CronJob,
    sentStatus: CronJobStatus,
    log: ReconcileContext['log'],
  ): void {
    const names = Object.keys(sentStatus) as readonly (keyof CronJobStatus)[];
    const droppedNames = names.filter((name) => !isSameJson(sentStatus[name], stored[name]));
    if (droppedNames.length === 0) return;
    const status = { ...stored, ...sentStatus };
    const key = formatKey(metadata);
    this.#pending.set(key, { uid: metadata.uid, status, stored, kind: 'Altered', notifications: NO_NOTIFICATIONS });
    this.#alteredAtMs.set(key, this.#clock.monotonicMs());
    if (this.#hasLoggedAltered) return;
    this.#hasLoggedAltered = true;
    log.info('the API server dropped fields of the status; install the CustomResourceDefinition of this version', {
      fields: droppedNames,
    });
  }
}

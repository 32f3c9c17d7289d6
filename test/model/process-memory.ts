/**
 * The only access to the memory of the reconciler between passes. The memory leaves here as plain data, which the model compares without
 * reading it, and returns before the next pass: no other part of test/model knows where the reconciler keeps it.
 *
 * Back-offs are excluded: each pass begins without one, so that a retry may come at any time.
 */
import type { PendingStatus } from '../../controllers/cronjob/pending.ts';
import type { FailedCreate } from '../../controllers/job-writer.ts';

/** The memory of a process about the CronJob; `undefined` when it has none. */
export type ProcessMemory =
  | { readonly pending?: PendingStatus | undefined; readonly failed?: readonly FailedCreate[] | undefined }
  | undefined;

interface ReconcilerMemory {
  readonly pendingStatuses: Map<string, PendingStatus>;
  readonly failedCreates: Map<string, readonly FailedCreate[]>;
}

/** Options of a reconciler with this memory. */
export function restoreMemory(key: string, memory: ProcessMemory): ReconcilerMemory {
  const { pending, failed } = memory ?? {};
  return { pendingStatuses: new Map(pending && [[key, pending]]), failedCreates: new Map(failed && [[key, failed]]) };
}

/** @param options The options from {@link restoreMemory}, after a pass. */
export function saveMemory(key: string, { pendingStatuses, failedCreates }: ReconcilerMemory): ProcessMemory {
  const [pending, failed] = [pendingStatuses.get(key), failedCreates.get(key)];
  return pending === undefined && failed === undefined ? undefined : { pending, failed };
}

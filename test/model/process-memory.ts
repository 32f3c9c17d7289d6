/**
 * The one door to what the reconciler remembers between passes. Whatever it remembers comes out here as plain data, which the model compares
 * and never looks into, and goes in again before the next pass: nothing else in test/model knows where the reconciler keeps it.
 *
 * Back-offs are left out on purpose: each pass begins without one, so that a retry may come at any time.
 */
import type { PendingStatus } from '../../controllers/cronjob/pending.ts';
import type { FailedCreate } from '../../controllers/job-writer.ts';

/** What a process knows of the CronJob; `undefined` when nothing. */
export type ProcessMemory =
  | { readonly pending?: PendingStatus | undefined; readonly failed?: readonly FailedCreate[] | undefined }
  | undefined;

interface Remembered {
  readonly pendingStatuses: Map<string, PendingStatus>;
  readonly failedCreates: Map<string, readonly FailedCreate[]>;
}

/** Options of a reconciler that remembers this. */
export function restored(key: string, remembered: ProcessMemory): Remembered {
  const { pending, failed } = remembered ?? {};
  return { pendingStatuses: new Map(pending && [[key, pending]]), failedCreates: new Map(failed && [[key, failed]]) };
}

/** @param options Those of {@link restored}, after a pass. */
export function snapshot(key: string, { pendingStatuses, failedCreates }: Remembered): ProcessMemory {
  const [pending, failed] = [pendingStatuses.get(key), failedCreates.get(key)];
  return pending === undefined && failed === undefined ? undefined : { pending, failed };
}

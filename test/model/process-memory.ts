/**
 * The one door to what the reconciler remembers between passes. Whatever it remembers comes out here as plain data, which the model compares
 * and never looks into, and goes in again before the next pass: nothing else in test/model knows where the reconciler keeps it.
 *
 * Back-offs are left out on purpose: each pass begins without one, so that a retry may come at any time.
 */
import type { Memory } from '../../controllers/cronjob/memory.ts';
import type { FailedCreate } from '../../controllers/job-writer.ts';

/** What a process knows of the CronJob; `undefined` when nothing. */
export type ProcessMemory =
  | { readonly memory?: Memory | undefined; readonly failed?: readonly FailedCreate[] | undefined }
  | undefined;

interface Remembered {
  readonly memories: Map<string, Memory>;
  readonly failedCreates: Map<string, readonly FailedCreate[]>;
}

/** Options of a reconciler that remembers this. */
export function restored(key: string, remembered: ProcessMemory): Remembered {
  const { memory, failed } = remembered ?? {};
  return { memories: new Map(memory && [[key, memory]]), failedCreates: new Map(failed && [[key, failed]]) };
}

/** @param options Those of {@link restored}, after a pass. */
export function snapshot(key: string, { memories, failedCreates }: Remembered): ProcessMemory {
  const [memory, failed] = [memories.get(key), failedCreates.get(key)];
  return memory === undefined && failed === undefined ? undefined : { memory, failed };
}

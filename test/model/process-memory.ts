/**
 * The one door to what the reconciler remembers between passes. Whatever it remembers comes out here as plain data, which the model compares
 * and never looks into, and goes in again before the next pass: nothing else in test/model knows where the reconciler keeps it.
 *
 * Back-offs are left out on purpose: each pass begins without one, so that a retry may come at any time.
 */
import type { Memory } from '../../controllers/cronjob/memory.ts';

/** What a process knows of the CronJob; `undefined` when nothing. */
export type ProcessMemory = Memory | undefined;

/** Options of a reconciler that remembers this. */
export function restored(key: string, memory: ProcessMemory): { readonly memories: Map<string, Memory> } {
  return { memories: new Map(memory === undefined ? [] : [[key, memory]]) };
}

/** @param options Those of {@link restored}, after a pass. */
export function snapshot(key: string, { memories }: ReturnType<typeof restored>): ProcessMemory {
  return memories.get(key);
}

/**
 * A lock with which one process at a time fills the cache folder, while other processes wait.
 *
 * The lock is the operating system's, taken through SQLite, which ships with Node: it ends with its process, however
 * that ends. A lock file with a process number in it cannot be taken over safely: between finding it abandoned and
 * removing it, another waiter may have taken it over already.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** SQLite's code for a lock that another process holds. */
const SQLITE_BUSY = 5;
const RETRY_INTERVAL_MS = 200;

/** Runs `work` while holding the lock at `file`. The file stays behind, unlocked. Throws when the folder is not writable. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!tryLock(database)) await sleep(RETRY_INTERVAL_MS);
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/**
 * A lock between processes, which prevents concurrent changes of the cache folder.
 *
 * SQLite, which is part of Node, uses a lock of the operating system, which ends when its process ends or is killed. A lock file with a
 * process ID would not be safe: two waiting processes could find the same stale file, and both could acquire the lock.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** SQLite's error code if a different process has the lock. */
const SQLITE_BUSY = 5;
const RETRY_INTERVAL_MS = 200;

/** Runs `work` while this process has the lock `file`. Does not delete the file. Throws if the folder is not writable. */
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

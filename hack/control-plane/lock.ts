/**
 * One process at a time fills the cache folder; the others wait and then find it filled.
 *
 * The lock is the operating system's, taken through SQLite, which ships with Node: it ends with its process, however
 * that ends. A lock file with a process number in it cannot be taken over safely: between finding it abandoned and
 * removing it, another waiter may have taken it over already.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** SQLite's code for "somebody else holds it". */
const SQLITE_BUSY = 5;

export interface LockOptions {
  /** Called once, when somebody else holds the lock. */
  readonly onWait: (holder: string) => void;
  /** Between two tries, in milliseconds; 500 by default. */
  readonly retryIntervalMs?: number;
}

/** Runs `work` while holding the lock at `file`, which stays behind, free. Throws when the folder cannot be written. */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const release = await acquire(file, options);
  try {
    await writeFile(holderFile(file), `process ${process.pid} on ${hostname()}`);
    return await work();
  } finally {
    release();
  }
}

async function acquire(file: string, { onWait, retryIntervalMs = 500 }: LockOptions): Promise<() => void> {
  let hasWaited = false;
  for (;;) {
    const release = tryLock(file);
    if (release !== undefined) return release;
    if (!hasWaited) onWait(await readFile(holderFile(file), 'utf8').catch(() => 'another process'));
    hasWaited = true;
    await sleep(retryIntervalMs);
  }
}

function tryLock(file: string): (() => void) | undefined {
  const database = open(file);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw new Error(`lock ${file}`, { cause: error });
  }
}

function open(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new Error(`open lock ${file}`, { cause: error });
  }
}

/** Who holds it, for the message to those who wait. */
function holderFile(file: string): string {
  return `${file}.holder`;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

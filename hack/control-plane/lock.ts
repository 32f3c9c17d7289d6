/**
 * One process at a time fills the cache folder; the others wait and then find it filled.
 *
 * The lock saves work. Correctness does not rest on it: files enter the cache by atomic rename.
 */
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The holder renews the lock this often, in milliseconds. */
const RENEW_INTERVAL_MS = 5_000;
/** A lock not renewed for so long belongs to nobody, in milliseconds. Covers holders on other hosts that share the folder. */
const STALE_AFTER_MS = 60_000;

interface Holder {
  readonly pid: number;
  readonly host: string;
}

export interface LockOptions {
  /** Called once, when somebody else holds the lock. */
  readonly onWait: (holder: string) => void;
  /** Between two tries, in milliseconds. */
  readonly retryIntervalMs?: number;
}

/** Runs `work` while holding the lock at `file`. The lock of a process that is gone is taken over. */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  await acquire(file, options);
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined); // taken over: nothing to renew, and the work is safe without
  }, RENEW_INTERVAL_MS);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await rm(file, { force: true });
  }
}

async function acquire(file: string, { onWait, retryIntervalMs = 500 }: LockOptions): Promise<void> {
  let hasWaited = false;
  while (!(await tryCreate(file))) {
    const found = await readFile(file, 'utf8').catch(() => undefined);
    if (found === undefined) continue; // released in between
    if (await isAbandoned(file, found)) {
      await removeIfStill(file, found);
      continue;
    }
    if (!hasWaited) onWait(describe(found));
    hasWaited = true;
    await sleep(retryIntervalMs);
  }
}

async function tryCreate(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(`${process.pid} ${hostname()}\n`);
    await handle.close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new Error(`create lock ${file}`, { cause: error });
  }
}

async function isAbandoned(file: string, content: string): Promise<boolean> {
  const holder = parseHolder(content);
  if (holder !== undefined && holder.host === hostname() && !isAlive(holder.pid)) return true;
  const renewedAtMs = await stat(file).then(
    (stats) => stats.mtimeMs,
    () => undefined,
  );
  return renewedAtMs !== undefined && Date.now() - renewedAtMs > STALE_AFTER_MS;
}

/** Renaming is what only one of several waiters can do; the loser finds nothing there and tries again. */
async function removeIfStill(file: string, content: string): Promise<void> {
  const aside = `${file}.abandoned-${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw new Error(`take over lock ${file}`, { cause: error });
  }
  const moved = await readFile(aside, 'utf8');
  if (moved === content) await rm(aside, { force: true });
  else await rename(aside, file); // somebody else was faster and holds it by now: give it back
}

function parseHolder(content: string): Holder | undefined {
  // Just created and not yet written, or damaged: then its age decides.
  const [, pid, host] = /^(\d+) (\S+)\n$/.exec(content) ?? [];
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host };
}

function describe(content: string): string {
  const holder = parseHolder(content);
  return holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

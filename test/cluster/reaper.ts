/**
 * Ends child processes when this process is gone for any reason: a signal handler does not run on SIGKILL, and children in separate
 * sessions (so that Ctrl-C reaches only us, and we stop them in order) would outlive us for good.
 *
 * A shell reads our orders from a pipe. The pipe ends with this process; then the shell ends the process groups on its list.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Time between SIGTERM and SIGKILL, in milliseconds. */
const DEFAULT_GRACE_MS = 3_000;
const POLL_INTERVAL_MS = 100;

/** Its argument: the number of checks whether the groups are gone before it ends them by force. */
const SCRIPT = `
trap '' INT TERM HUP
groups=' '
folder=
cgroups=
while read -r order value; do
  case $order in
    watch) groups="$groups$value " ;;
    forget) groups="\${groups%% $value *} \${groups#* $value }" ;;
    folder) folder=$value ;;
    cgroup) cgroups="$cgroups $value" ;;
  esac
done
for group in $groups; do kill -s TERM -- "-$group"; done
looks=$1
for group in $groups; do
  while kill -s 0 -- "-$group" && [ "$looks" -gt 0 ]; do
    sleep ${POLL_INTERVAL_MS / 1000}
    looks=$((looks - 1))
  done
  kill -s KILL -- "-$group"
done
for cgroup in $cgroups; do
  looks=$1
  while [ -d "$cgroup" ] && [ "$looks" -gt 0 ]; do
    find "$cgroup" -depth -type d -exec rmdir {} \\; || sleep ${POLL_INTERVAL_MS / 1000}
    looks=$((looks - 1))
  done
done
[ -z "$folder" ] || rm -rf -- "$folder"
`;

/** Guards process groups until {@link Reaper.close}. */
export class Reaper {
  readonly #shell: ChildProcess;

  constructor({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {}) {
    const attempts = Math.ceil(graceMs / POLL_INTERVAL_MS);
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'control-plane-reaper', String(attempts)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.unref();
    // The shell never ends before the pipe does; without a listener, a failed write would end this process.
    this.#shell.stdin?.on('error', () => undefined);
    (this.#shell.stdin as Socket | null)?.unref(); // a pipe of Node is a socket
  }

  /** Ends `group` when this process ends. */
  watch(group: number): void {
    this.#send(`watch ${group}`);
  }

  /** `group` has ended: its number may soon belong to another process group. */
  forget(group: number): void {
    this.#send(`forget ${group}`);
  }

  /** Deletes `folder` when this process ends, after the groups. */
  removeFolder(folder: string): void {
    this.#send(`folder ${folder}`);
  }

  /** Removes the control group in `folder`, and its children, when this process ends, after the groups of processes. */
  removeCgroup(folder: string): void {
    this.#send(`cgroup ${folder}`);
  }

  /** Ends the groups on the list, and stops guarding. */
  async close(): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    const exited = once(this.#shell, 'exit');
    this.#shell.ref();
    this.#shell.stdin?.end();
    await exited;
  }

  #send(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }
}

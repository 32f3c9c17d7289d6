/** The state of this machine that a node might change permanently. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

export interface MachineState {
  /** Kernel settings, by file. */
  readonly settings: Readonly<Record<string, string>>;
  readonly mounts: string;
  readonly links: readonly string[];
  /** Folders that a kubelet or containerd creates. */
  readonly folders: readonly string[];
}

/** The current state; equal to an earlier one when nothing has changed. */
export function machineState(): MachineState {
  const settings: Record<string, string> = {};
  for (const file of globSync('/proc/sys/{kernel/panic*,vm/*,net/**}')) {
    const content = /count|random|stat_/.test(file) ? undefined : readIfAllowed(file);
    if (content !== undefined) settings[file] = content;
  }
  return {
    settings,
    mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
    links: Object.keys(networkInterfaces()),
    folders: ['/var/lib/kubelet', '/var/lib/cni', '/run/containerd'].filter((folder) => existsSync(folder)),
  };
}

/** `undefined` for a folder, and for a file that cannot be read. */
function readIfAllowed(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

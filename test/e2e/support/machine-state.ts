/** What of this machine a node might change for good. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

export interface MachineState {
  /** Content of the kernel's settings, by file. */
  readonly settings: Readonly<Record<string, string>>;
  readonly mounts: string;
  readonly links: readonly string[];
  /** Folders that a kubelet or containerd makes. */
  readonly folders: readonly string[];
}

/** The state now; equal to an earlier one when nothing was changed. */
export function machineState(): MachineState {
  const settings: Record<string, string> = {};
  for (const file of globSync('/proc/sys/{kernel/panic*,vm/*,net/**}')) {
    const content = /count|random|stat_/.test(file) ? undefined : readable(file);
    if (content !== undefined) settings[file] = content;
  }
  return {
    settings,
    mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
    links: Object.keys(networkInterfaces()),
    folders: ['/var/lib/kubelet', '/var/lib/cni', '/run/containerd'].filter((folder) => existsSync(folder)),
  };
}

/** `undefined` for a folder, and for what can only be written. */
function readable(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

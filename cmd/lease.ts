import { readFileSync } from 'node:fs';
import type { ManagerFlags } from './flags.ts';

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The lease that the flags ask for; `undefined` without leader election. Throws when no namespace is given or known. */
export function leaseFor(
  flags: Pick<ManagerFlags, 'isLeaderElected' | 'leaderElectionNamespace' | 'leaderElectionId'>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): { readonly namespace: string; readonly name: string } | undefined {
  if (!flags.isLeaderElected) return undefined;
  return { namespace: flags.leaderElectionNamespace ?? podNamespace(readFile), name: flags.leaderElectionId };
}

function podNamespace(readFile: (path: string) => string): string {
  try {
    return readFile(POD_NAMESPACE_FILE).trim();
  } catch (cause) {
    throw new Error('leader election outside a cluster needs a namespace: give --leader-election-namespace', { cause });
  }
}

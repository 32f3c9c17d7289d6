import type { ManagerFlags } from './flag-table.ts';
import { podNamespace, readText } from './pod-namespace.ts';

const NO_NAMESPACE = 'leader election outside a cluster needs a namespace: give --leader-election-namespace';

/** The lease that the flags ask for; `undefined` without leader election. Throws when no namespace is given or known. */
export function leaseFor(
  flags: Pick<ManagerFlags, 'isLeaderElected' | 'leaderElectionNamespace' | 'leaderElectionId'>,
  readFile: (path: string) => string = readText,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!flags.isLeaderElected) return undefined;
  const namespace = flags.leaderElectionNamespace ?? podNamespace(NO_NAMESPACE, readFile);
  return { namespace, name: flags.leaderElectionId };
}

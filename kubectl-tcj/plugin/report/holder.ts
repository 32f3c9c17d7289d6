/** Who holds a Job or a Pod, by the names that Kubernetes has for that: of finalizers, scheduling gates and managers. */
import { commandLine } from '../command-line.ts';
import type { Remedy } from './remedy.ts';

/** A name and what comes before it: `example.com/cleanup` is the `cleanup` of `example.com`. */
export function ownerOf(name: string): string {
  const [domain = '', own] = name.split('/');
  if (own === undefined) return `what has set ${name}`;
  return domain === KUEUE ? 'Kueue' : `the controller of ${domain}`;
}

const KUEUE = 'kueue.x-k8s.io';

/** Of a Job; older versions of Kueue read it as an annotation. */
export const QUEUE_NAME = `${KUEUE}/queue-name`;
/** In `spec.managedBy`. */
export const MULTI_KUEUE = `${KUEUE}/multikueue`;

/** What Kueue waits for is told of its own object. */
export function seeWorkload(namespace: string, jobUid: string): Remedy {
  const words = [
    'kubectl',
    'describe',
    'workloads.kueue.x-k8s.io',
    '-n',
    namespace,
    '-l',
    `${KUEUE}/job-uid=${jobUid}`,
  ];
  return { change: 'see what its Workload waits for', command: { kind: 'Other', line: commandLine(words) } };
}

export function describing(change: string, kind: string, name: string, namespace?: string): Remedy {
  const place = namespace === undefined ? [] : ['-n', namespace];
  return { change, command: { kind: 'Other', line: commandLine(['kubectl', 'describe', kind, name, ...place]) } };
}

/** What to do about finalizers that stay. To take one away by hand is no advice: what it stands for would be left undone. */
export function seeFinalizers(owners: string, kind: string, name: string, namespace: string): Remedy {
  const line = commandLine(['kubectl', 'get', kind, name, '-n', namespace, '-o', 'yaml']);
  return { change: `see that ${owners} works, which removes it`, command: { kind: 'Other', line } };
}

export function listed(names: readonly string[]): string {
  return names.join(' and ');
}

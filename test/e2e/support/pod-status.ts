/** What a kubelet writes into the status of a Pod with one container. */
import type { Manifest } from '../../support/manifests.ts';

/** As in a Pod's status: one of `waiting`, `running` and `terminated`. */
export type ContainerState = Readonly<Record<string, Readonly<Record<string, string | number>>>>;

/** What has become of the container, as a value: another one with each change. */
export interface ContainerReport {
  readonly state: ContainerState;
  /** How it ended the time before. */
  readonly lastState: ContainerState;
  readonly restartCount: number;
  readonly isReady: boolean;
  /** RFC 3339: since when it has been ready, or not. */
  readonly since: string;
}

/** All that others have written into the status stays in it. */
export function podStatus(pod: Manifest, report: ContainerReport): object {
  const { state, lastState, restartCount, isReady, since } = report;
  const isStarted = !('waiting' in state) || 'terminated' in lastState;
  const { metadata, spec, status = {} } = pod;
  const [{ name, image }] = spec.containers;
  const own = ['Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: isReady || type === 'Initialized' ? 'True' : 'False',
    lastTransitionTime: type === 'Initialized' ? metadata.creationTimestamp : since,
  }));
  const isForeign = (condition: { readonly type: string }) => !own.some(({ type }) => type === condition.type);
  return {
    ...status,
    phase: isStarted ? 'Running' : 'Pending',
    startTime: metadata.creationTimestamp,
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    conditions: [...(status.conditions ?? []).filter(isForeign), ...own],
    containerStatuses: [
      { name, image, imageID: '', ready: isReady, started: 'running' in state, restartCount, state, lastState },
    ],
  };
}

/** Lists the containers of a Pod and reports whether each container has a log. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatReason } from '../report/sentences.ts';

export interface ContainerLog {
  /** The names of the Pod and the container, and the number of restarts, because each restart has a separate log. */
  readonly id: string;
  readonly pod: string;
  readonly container: string;
  readonly hasStarted: boolean;
  /** Whether the log can still grow. */
  readonly isRunning: boolean;
  /** The reason that the container has not started, with an optional message. */
  readonly waitingReason?: string;
}

type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

/** Returns the statuses of all containers of the Job's template, init containers first. */
export function listContainerStatuses({
  initContainerStatuses = [],
  containerStatuses = [],
}: PodStatus): readonly ContainerStatus[] {
  return [...initContainerStatuses, ...containerStatuses];
}

/** Returns init containers first, in the order of their execution, and the containers of `kubectl debug` last. */
export function listContainerLogs({ metadata, spec, status = {} }: Pod): readonly ContainerLog[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {}; // a malformed Pod may have no spec
  const { ephemeralContainerStatuses = [] } = status;
  const statuses = [...listContainerStatuses(status), ...ephemeralContainerStatuses];
  return [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => {
    const containerStatus = statuses.find((each) => each.name === name);
    const restarts = containerStatus?.restartCount ?? 0;
    // A container that waits for its next start still has the log of its previous start.
    const { running, terminated } = containerStatus?.state ?? {};
    const hasStarted = (running ?? terminated ?? containerStatus?.lastState?.terminated) !== undefined;
    const waitingReason = hasStarted
      ? undefined
      : (findWaitingReason(containerStatus) ?? findUnschedulableReason(status) ?? status.phase);
    return {
      id: `${metadata.name}/${name}${restarts > 0 ? ` (restart ${restarts})` : ''}`,
      pod: metadata.name,
      container: name,
      hasStarted,
      isRunning: running !== undefined,
      ...(waitingReason !== undefined && { waitingReason }),
    };
  });
}

/** Returns a reason such as `ErrImagePull`, with an optional message. */
export function findWaitingReason(containerStatus: ContainerStatus | undefined): string | undefined {
  const { reason, message } = containerStatus?.state?.waiting ?? {};
  return reason === undefined || message === undefined ? reason : `${reason}: ${message}`;
}

/** Returns the reason that the Pod is not scheduled. */
export function findUnschedulableReason({ conditions = [] }: PodStatus): string | undefined {
  const condition = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return condition && formatReason(condition.reason, condition.message);
}

export function describeWaitingContainer({ id, waitingReason }: ContainerLog): string {
  return `${id} has not started${waitingReason === undefined ? '' : `: ${waitingReason}`}`;
}

/** Lists the containers of a Pod, and whether each has a log. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatReason } from '../report/sentences.ts';

export interface ContainerLog {
  /** Changes when the container is started again. */
  readonly id: string;
  readonly pod: string;
  readonly container: string;
  readonly hasStarted: boolean;
  /** Whether the log may grow. */
  readonly isRunning: boolean;
  /** Why the container has no log, as one word and sometimes a message. */
  readonly waitsFor?: string;
}

type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

/** Statuses of init containers come first. */
export function listContainerStatuses({
  initContainerStatuses = [],
  containerStatuses = [],
}: PodStatus): readonly ContainerStatus[] {
  return [...initContainerStatuses, ...containerStatuses];
}

/** Init containers come first, in the order in which they run. */
export function listContainerLogs({ metadata, spec, status = {} }: Pod): readonly ContainerLog[] {
  const { initContainers = [], containers } = spec;
  const statuses = listContainerStatuses(status);
  return [...initContainers, ...containers].map(({ name }) => {
    const found = statuses.find((each) => each.name === name);
    const restarts = found?.restartCount ?? 0;
    // A container that waits for its next start has the log of the previous one.
    const { running, terminated } = found?.state ?? {};
    const hasStarted = (running ?? terminated ?? found?.lastState?.terminated) !== undefined;
    const waitsFor = hasStarted
      ? undefined
      : (findWaitingReason(found) ?? findUnschedulableReason(status) ?? status.phase);
    return {
      id: `${metadata.name}/${name}${restarts > 0 ? ` (restart ${restarts})` : ''}`,
      pod: metadata.name,
      container: name,
      hasStarted,
      isRunning: running !== undefined,
      ...(waitsFor !== undefined && { waitsFor }),
    };
  });
}

/** The reason, sometimes with a message. */
export function findWaitingReason(found: ContainerStatus | undefined): string | undefined {
  const { reason, message } = found?.state?.waiting ?? {};
  return reason === undefined || message === undefined ? reason : `${reason}: ${message}`;
}

/** Why no node accepts the Pod. */
export function findUnschedulableReason({ conditions = [] }: PodStatus): string | undefined {
  const found = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return found && formatReason(found.reason, found.message);
}

export function describeNotStarted({ id, waitsFor }: ContainerLog): string {
  return `${id} has not started${waitsFor === undefined ? '' : `: ${waitsFor}`}`;
}

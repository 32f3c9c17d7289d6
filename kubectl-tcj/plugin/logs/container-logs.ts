/** The containers of a Pod, each with whether it has a log. */
import type { Pod } from 'controller-runtime/kubernetes';

export interface ContainerLog {
  /** Another one when the container is started again. */
  readonly id: string;
  readonly pod: string;
  readonly container: string;
  readonly hasStarted: boolean;
  /** More may come. */
  readonly isRunning: boolean;
  /** Why it has not, as one word and perhaps a message. */
  readonly waitsFor?: string;
}

export type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** Init containers first, as they run. */
export function containerLogsOf({ metadata, spec, status = {} }: Pod): readonly ContainerLog[] {
  const { initContainers = [], containers } = spec;
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return [...initContainers, ...containers].map(({ name }) => {
    const found = statuses.find((each) => each.name === name);
    const restarts = found?.restartCount ?? 0;
    const hasStarted = startedIn(found);
    const waitsFor = hasStarted ? undefined : (waitingIn(found) ?? unscheduled(status) ?? status.phase);
    return {
      id: `${metadata.name}/${name}${restarts > 0 ? ` (restart ${restarts})` : ''}`,
      pod: metadata.name,
      container: name,
      hasStarted,
      isRunning: found?.state?.running !== undefined,
      ...(waitsFor !== undefined && { waitsFor }),
    };
  });
}

function startedIn(found: ContainerStatus | undefined): boolean {
  // A container that waits for its next start has the log of the one before.
  return [found?.state?.running, found?.state?.terminated, found?.lastState?.terminated].some(
    (each) => each !== undefined,
  );
}

/** The reason, and perhaps a message. */
export function waitingIn(found: ContainerStatus | undefined): string | undefined {
  const { reason, message } = found?.state?.waiting ?? {};
  return reason === undefined || message === undefined ? reason : `${reason}: ${message}`;
}

/** Why no node takes it. */
export function unscheduled({ conditions = [] }: NonNullable<Pod['status']>): string | undefined {
  const found = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return found && [found.reason, found.message].filter((text) => text).join(': ');
}

export function notStarted({ id, waitsFor }: ContainerLog): string {
  return `${id} has not started${waitsFor === undefined ? '' : `: ${waitsFor}`}`;
}

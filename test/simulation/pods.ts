/** The Pods of Jobs, of which there is no more to know than whether a container has started. */

import type { Job } from '../../api/kubernetes.ts';
import type { Pod } from '../../runtime/kubernetes/core.ts';

/** How far a Pod has come: its containers wait, an init container runs, all others run. */
type Progress = 'Waiting' | 'Initializing' | 'Running';

const WAITING = { waiting: { reason: 'ErrImagePull', message: 'simulated' } };
const INITIALIZING = { waiting: { reason: 'PodInitializing' } };
const RUNNING = { running: {} };
const COMPLETED = { terminated: { exitCode: 0 } };

export class Pods {
  /** By the UID of the Job. */
  readonly #progress = new Map<string, Progress>();
  /** UIDs of Jobs whose Pods have an init container. */
  readonly #withInit = new Set<string>();

  /** The Job has a Pod, whose containers wait. */
  make(jobUid: string): void {
    this.#progress.set(jobUid, 'Waiting');
  }

  startInitContainer(jobUid: string): void {
    this.#withInit.add(jobUid);
    this.#progress.set(jobUid, 'Initializing');
  }

  startContainer(jobUid: string): void {
    this.#progress.set(jobUid, 'Running');
  }

  remove(jobUid: string): void {
    this.#progress.delete(jobUid);
    this.#withInit.delete(jobUid);
  }

  /** Whether any container has started, init containers included. */
  hasStarted(jobUid: string): boolean {
    return (this.#progress.get(jobUid) ?? 'Waiting') !== 'Waiting';
  }

  /** As the server has them. */
  of({ metadata }: Job): readonly Pod[] {
    const { namespace, name, uid } = metadata;
    const progress = this.#progress.get(uid);
    if (progress === undefined) return [];
    const states = { Waiting: WAITING, Initializing: INITIALIZING, Running: RUNNING };
    const ofInit = progress === 'Running' ? COMPLETED : RUNNING;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: `${name}-1`, uid: `${uid}-pod`, resourceVersion: '1', labels: labelsOf(uid) },
      spec: { containers: [{ name: 'work' }] },
      status: {
        ...(this.#withInit.has(uid) && { initContainerStatuses: [statusOf('prepare', ofInit)] }),
        containerStatuses: [statusOf('work', states[progress])],
      },
    };
    return [pod as unknown as Pod]; // as much of it as anybody reads
  }
}

function statusOf(name: string, state: object): object {
  return { name, image: 'busybox', imageID: '', ready: state === RUNNING, restartCount: 0, state };
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

function labelsOf(jobUid: string): Readonly<Record<string, string>> {
  return { [CONTROLLER_UID]: jobUid };
}

/** UID of the Job whose Pods a selector asks for. */
export function jobUidIn(labelSelector: unknown): string | undefined {
  const [label, uid] = String(labelSelector).split('=');
  return label === CONTROLLER_UID ? uid : undefined;
}

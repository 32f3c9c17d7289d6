/** The Pods of Jobs, of which there is no more to know than whether a container has started. */

import type { Job } from '../../api/kubernetes.ts';
import type { Pod } from '../../runtime/kubernetes/core.ts';

export class Pods {
  /** By the UID of the Job: whether a container has started. */
  readonly #started = new Map<string, boolean>();

  /** The Job has a Pod, whose containers wait. */
  make(jobUid: string): void {
    this.#started.set(jobUid, false);
  }

  startContainer(jobUid: string): void {
    this.#started.set(jobUid, true);
  }

  remove(jobUid: string): void {
    this.#started.delete(jobUid);
  }

  hasStarted(jobUid: string): boolean {
    return this.#started.get(jobUid) === true;
  }

  /** As the server has them. */
  of({ metadata }: Job): readonly Pod[] {
    const hasStarted = this.#started.get(metadata.uid);
    if (hasStarted === undefined) return [];
    const state = hasStarted ? { running: {} } : { waiting: { reason: 'ErrImagePull', message: 'simulated' } };
    const container = { name: 'work', image: 'busybox', imageID: '', ready: hasStarted, restartCount: 0, state };
    const { namespace, name, uid } = metadata;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: `${name}-1`, uid: `${uid}-pod`, resourceVersion: '1', labels: labelsOf(uid) },
      spec: { containers: [{ name: 'work' }] },
      status: { containerStatuses: [container] },
    };
    return [pod as unknown as Pod]; // as much of it as anybody reads
  }
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

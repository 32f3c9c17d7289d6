/** The Pods of Jobs. They only show whether a container has started. */

import type { Job } from '../../api/kubernetes.ts';
import type { Pod } from '../../runtime/kubernetes/core.ts';

const WAITING = { waiting: { reason: 'ErrImagePull', message: 'simulated' } };
const INITIALIZING = { waiting: { reason: 'PodInitializing' } };
const RUNNING = { running: {} };
const COMPLETED = { terminated: { exitCode: 0 } };

/** The states of the containers of a Pod. Some Pods have an init container. */
interface Containers {
  readonly init?: object;
  readonly work: object;
}

export class Pods {
  /** By UID of the Job. */
  readonly #containers = new Map<string, Containers>();

  /** Creates a Pod of the Job, whose containers wait. */
  create(jobUid: string): void {
    this.#containers.set(jobUid, { work: WAITING });
  }

  startInitContainer(jobUid: string): void {
    this.#containers.set(jobUid, { init: RUNNING, work: INITIALIZING });
  }

  startContainer(jobUid: string): void {
    const hasInit = this.#containers.get(jobUid)?.init !== undefined;
    this.#containers.set(jobUid, { ...(hasInit && { init: COMPLETED }), work: RUNNING });
  }

  remove(jobUid: string): void {
    this.#containers.delete(jobUid);
  }

  /** Whether any container has started, init containers included. */
  hasStarted(jobUid: string): boolean {
    return (this.#containers.get(jobUid)?.work ?? WAITING) !== WAITING;
  }

  /** The Pods as the server has them. */
  list({ metadata }: Job): readonly Pod[] {
    const { namespace, name, uid } = metadata;
    const { init, work } = this.#containers.get(uid) ?? {};
    if (work === undefined) return [];
    const labels = { [CONTROLLER_UID]: uid };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: `${name}-1`, uid: `${uid}-pod`, resourceVersion: '1', labels },
      spec: { containers: [{ name: 'work' }] },
      status: {
        ...(init && { initContainerStatuses: [createContainerStatus('prepare', init)] }),
        containerStatuses: [createContainerStatus('work', work)],
      },
    };
    return [pod as unknown as Pod]; // the fields that readers use
  }
}

function createContainerStatus(name: string, state: object): object {
  return { name, image: 'busybox', imageID: '', ready: state === RUNNING, restartCount: 0, state };
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** UID of the Job in a selector of its Pods. */
export function parseJobUid(labelSelector: unknown): string | undefined {
  const [label, uid] = String(labelSelector).split('=');
  return label === CONTROLLER_UID ? uid : undefined;
}

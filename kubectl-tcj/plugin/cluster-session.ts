/** Connects to the API server of a cluster. */
import {
  HttpTransport,
  type KubeConfig,
  KubeConfigCredentials,
  LiveClient,
  SystemClock,
  type Transport,
} from 'controller-runtime';
import { loadKubectlConfig } from 'controller-runtime/internal';

export interface SessionOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The user to impersonate. Default: the user that the kubeconfig impersonates. */
  readonly as?: string | undefined;
  /** The groups to impersonate, together with the user in `as`. Default: the groups of the kubeconfig. */
  readonly asGroups?: readonly string[] | undefined;
  /** Whether an exec plugin may prompt the user at the terminal. Default: true when the process has a terminal. */
  readonly hasTerminal?: boolean | undefined;
}

/** A client of one cluster, and the context of the kubeconfig that selects the cluster. */
export interface ClusterSession {
  readonly client: LiveClient;
  /** The transport of the client, for requests that the client does not support. */
  readonly transport: Transport;
  /** The namespace of the context or of the Pod in which the command runs. Default: `default`. */
  readonly namespace: string;
  /** The name of the context, or an empty string if the command uses the ServiceAccount of its Pod. */
  readonly context: string;
  /** The URL of the API server. */
  readonly server: string;
  readonly close: () => Promise<void>;
}

const FIELD_MANAGER = 'kubectl-tcj';

/** Loads the kubeconfig as kubectl does. Throws a ConfigurationError if the kubeconfig is invalid. */
export function connect(sessionOptions: SessionOptions, version: string): ClusterSession {
  const { kubeconfig, context, hasTerminal } = sessionOptions;
  const clock = new SystemClock();
  const loadConfig = (name?: string) => impersonate(loadKubectlConfig(kubeconfig, name), sessionOptions);
  const config = loadConfig(context);
  const { namespace = 'default', context: contextName = '', cluster } = config;
  const load = createConfigReader(config, () => loadConfig(config.context));
  // As in kubectl, an exec plugin has no timeout, because the user may have to sign in with a browser.
  const options = { execTimeoutMs: Number.POSITIVE_INFINITY, hasTerminal };
  const credentials = new KubeConfigCredentials(load, clock, options);
  const transport = new HttpTransport({ credentials, clock, userAgent: `${FIELD_MANAGER}/${version}` });
  return {
    client: createClient(transport),
    transport,
    namespace,
    context: contextName,
    server: cluster.server.origin,
    close: async () => {
      credentials.close();
      await transport.close();
    },
  };
}

function impersonate(config: KubeConfig, { as: user, asGroups }: SessionOptions): KubeConfig {
  if (user === undefined) return config;
  const { impersonate: before } = config.user;
  const groups = asGroups ?? before?.groups ?? [];
  return { ...config, user: { ...config.user, impersonate: { extra: {}, ...before, user, groups } } };
}

export function createClient(transport: Transport): LiveClient {
  return new LiveClient(transport, { fieldManager: FIELD_MANAGER });
}

/**
 * Returns a function whose first call returns the initial kubeconfig. Each later call follows a rejection of the credentials by the
 * API server, and reloads the kubeconfig, because the user may have signed in again. A reloaded kubeconfig with a different server
 * is ignored.
 */
function createConfigReader(initialConfig: KubeConfig, reload: () => KubeConfig): () => KubeConfig {
  let hasReturnedInitial = false;
  return () => {
    if (!hasReturnedInitial || initialConfig.context === undefined) {
      hasReturnedInitial = true;
      return initialConfig;
    }
    const latestConfig = reload();
    return latestConfig.cluster.server.href === initialConfig.cluster.server.href ? latestConfig : initialConfig;
  };
}

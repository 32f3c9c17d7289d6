/** The connection to the cluster of a command. */
import {
  HttpTransport,
  type KubeConfig,
  KubeConfigCredentials,
  LiveClient,
  loadKubectlConfig,
  SystemClock,
  type Transport,
} from 'controller-runtime';

export interface SessionOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Whether an exec plugin may prompt the user at the terminal. Default: true when the process has a terminal. */
  readonly hasTerminal?: boolean | undefined;
}

export interface Session {
  readonly client: LiveClient;
  /** For requests for which the client has no method. */
  readonly transport: Transport;
  /** Namespace of the context, namespace of the Pod in which the command runs, or `default`. */
  readonly namespace: string;
  /** Name of the context; empty for the ServiceAccount of a Pod. */
  readonly context: string;
  /** URL of the API server. */
  readonly server: string;
  readonly close: () => Promise<void>;
}

const NAME = 'kubectl-tcj';

/** Finds the cluster as kubectl does. Throws a ConfigurationError for an invalid kubeconfig. */
export function connect({ kubeconfig, context, hasTerminal }: SessionOptions, version: string): Session {
  const clock = new SystemClock();
  const config = loadKubectlConfig(kubeconfig, context);
  const { namespace = 'default', context: contextName = '', cluster } = config;
  const load = createConfigReader(config, () => loadKubectlConfig(kubeconfig, config.context));
  // As in kubectl, an exec plugin has no time limit: it may wait for a user in a browser.
  const options = { execTimeoutMs: Number.POSITIVE_INFINITY, hasTerminal };
  const credentials = new KubeConfigCredentials(load, clock, options);
  const transport = new HttpTransport({ credentials, clock, userAgent: `${NAME}/${version}` });
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

export function createClient(transport: Transport): LiveClient {
  return new LiveClient(transport, { fieldManager: NAME });
}

/**
 * Returns the first kubeconfig at first. After its credentials were refused, returns the current one, because the user may have
 * signed in again. Never returns the kubeconfig of another cluster, because the cluster of a command does not change while it runs.
 */
function createConfigReader(first: KubeConfig, again: () => KubeConfig): () => KubeConfig {
  let isRead = false;
  return () => {
    if (!isRead || first.context === undefined) {
      isRead = true;
      return first;
    }
    const latest = again();
    return latest.cluster.server.href === first.cluster.server.href ? latest : first;
  };
}

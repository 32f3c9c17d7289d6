/** The cluster that a command asks. */
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
  /** May an exec plugin ask the person at the terminal? Default: where there is one. */
  readonly hasTerminal?: boolean | undefined;
}

export interface Session {
  readonly client: LiveClient;
  /** For what the client has no method for. */
  readonly transport: Transport;
  /** That of the context, that of the Pod it runs in, or `default`. */
  readonly namespace: string;
  /** Its name; empty for the ServiceAccount of a Pod. */
  readonly context: string;
  /** URL of the API server. */
  readonly server: string;
  readonly close: () => Promise<void>;
}

const NAME = 'kubectl-tcj';

/** As kubectl finds its cluster. Throws a ConfigurationError when the kubeconfig cannot be used. */
export function connect({ kubeconfig, context, hasTerminal }: SessionOptions, version: string): Session {
  const clock = new SystemClock();
  const config = loadKubectlConfig(kubeconfig, context);
  const { namespace = 'default', context: contextName = '', cluster } = config;
  const load = latestOf(config, () => loadKubectlConfig(kubeconfig, config.context));
  // As in kubectl, an exec plugin takes its time: it may wait for a person in a browser.
  const options = { execTimeoutMs: Number.POSITIVE_INFINITY, hasTerminal };
  const credentials = new KubeConfigCredentials(load, clock, options);
  const transport = new HttpTransport({ credentials, clock, userAgent: `${NAME}/${version}` });
  return {
    client: clientOver(transport),
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

export function clientOver(transport: Transport): LiveClient {
  return new LiveClient(transport, { fieldManager: NAME });
}

/**
 * The first one at first. Later, when its credentials were refused, what it is by then: somebody may have signed in again. Never that of
 * another cluster, as which one a command is about does not change while it runs.
 */
function latestOf(first: KubeConfig, again: () => KubeConfig): () => KubeConfig {
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

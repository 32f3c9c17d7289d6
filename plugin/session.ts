/** The cluster that a command asks. */
import {
  HttpTransport,
  KubeConfigCredentials,
  LiveClient,
  loadKubeConfig,
  SystemClock,
  type Transport,
} from 'controller-runtime';

export interface SessionOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface Session {
  readonly client: LiveClient;
  /** For what the client has no method for. */
  readonly transport: Transport;
  /** That of the context, or `default`. */
  readonly namespace: string;
  /** Its name; empty for the ServiceAccount of a Pod. */
  readonly context: string;
  /** URL of the API server. */
  readonly server: string;
  readonly close: () => Promise<void>;
}

const NAME = 'kubectl-tcj';

/** Throws a ConfigurationError when the kubeconfig cannot be used. */
export function connect({ kubeconfig, context }: SessionOptions, version: string): Session {
  const clock = new SystemClock();
  const load = () => loadKubeConfig(kubeconfig, context);
  const { namespace = 'default', context: contextName = '', cluster } = load();
  const credentials = new KubeConfigCredentials(load, clock);
  const transport = new HttpTransport({ credentials, clock, userAgent: `${NAME}/${version}` });
  return {
    client: clientOver(transport),
    transport,
    namespace,
    context: contextName,
    server: cluster.server.origin,
    close: () => transport.close(),
  };
}

export function clientOver(transport: Transport): LiveClient {
  return new LiveClient(transport, { fieldManager: NAME });
}

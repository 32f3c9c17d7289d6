/** A client for tests that talk to a real API server. */
import { HttpTransport, KubeConfigCredentials, LiveClient, loadKubeConfig, SystemClock } from 'controller-runtime';

export interface ClusterClient extends AsyncDisposable {
  readonly client: LiveClient;
  readonly transport: HttpTransport;
}

/** @param kubeconfig Path of the kubeconfig. */
export function connect(kubeconfig: string): ClusterClient {
  return connectWith(loadCredentials(kubeconfig));
}

/** A client that impersonates a user and, when given, a group. */
export function connectAs(kubeconfig: string, user: string, group?: string): ClusterClient {
  const credentials = loadCredentials(kubeconfig);
  const impersonation = { 'Impersonate-User': user, ...(group && { 'Impersonate-Group': group }) };
  return connectWith({
    async current() {
      const { headers, ...rest } = await credentials.current();
      return { ...rest, headers: { ...headers, ...impersonation } };
    },
    refresh() {},
  });
}

const clock = new SystemClock();

/** @param kubeconfig Path of the kubeconfig. */
export function loadCredentials(kubeconfig: string): KubeConfigCredentials {
  return new KubeConfigCredentials(() => loadKubeConfig(kubeconfig), clock);
}

function connectWith(credentials: Pick<KubeConfigCredentials, 'current' | 'refresh'>): ClusterClient {
  const transport = new HttpTransport({ userAgent: 'tester', credentials, clock });
  return {
    transport,
    client: new LiveClient(transport, { fieldManager: 'tester' }),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/** A client for tests that talk to a real API server. */
import { KubeConfigCredentials, loadKubeConfig } from '../../runtime/client/credentials.ts';
import { LiveClient } from '../../runtime/client/live-client.ts';
import { HttpTransport } from '../../runtime/client/transport.ts';
import { SystemClock } from '../../runtime/clock/system-clock.ts';

export interface ClusterClient extends AsyncDisposable {
  readonly client: LiveClient;
  readonly transport: HttpTransport;
}

/** @param kubeconfig Path of the kubeconfig. */
export function connect(kubeconfig: string): ClusterClient {
  const clock = new SystemClock();
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(kubeconfig), clock);
  const transport = new HttpTransport({ credentials, clock });
  return { transport, client: new LiveClient(transport), [Symbol.asyncDispose]: () => transport.close() };
}

/** A node whose kubelet only serves logs: the API server connects to it over TLS, as to any kubelet. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LiveClient } from 'controller-runtime';
import { createSelfSignedKeyPair } from 'controller-runtime/internal';
import { core } from 'controller-runtime/kubernetes';

/** Writes a log, which ends when this resolves. */
type WriteLog = (log: {
  readonly pod: string;
  readonly container: string;
  readonly query: URLSearchParams;
  readonly write: (text: string) => void;
  /** Resolves when the client has stopped reading. */
  readonly closed: Promise<unknown>;
}) => Promise<void>;

export class LogKubelet implements AsyncDisposable {
  readonly #client: LiveClient;
  readonly #server: ReturnType<typeof createServer>;
  readonly #namespace: string;
  readonly #node: string;

  private constructor(client: LiveClient, server: ReturnType<typeof createServer>, namespace: string) {
    this.#client = client;
    this.#server = server;
    this.#namespace = namespace;
    this.#node = `node-of-${namespace}`;
  }

  static async open(client: LiveClient, namespace: string, writeLog: WriteLog): Promise<LogKubelet> {
    const server = createServer(await createSelfSignedKeyPair(['127.0.0.1'], new Date()), (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://kubelet');
      const [, , , pod = '', container = ''] = pathname.split('/');
      const write = (text: string) => void response.write(text);
      writeLog({ pod, container, query: searchParams, write, closed: once(response, 'close') }).then(
        () => response.end(),
        (error) => response.destroy(error),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const kubelet = new LogKubelet(client, server, namespace);
    await kubelet.#register((server.address() as AddressInfo).port);
    return kubelet;
  }

  async #register(port: number): Promise<void> {
    const { name } = await this.#client
      .create(core.v1.nodes, { metadata: { name: this.#node } })
      .then(({ metadata }) => metadata);
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await this.#client.patch(core.v1.nodes, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' });
  }

  /** A Pod of the Job with these containers. Each container runs, or waits for the reason. */
  async addPod(jobName: string, name: string, containers: Readonly<Record<string, string | undefined>>): Promise<void> {
    const pod = await this.#client.create(core.v1.pods, {
      metadata: { name, namespace: this.#namespace, labels: { 'batch.kubernetes.io/job-name': jobName } },
      spec: {
        nodeName: this.#node,
        automountServiceAccountToken: false,
        containers: Object.keys(containers).map((each) => ({ name: each, image: 'busybox' })),
      },
    });
    const startedAt = new Date().toISOString().replace(/\.\d+/, '');
    const containerStatuses = Object.entries(containers).map(([each, reason]) => ({
      ...{ name: each, image: 'busybox', imageID: '', ready: true, restartCount: 0 },
      state: reason === undefined ? { running: { startedAt } } : { waiting: { reason } },
    }));
    const status = { phase: 'Running', containerStatuses };
    await this.#client.patch(
      core.v1.pods,
      pod.metadata,
      { kind: 'merge', body: { status } as object },
      { subresource: 'status' },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#client.delete(core.v1.nodes, { name: this.#node });
  }
}

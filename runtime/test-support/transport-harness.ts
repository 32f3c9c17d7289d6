/** A transport to an API server in memory. */
import { expect } from 'vitest';
import type { Credentials, TlsOptions } from '../client/server-credentials.ts';
import { type CredentialsSource, HttpTransport, type HttpTransportOptions } from '../client/transport.ts';
import { resourcePath } from '../kubernetes/resource.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { jobs } from './objects.ts';

export const LIST_REQUEST = { method: 'GET', path: resourcePath(jobs) } as const;

export const createGetRequest = (name: string) =>
  ({ method: 'GET', path: resourcePath(jobs, 'default', name) }) as const;

/** Credentials that a test changes; `refreshedToken` is the token after a refresh. */
export class TestCredentials implements CredentialsSource {
  refreshes = 0;
  refreshedToken = '';
  #latest: Credentials;

  constructor(server: URL) {
    this.#latest = { server, tls: {}, headers: {} };
  }

  useToken(token: string): void {
    this.#latest = { ...this.#latest, headers: { Authorization: `Bearer ${token}` } };
  }

  useServer(server: URL): void {
    this.#latest = { ...this.#latest, server };
  }

  useProxy(url: URL): void {
    this.#latest = { ...this.#latest, proxy: { url, source: 'proxy-url in the kubeconfig' } };
  }

  useTls(tls: TlsOptions): void {
    this.#latest = { ...this.#latest, tls };
  }

  async current(): Promise<Credentials> {
    return this.#latest;
  }

  refresh(rejectedCredentials: Credentials): void {
    if (rejectedCredentials !== this.#latest) return;
    this.refreshes++;
    this.useToken(this.refreshedToken);
  }
}

/** An API server, and a transport that connects to the server. */
export class TransportHarness implements AsyncDisposable {
  readonly server: FakeApiServer;
  readonly credentials: TestCredentials;
  readonly transport: HttpTransport;

  private constructor(server: FakeApiServer, options: Partial<HttpTransportOptions>) {
    this.server = server;
    this.credentials = new TestCredentials(server.url);
    this.transport = new HttpTransport({
      userAgent: 'tester',
      credentials: this.credentials,
      clock: new FakeClock(),
      ...options,
    });
  }

  static async start(options: Partial<HttpTransportOptions> = {}): Promise<TransportHarness> {
    return new TransportHarness(await FakeApiServer.start(), options);
  }

  static async startTls(options: Partial<HttpTransportOptions> = {}): Promise<TransportHarness> {
    const certificate = selfSignedCertificate('fake API server');
    // Real API servers choose HTTP/2 when a client offers it. The test server also announces HTTP/2, but supports only
    // HTTP/1.1.
    const tls = { ...certificate, ALPNProtocols: ['h2', 'http/1.1'] };
    const scene = new TransportHarness(await FakeApiServer.start({ tls }), options);
    scene.credentials.useTls({ ca: certificate.cert });
    return scene;
  }

  /** Opens a watch. The returned function resolves to the name of the next object. */
  async watch(signal?: AbortSignal): Promise<() => Promise<string | undefined>> {
    const query = { watch: true, resourceVersion: this.server.version };
    const bytes = (await this.transport.stream({ ...LIST_REQUEST, query, signal }))[Symbol.asyncIterator]();
    return async () => {
      const { value } = await bytes.next();
      return value && JSON.parse(Buffer.from(value).toString()).object.metadata.name;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.transport.close();
    await this.server.close();
  }
}

export async function catchRejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('was not refused'),
    (error: unknown) => error,
  );
}

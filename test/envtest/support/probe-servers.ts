/** Two servers that record their clients: one with TLS, for clients that trust it, and one without TLS. */
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { selfSignedCertificate } from 'controller-runtime/testing';

/** The parts of a request that identify the client. */
export interface Probe {
  readonly server: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** Common name of the client certificate. */
  readonly certificate?: string | undefined;
}

const SHOWN_HEADER = /^(?:authorization|impersonate-)/i;

export class ProbeServers implements AsyncDisposable {
  readonly #servers: readonly Server[];
  readonly #probes: Probe[] = [];
  /** Certificate authority of `https`, in PEM. */
  readonly ca: string;

  private constructor(ca: string, servers: readonly Server[]) {
    this.ca = ca;
    this.#servers = servers;
  }

  static async start(): Promise<ProbeServers> {
    const certificate = selfSignedCertificate('probe');
    const options = { ...certificate, requestCert: true, rejectUnauthorized: false };
    const servers = new ProbeServers(certificate.cert, [
      createServer(options),
      createServer(options),
      createHttpServer(),
    ]);
    const listening = servers.#servers.map((server, index) => {
      server.on('request', (request, response) => {
        servers.#probes.push(createProbe(NAMES[index] ?? '', request));
        response.setHeader('content-type', 'application/json').end('{"kind":"Status","apiVersion":"v1"}');
      });
      return new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    await Promise.all(listening);
    return servers;
  }

  /** URLs of the servers, by name. */
  get urls(): Readonly<Record<(typeof NAMES)[number], string>> {
    const [first, second, plain] = this.#servers.map((server) => (server.address() as AddressInfo).port); // TCP ports
    return {
      first: `https://127.0.0.1:${first}`,
      second: `https://127.0.0.1:${second}`,
      plain: `http://127.0.0.1:${plain}`,
    };
  }

  /** The requests since the last call. */
  takeProbes(): readonly Probe[] {
    return this.#probes.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

const NAMES = ['first', 'second', 'plain'] as const;

function createProbe(server: string, { rawHeaders, url = '', socket }: IncomingMessage): Probe {
  const headers = rawHeaders
    .flatMap((name, index) => (index % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[index + 1]}`] : []))
    .filter((header) => SHOWN_HEADER.test(header));
  const peer = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
  const name = peer?.subject?.CN;
  return {
    server,
    path: new URL(url, 'http://probe').pathname,
    headers: headers.toSorted(),
    certificate: Array.isArray(name) ? name.join() : name,
  };
}

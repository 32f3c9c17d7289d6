/**
 * Kept-alive connections to an API server, through a proxy if the kubeconfig names one. Only this file and exchange.ts
 * import undici.
 */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { basicOf } from './basic-auth.ts';
import { proxyUnreachable, tunnelRefused } from './proxy-error.ts';
import type { Credentials, HttpProxy, TlsOptions } from './server-credentials.ts';

export interface Connections {
  readonly pool: Dispatcher;
  /** Watches have separate connections, so that they never starve requests. */
  readonly watches: Dispatcher;
}

/** An API server ends its own requests after 60 s; later no answer arrives. */
const REQUEST_TIMEOUT_MS = 65_000;
const KEEP_ALIVE_PROBE_MS = 30_000;
/** The client drops idle connections before the server does (90 s), so that no request uses a closing socket. */
const IDLE_CONNECTION_MS = 60_000;

/** @param most Maximum number of connections for requests; watches are not limited. */
export function openConnections({ server, tls, proxy }: Credentials, most: number): Connections {
  const shared = {
    pipelining: 1,
    allowH2: false, // no faster to the API server, and dearer here: docs/adr/0002-transport.md
    keepAliveTimeout: IDLE_CONNECTION_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
  };
  const ofRequests = { ...shared, connections: most, bodyTimeout: REQUEST_TIMEOUT_MS };
  const connect = { allowH2: false, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS };
  const toServer = { ...connect, ...tlsWithoutAddressAsName(tls) };
  if (proxy === undefined) {
    return {
      pool: new Pool(server.origin, { ...ofRequests, connect: toServer }),
      watches: new Agent({ ...shared, connect: toServer }),
    };
  }
  // As in client-go, the client verifies an https proxy, and presents a client certificate to it, as it does for the
  // API server.
  const { servername: _, ...toProxy } = { ...connect, ...tls };
  const token = basicOf(proxy.url);
  const through = {
    uri: proxy.url.origin,
    ...(token !== undefined && { token }),
    proxyTls: toProxy,
    requestTls: toServer,
    factory: poolByAddress,
    clientFactory: (origin: URL, options: object) => explaining(proxy, poolByAddress(origin, options)),
  };
  return { pool: new ProxyAgent({ ...ofRequests, ...through }), watches: new ProxyAgent({ ...shared, ...through }) };
}

/**
 * TLS does not allow an IP address as the server name: Node warns about it or rejects it. The certificate is still
 * checked against the address.
 */
function tlsWithoutAddressAsName({ servername = '', ...tls }: TlsOptions): buildConnector.BuildOptions {
  if (isIP(servername) === 0) return { ...tls, ...(servername !== '' && { servername }) };
  return {
    ...tls,
    checkServerIdentity: (_, certificate: PeerCertificate) => checkServerIdentity(servername, certificate),
  };
}

type Connect = (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/** The same pool, whose CONNECT errors contain the proxy's answer. undici's own error has it only in its message. */
function explaining(proxy: HttpProxy, pool: Pool): Pool {
  const ask = pool.connect.bind(pool) as Connect; // there is also an overload with a callback
  const connect: Connect = async (options) => {
    const answer = await ask(options).catch((error: unknown) => {
      throw proxyUnreachable(proxy, error);
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on('error', () => {}).destroy();
    throw tunnelRefused(proxy, options.path, answer.statusCode);
  };
  return Object.assign(pool, { connect });
}

/** undici uses the address of a proxy as the server name. */
function poolByAddress(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  if (typeof connect !== 'function') return new Pool(origin, options);
  const byAddress: buildConnector.connector = ({ servername, ...rest }, callback) => {
    const name = servername ?? ''; // null despite its type
    const isAddress = isIP(name.replace(/^\[|\]$/g, '')) > 0;
    connect({ ...rest, ...(name !== '' && !isAddress && { servername: name }) }, callback);
  };
  return new Pool(origin, { ...options, connect: byAddress });
}

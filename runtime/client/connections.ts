/**
 * Kept-alive connections to an API server, through a proxy if the kubeconfig names one. Only this file and exchange.ts
 * import undici.
 */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { getBasicAuth } from './basic-auth.ts';
import { createTunnelError, createUnreachableError } from './proxy-error.ts';
import type { Credentials, HttpProxy, TlsOptions } from './server-credentials.ts';

export interface Connections {
  readonly pool: Dispatcher;
  /** Watches have separate connections, so that they never starve requests. */
  readonly watches: Dispatcher;
}

/** An API server ends its own requests after 60 s; later no response arrives. */
const REQUEST_TIMEOUT_MS = 65_000;
const KEEP_ALIVE_PROBE_MS = 30_000;
/** The client drops idle connections before the server does (90 s), so that no request uses a closing socket. */
const IDLE_CONNECTION_MS = 60_000;

/** @param maxConnections Maximum number of connections for requests; watches are not limited. */
export function openConnections({ server, tls, proxy }: Credentials, maxConnections: number): Connections {
  const commonOptions = {
    pipelining: 1,
    allowH2: false, // no faster to the API server, and dearer here: docs/adr/0002-transport.md
    keepAliveTimeout: IDLE_CONNECTION_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
  };
  const requestOptions = { ...commonOptions, connections: maxConnections, bodyTimeout: REQUEST_TIMEOUT_MS };
  const connect = { allowH2: false, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS };
  const serverTls = { ...connect, ...omitIpServerName(tls) };
  if (proxy === undefined) {
    return {
      pool: new Pool(server.origin, { ...requestOptions, connect: serverTls }),
      watches: new Agent({ ...commonOptions, connect: serverTls }),
    };
  }
  // As in client-go, the client verifies an https proxy, and presents a client certificate to it, as it does for the
  // API server.
  const { servername: _, ...proxyTls } = { ...connect, ...tls };
  const token = getBasicAuth(proxy.url);
  const proxyOptions = {
    uri: proxy.url.origin,
    ...(token !== undefined && { token }),
    proxyTls,
    requestTls: serverTls,
    factory: createPool,
    clientFactory: (origin: URL, options: object) => withConnectErrors(proxy, createPool(origin, options)),
  };
  return {
    pool: new ProxyAgent({ ...requestOptions, ...proxyOptions }),
    watches: new ProxyAgent({ ...commonOptions, ...proxyOptions }),
  };
}

/**
 * TLS does not allow an IP address as the server name: Node warns about it or rejects it. The certificate is still
 * checked against the address.
 */
function omitIpServerName({ servername = '', ...tls }: TlsOptions): buildConnector.BuildOptions {
  if (isIP(servername) === 0) return { ...tls, ...(servername !== '' && { servername }) };
  return {
    ...tls,
    checkServerIdentity: (_, certificate: PeerCertificate) => checkServerIdentity(servername, certificate),
  };
}

type Connect = (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/** The same pool, whose CONNECT errors contain the proxy's response. undici's own error has it only in its message. */
function withConnectErrors(proxy: HttpProxy, pool: Pool): Pool {
  const sendConnect = pool.connect.bind(pool) as Connect; // there is also an overload with a callback
  const connect: Connect = async (options) => {
    const response = await sendConnect(options).catch((error: unknown) => {
      throw createUnreachableError(proxy, error);
    });
    if (response.statusCode === 200) return response;
    response.socket.on('error', () => {}).destroy();
    throw createTunnelError(proxy, options.path, response.statusCode);
  };
  return Object.assign(pool, { connect });
}

/** undici uses the address of a proxy as the server name. */
function createPool(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  if (typeof connect !== 'function') return new Pool(origin, options);
  const connectWithoutIpName: buildConnector.connector = ({ servername, ...rest }, callback) => {
    const name = servername ?? ''; // null despite its type
    const isAddress = isIP(name.replace(/^\[|\]$/g, '')) > 0;
    connect({ ...rest, ...(name !== '' && !isAddress && { servername: name }) }, callback);
  };
  return new Pool(origin, { ...options, connect: connectWithoutIpName });
}

/** Opens connections to an API server, directly or through a proxy. All other files import only types from undici. */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { getBasicAuth } from './basic-auth.ts';
import { createTunnelError, createUnreachableError } from './proxy-error.ts';
import type { Credentials, HttpProxy, TlsOptions } from './server-credentials.ts';

export interface Connections {
  readonly pool: Dispatcher;
  /** Separate connections for watches, so that other requests do not wait for a watch to end. */
  readonly watches: Dispatcher;
}

/** The client waits longer than the request timeout of an API server, which is 60 s. */
const REQUEST_TIMEOUT_MS = 65_000;
const KEEP_ALIVE_PROBE_DELAY_MS = 30_000;
/** The client closes an idle connection earlier than the API server, which closes it after 90 s. */
const IDLE_CONNECTION_TIMEOUT_MS = 60_000;
/** A response may repeat a warning for each field. By default, undici refuses headers of more than 16 KiB. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** @param maxConnections Maximum number of connections for requests. The number of watches has no limit. */
export function openConnections({ server, tls, proxy }: Credentials, maxConnections: number): Connections {
  const commonOptions = {
    pipelining: 1,
    allowH2: false, // HTTP/2 uses more CPU and is not faster: docs/adr/0002-transport.md
    keepAliveTimeout: IDLE_CONNECTION_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const requestOptions = { ...commonOptions, connections: maxConnections, bodyTimeout: REQUEST_TIMEOUT_MS };
  const socketOptions = {
    allowH2: false,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_DELAY_MS,
    allowPartialTrustChain: true, // as in Go, a certificate authority does not need to be a root
  };
  const serverTls = { ...socketOptions, ...createServerTls(tls) };
  if (proxy === undefined) {
    return {
      pool: new Pool(server.origin, { ...requestOptions, connect: serverTls }),
      watches: new Agent({ ...commonOptions, connect: serverTls }),
    };
  }
  // Like client-go, the client uses the CA and the client certificate of the kubeconfig also for an https proxy.
  const { servername: _, ...proxyTls } = { ...socketOptions, ...tls };
  const proxyAuthorization = getBasicAuth(proxy.url);
  const proxyOptions = {
    uri: proxy.url.origin,
    ...(proxyAuthorization !== undefined && { token: proxyAuthorization }),
    proxyTls,
    requestTls: serverTls,
    factory: createPool,
    clientFactory: (origin: URL, options: object) => withProxyErrors(proxy, createPool(origin, options)),
  };
  return {
    pool: new ProxyAgent({ ...requestOptions, ...proxyOptions }),
    watches: new ProxyAgent({ ...commonOptions, ...proxyOptions }),
  };
}

/**
 * Removes an IP address from the server name, because TLS does not allow it, and checks that the certificate is valid for the server
 * name or address. As in Go, the common name of the certificate does not count.
 */
function createServerTls({ servername = '', ...tls }: TlsOptions): buildConnector.BuildOptions {
  const isIpAddress = isIP(servername) > 0;
  return {
    ...tls,
    ...(servername !== '' && !isIpAddress && { servername }),
    checkServerIdentity: (host, certificate: PeerCertificate) =>
      checkServerIdentity(isIpAddress ? servername : host, { ...certificate, subject: NO_SUBJECT }),
  };
}

const NO_SUBJECT = {} as PeerCertificate['subject']; // Node uses only its common name, and only if it exists

type ConnectFunction = (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/** Adds the proxy's response to the errors of CONNECT requests, which contain it only in their message. */
function withProxyErrors(proxy: HttpProxy, pool: Pool): Pool {
  const sendConnect = pool.connect.bind(pool) as ConnectFunction; // selects the overload without a callback
  const connect: ConnectFunction = async (options) => {
    const response = await sendConnect(options).catch((error: unknown) => {
      throw createUnreachableError(proxy, error);
    });
    if (response.statusCode === 200) return response;
    response.socket.on('error', () => {}).destroy();
    throw createTunnelError(proxy, options.path, response.statusCode);
  };
  return Object.assign(pool, { connect });
}

/** Removes the server name that undici sets for a proxy with an IP address. */
function createPool(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  if (typeof connect !== 'function') return new Pool(origin, options);
  const connectWithoutIpServerName: buildConnector.connector = ({ servername, ...rest }, callback) => {
    const name = servername ?? ''; // undici passes null
    const isIpAddress = isIP(name.replace(/^\[|\]$/g, '')) > 0;
    connect({ ...rest, ...(name !== '' && !isIpAddress && { servername: name }) }, callback);
  };
  return new Pool(origin, { ...options, connect: connectWithoutIpServerName });
}

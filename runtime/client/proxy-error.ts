import { STATUS_CODES } from 'node:http';
import type { HttpProxy } from './server-credentials.ts';
import { getTlsFailure, type TlsFailure } from './tls-failure.ts';

/**
 * A connection to the API server failed at the proxy. The error message does not contain the credentials of the proxy.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Error code in the style of the network errors of Node. */
  readonly code = 'ERR_PROXY';
  /** The suggestion for the user, such as a setting to correct. */
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/**
 * Returns the error for a proxy that did not open a tunnel.
 * @param target Host and port of the API server.
 */
export function createTunnelError(proxy: HttpProxy, target: string, statusCode: number): ProxyError {
  return createResponseError(proxy, `CONNECT ${target}`, statusCode);
}

function createResponseError(proxy: HttpProxy, requestText: string, statusCode: number): ProxyError {
  const status = [statusCode, STATUS_CODES[statusCode]].join(' ').trim();
  const fix =
    statusCode === 407
      ? `set a username and a password that the proxy accepts in ${proxy.source}`
      : `check that the proxy can reach and allows that server, and that ${proxy.source} names the right proxy`;
  return new ProxyError(`the proxy ${formatAddress(proxy)} responded to ${requestText} with ${status}`, fix);
}

/** Returns the error for a proxy that is unreachable or does not respond with HTTP. */
export function createUnreachableError(proxy: HttpProxy, cause: unknown): ProxyError {
  const fix = PROXY_FIXES[getTlsFailure(cause) ?? 'none'];
  const { code, name } = cause as { readonly code?: string; readonly name: string }; // undici rejects with an Error
  return new ProxyError(`cannot use the proxy ${formatAddress(proxy)} (${code ?? name})`, fix(proxy.source), { cause });
}

const PROXY_FIXES: Readonly<Record<TlsFailure | 'none', (source: string) => string>> = {
  untrusted: () => "add the proxy's CA to certificate-authority in the kubeconfig",
  'another name': (source) => `the proxy's certificate is for another name: correct ${source}`,
  expired: () => "renew the proxy's certificate, or correct the clock of this machine",
  'no TLS': (source) => `the proxy does not use TLS: write http:// in ${source}`,
  none: (source) => `check the network and ${source}`,
};

/** Returns a {@link ProxyError} if the proxy caused `error`. Otherwise, returns `error`. */
export function toProxyError(proxy: HttpProxy, server: URL, error: unknown): unknown {
  if (error instanceof ProxyError) return error;
  if (server.protocol === 'http:') {
    // For a request without a tunnel, undici reports the response 407 of the proxy with this code.
    const isProxyAuthError = error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG';
    return isProxyAuthError ? createResponseError(proxy, `a request for ${server.host}`, 407) : error;
  }
  if (getTlsFailure(error) !== 'no TLS') return error;
  return new ProxyError(
    `${server.host} does not use TLS, through the proxy ${formatAddress(proxy)}`,
    `correct ${proxy.source}, or server in the kubeconfig`,
    { cause: error },
  );
}

function formatAddress({ url }: HttpProxy): string {
  return url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host;
}

/** Errors of a proxy on the way to the API server. Each message names the proxy and what to change. */
import { STATUS_CODES } from 'node:http';
import type { HttpProxy } from './server-credentials.ts';
import { getTlsFailure, type TlsFailure } from './tls-failure.ts';

/** The connection to the API server fails at the proxy. The message does not contain its credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** A code like those of network errors: the next attempt may succeed. */
  readonly code = 'ERR_PROXY';
  /** What the user should change. */
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/**
 * The proxy did not open a tunnel.
 * @param target Host and port of the server.
 */
export function tunnelRefused(proxy: HttpProxy, target: string, statusCode: number): ProxyError {
  return refusal(proxy, `CONNECT ${target}`, statusCode);
}

function refusal(proxy: HttpProxy, request: string, statusCode: number): ProxyError {
  const answer = [statusCode, STATUS_CODES[statusCode]].join(' ').trim();
  const fix =
    statusCode === 407
      ? `give a username and a password that it accepts in ${proxy.source}`
      : `see whether the proxy may and can reach that server, and whether it is the right one in ${proxy.source}`;
  return new ProxyError(`the proxy ${addressOf(proxy)} answered ${request} with ${answer}`, fix);
}

/** The proxy is unreachable: no connection, or no HTTP on it. */
export function proxyUnreachable(proxy: HttpProxy, cause: unknown): ProxyError {
  const fix = FIXES[getTlsFailure(cause) ?? 'none'];
  const { code, name } = cause as { readonly code?: string; readonly name: string }; // an error
  return new ProxyError(`cannot use the proxy ${addressOf(proxy)} (${code ?? name})`, fix(proxy.source), { cause });
}

const FIXES: Readonly<Record<TlsFailure | 'none', (source: string) => string>> = {
  untrusted: () => 'add its certificate authority to certificate-authority in the kubeconfig',
  'another name': (source) => `its certificate is for another name: correct ${source}`,
  expired: () => 'renew its certificate, or set the clock of this machine',
  'no TLS': (source) => `it does not speak TLS: write http:// in ${source}`,
  none: (source) => `check the network and ${source}`,
};

/** Returns the same failure, or its meaning for a request through a proxy. */
export function failureThrough(proxy: HttpProxy, server: URL, error: unknown): unknown {
  if (error instanceof ProxyError) return error;
  if (server.protocol === 'http:') {
    // Without a tunnel, undici reports a 407 of the proxy only by this code.
    const isRefused = error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG';
    return isRefused ? refusal(proxy, `a request for ${server.host}`, 407) : error;
  }
  if (getTlsFailure(error) !== 'no TLS') return error;
  return new ProxyError(
    `what answers for ${server.host} through the proxy ${addressOf(proxy)} does not speak TLS`,
    `correct ${proxy.source}, or server in the kubeconfig`,
    { cause: error },
  );
}

function addressOf({ url }: HttpProxy): string {
  return url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host;
}

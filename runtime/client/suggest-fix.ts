import { findApiError } from './errors.ts';
import { ProxyError } from './proxy-error.ts';
import { getTlsFailure, type TlsFailure } from './tls-failure.ts';

/** Returns a suggestion for a user whose request failed. Log messages contain the suggestion in the field `fix`. */
export function suggestFix(error: unknown): string {
  if (error instanceof ProxyError) return error.fix;
  const code = findApiError(error)?.code;
  if (code === undefined) return TLS_FIXES[getTlsFailure(error) ?? 'none'];
  if (code === 401) return 'use credentials that the API server accepts: the ones in the kubeconfig may have expired';
  if (code === 403) return "grant the permission to the manager's ServiceAccount";
  if (code === 429 || code >= 500) return 'if this persists, check the API server';
  return 'fix the problem that the error describes';
}

const TLS_FIXES: Readonly<Record<TlsFailure | 'none', string>> = {
  untrusted: 'set certificate-authority in the kubeconfig to the CA of the API server',
  'another name': 'correct server in the kubeconfig, or set tls-server-name',
  expired: 'renew the certificate of the API server, or correct the clock of this machine',
  'no TLS': 'correct server in the kubeconfig: no TLS server listens there',
  none: 'check that the API server is reachable',
};

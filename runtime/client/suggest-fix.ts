import { findApiError } from './errors.ts';
import { ProxyError } from './proxy-error.ts';
import { getTlsFailure, type TlsFailure } from './tls-failure.ts';

/** Returns what an operator can do about a failed request: the field `fix` of log messages. */
export function suggestFix(error: unknown): string {
  if (error instanceof ProxyError) return error.fix;
  const code = findApiError(error)?.code;
  if (code === undefined) return FIXES[getTlsFailure(error) ?? 'none'];
  if (code === 401) return 'give credentials that the API server accepts: those in the kubeconfig may have expired';
  if (code === 403) return "grant the right to the manager's ServiceAccount";
  if (code === 429 || code >= 500) return 'check the API server, if this goes on';
  return 'fix what the API server reports in the error';
}

const FIXES: Readonly<Record<TlsFailure | 'none', string>> = {
  untrusted: 'give the certificate authority of the API server: certificate-authority in the kubeconfig',
  'another name': 'correct server in the kubeconfig, or give tls-server-name there',
  expired: 'renew the certificate of the API server, or set the clock of this machine',
  'no TLS': 'correct server in the kubeconfig: what listens there does not speak TLS',
  none: 'check that the API server is reachable',
};

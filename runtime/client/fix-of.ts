import { apiErrorOf } from './errors.ts';

/** What Node.js reports when no certificate authority that it was given signed the certificate of a server. */
const UNTRUSTED: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** What an operator can do about a request that failed: the field `fix` of log messages. */
export function fixOf(error: unknown): string {
  const code = apiErrorOf(error)?.code;
  if (code === undefined) return isUntrusted(error) ? TRUST : 'check that the API server is reachable';
  if (code === 401) return 'give credentials that the API server accepts: those in the kubeconfig may have expired';
  if (code === 403) return "grant the right to the manager's ServiceAccount";
  if (code === 429 || code >= 500) return 'check the API server, if this goes on';
  return 'fix what the API server reports in the error';
}

const TRUST = 'give the certificate authority of the API server: certificate-authority in the kubeconfig';

function isUntrusted(error: unknown): boolean {
  return error instanceof Error && (UNTRUSTED.has(Reflect.get(error, 'code')) || isUntrusted(error.cause));
}

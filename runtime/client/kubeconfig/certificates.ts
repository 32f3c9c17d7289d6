/**
 * Checks certificates and keys of a kubeconfig before TLS uses them, because TLS errors name neither the file nor the
 * field.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { getErrorCode, kubeConfigError } from './kubeconfig-error.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Returns the same bytes. Throws a ConfigurationError when they contain no certificate; TLS would treat them as an
 * empty list of authorities.
 */
export function checkAuthority(source: string, ca: Buffer): Buffer {
  const blocks = ca.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.some(isCertificate)) return ca;
  throw kubeConfigError(source, 'the certificate authority is not a PEM certificate; correct certificate-authority');
}

/** Throws a ConfigurationError when TLS cannot use the pair. */
export function checkKeyPair(
  source: string,
  cert: string | Buffer | undefined,
  key: string | Buffer | undefined,
): void {
  if (cert === undefined || key === undefined) return;
  const checks = [
    ['the client certificate is not a PEM certificate', { cert }],
    ['the client key is not a PEM key without a passphrase', { key }],
    ['the client key does not belong to the client certificate', { cert, key }],
  ] as const;
  for (const [what, options] of checks) {
    try {
      createSecureContext(options);
    } catch (error) {
      throw kubeConfigError(
        source,
        `${what} (${getErrorCode(error)}); correct it in the kubeconfig, or what the exec plugin prints`,
      );
    }
  }
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks the certificates and keys of a kubeconfig before a TLS handshake, because TLS errors do not contain the name
 * of the file or the field.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { createKubeConfigError, getErrorCode } from './kubeconfig-error.ts';

const PEM_CERTIFICATE_PATTERN = /^-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gm;

/**
 * Returns the certificates in `ca`, because OpenSSL would ignore everything after a damaged one. Throws a
 * {@link ConfigurationError} if `ca` contains no certificate, because TLS would accept an empty file.
 */
export function checkCaCertificates(source: string, ca: Buffer): Buffer {
  const pemBlocks = ca.toString('latin1').match(PEM_CERTIFICATE_PATTERN) ?? [];
  const certificates = pemBlocks.filter(isCertificate);
  if (certificates.length > 0) return Buffer.from(certificates.map((pem) => `${pem}\n`).join(''));
  throw createKubeConfigError(
    source,
    'the certificate authority is not a PEM certificate; correct certificate-authority',
  );
}

/** Throws a {@link ConfigurationError} if the certificate or the key is invalid. */
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
  for (const [problem, options] of checks) {
    try {
      createSecureContext(options);
    } catch (error) {
      throw createKubeConfigError(
        source,
        `${problem} (${getErrorCode(error)}); correct it in the kubeconfig or in the output of the exec plugin`,
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

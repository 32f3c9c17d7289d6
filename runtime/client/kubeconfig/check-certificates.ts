/**
 * Checks the certificates and keys of a kubeconfig before a TLS handshake, because TLS errors do not contain the name
 * of the file or the field.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { createKubeConfigError, getErrorCode } from './kubeconfig-error.ts';

const PEM_CERTIFICATE_PATTERN = /^-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gm;

/**
 * Returns the certificates in `ca`, because OpenSSL would ignore everything after a damaged one. Throws a
 * {@link ConfigurationError} if `ca` contains no certificate, because TLS would accept an empty file.
 */
export function checkCaCertificates(source: string, ca: Buffer): Buffer {
  const certificates = findCertificates(ca).filter(isCertificate);
  if (certificates.length > 0) return joinCertificates(certificates);
  throw createKubeConfigError(
    source,
    'the certificate authority is not a PEM certificate; correct certificate-authority',
  );
}

/**
 * Returns the complete certificates of the client, because OpenSSL would refuse a file whose last one is cut. Throws a
 * {@link ConfigurationError} if the certificate or the key is invalid.
 */
export function checkKeyPair(source: string, cert: string | Buffer, key: string | Buffer): Buffer {
  const fail = (problem: string, error?: unknown): never => {
    const code = error === undefined ? '' : ` (${getErrorCode(error)})`;
    throw createKubeConfigError(
      source,
      `${problem}${code}; correct it in the kubeconfig or in the output of the exec plugin`,
    );
  };
  const attempt = <T>(problem: string, parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      return fail(problem, error);
    }
  };
  const pem = joinCertificates(findCertificates(cert));
  const certificate = attempt('the client certificate is not a PEM certificate', () => new X509Certificate(pem));
  const privateKey = attempt('the client key is not a PEM key without a passphrase', () => createPrivateKey(key));
  // `createSecureContext` accepts a key of another type, and TLS would then send no certificate.
  if (!certificate.checkPrivateKey(privateKey)) fail('the client key does not belong to the client certificate');
  attempt('OpenSSL refuses the client certificate', () => createSecureContext({ cert: pem, key }));
  return pem;
}

function findCertificates(pem: string | Buffer): readonly string[] {
  return pem.toString('latin1').match(PEM_CERTIFICATE_PATTERN) ?? [];
}

function joinCertificates(pemBlocks: readonly string[]): Buffer {
  return Buffer.from(pemBlocks.map((pem) => `${pem}\n`).join(''), 'latin1');
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

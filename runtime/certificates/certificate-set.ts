/**
 * Reads and writes the certificates of a webhook server in a Secret: the current key pair, the next key pair, and the
 * authorities that clients trust.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { KeyPair } from '../tls/key-pair.ts';

export interface CertificateSet {
  /** The key pair that servers present to clients. */
  readonly serving: KeyPair;
  /** The key pair that replaces {@link serving} when all clients trust it. */
  readonly next?: KeyPair;
  /**
   * Certificates of the authorities that clients trust, in PEM. The list includes the authorities that signed {@link
   * serving} and {@link next}.
   */
  readonly authorities: readonly string[];
}

/** The `data` of a Secret. Each value is base64. */
export type SecretData = Readonly<Record<string, string>>;

export type DecodedCertificates =
  | { readonly kind: 'valid'; readonly certificates: CertificateSet }
  /**
   * The certificates are valid, but do not cover all required host names.
   * @prop hosts Host names that the serving certificate covers.
   */
  | { readonly kind: 'hosts-missing'; readonly certificates: CertificateSet; readonly hosts: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Keys of the `data` of the Secret. The keys `next-tls.crt` and `next-tls.key` are specific to this project. */
const CERTIFICATE_DATA_KEYS = {
  cert: 'tls.crt',
  key: 'tls.key',
  authorities: 'ca.crt',
  nextCert: 'next-tls.crt',
  nextKey: 'next-tls.key',
} as const;

/** @param hosts Host names that the serving certificate must cover. */
export function decodeCertificates(
  data: SecretData,
  { hosts, now }: { readonly hosts: readonly string[]; readonly now: Date },
): DecodedCertificates {
  const serving = {
    cert: decodeField(data, CERTIFICATE_DATA_KEYS.cert),
    key: decodeField(data, CERTIFICATE_DATA_KEYS.key),
  };
  const next = {
    cert: decodeField(data, CERTIFICATE_DATA_KEYS.nextCert),
    key: decodeField(data, CERTIFICATE_DATA_KEYS.nextKey),
  };
  const authorities = (decodeField(data, CERTIFICATE_DATA_KEYS.authorities).match(PEM_CERTIFICATE_PATTERN) ?? []).map(
    (pem) => `${pem}\n`,
  );
  const problem = validateKeyPair(serving, authorities, now);
  if (problem !== undefined) return { kind: 'invalid', reason: problem };
  const isNextValid = validateKeyPair(next, authorities, now) === undefined;
  const certificates = { serving, ...(isNextValid && { next }), authorities };
  const certificate = new X509Certificate(serving.cert);
  const hasAllHosts = hosts.every(
    (host) =>
      (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: 'never' })) !== undefined,
  );
  return hasAllHosts
    ? { kind: 'valid', certificates }
    : { kind: 'hosts-missing', certificates, hosts: listHosts(certificate) };
}

export function encodeCertificates({ serving, next, authorities }: CertificateSet): SecretData {
  const plainData = {
    [CERTIFICATE_DATA_KEYS.cert]: serving.cert,
    [CERTIFICATE_DATA_KEYS.key]: serving.key,
    [CERTIFICATE_DATA_KEYS.authorities]: formatBundle({ authorities }),
    ...(next && { [CERTIFICATE_DATA_KEYS.nextCert]: next.cert, [CERTIFICATE_DATA_KEYS.nextKey]: next.key }),
  };
  return Object.fromEntries(
    Object.entries(plainData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
}

/** Returns `data` without the certificates and the private keys. */
export function omitCertificates(data: SecretData): SecretData {
  const certificateKeys: readonly string[] = Object.values(CERTIFICATE_DATA_KEYS);
  return Object.fromEntries(Object.entries(data).filter(([key]) => !certificateKeys.includes(key)));
}

/** Returns the certificates of all authorities, in PEM. */
export function formatBundle({ authorities }: Pick<CertificateSet, 'authorities'>): string {
  return authorities.join('');
}

/**
 * Returns why a client that trusts only `authorities` would reject the key pair, or `undefined` if the client would
 * accept it.
 */
export function validateKeyPair({ cert, key }: KeyPair, authorities: readonly string[], now: Date): string | undefined {
  if (cert === '' || key === '') return 'it has no certificate';
  const certificate = parseCertificate(cert);
  if (certificate === undefined) return `${CERTIFICATE_DATA_KEYS.cert} is not a certificate`;
  if (!matchesKey(certificate, key))
    return `${CERTIFICATE_DATA_KEYS.key} is not the key of ${CERTIFICATE_DATA_KEYS.cert}`;
  if (certificate.validToDate <= now) return `${CERTIFICATE_DATA_KEYS.cert} has expired`;
  return authorities.some((authority) => isIssuedBy(cert, authority))
    ? undefined
    : `${CERTIFICATE_DATA_KEYS.authorities} does not contain its issuer`;
}

/** Returns whether `authority` signed `cert`. Returns false if `cert` or `authority` is not a certificate. */
export function isIssuedBy(cert: string, authority: string): boolean {
  const [certificate, issuer] = [parseCertificate(cert), parseCertificate(authority)];
  if (certificate === undefined || issuer === undefined) return false;
  return certificate.verify(issuer.publicKey);
}

const PEM_CERTIFICATE_PATTERN = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function decodeField(data: SecretData, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function matchesKey(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function listHosts({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? []);
}

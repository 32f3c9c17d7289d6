/**
 * The certificates of a webhook server, which all its replicas share: the current one, the next one, and the trusted
 * authorities.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { KeyPair } from '../tls/key-pair.ts';

export interface CertificateSet {
  /** The key pair that servers present. */
  readonly serving: KeyPair;
  /** The key pair that servers present once all clients trust it. */
  readonly next?: KeyPair;
  /** Certificates of authorities, each in PEM. Includes the authorities of {@link serving} and {@link next}. */
  readonly trusted: readonly string[];
}

/** The `data` of a Secret: base64 by key. */
export type SecretData = Readonly<Record<string, string>>;

export type DecodedSet =
  | { readonly kind: 'valid'; readonly set: CertificateSet }
  /** A valid set for other host names. */
  | { readonly kind: 'other-hosts'; readonly set: CertificateSet; readonly hosts: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string };

/** `tls.crt`, `tls.key` and `ca.crt` are the usual keys; only this manager uses the keys of the next pair. */
const KEYS = {
  cert: 'tls.crt',
  key: 'tls.key',
  trusted: 'ca.crt',
  nextCert: 'next-tls.crt',
  nextKey: 'next-tls.key',
} as const;

/**
 * Reads a certificate set from the data of a Secret.
 * @param hosts Names that the serving certificate must cover.
 */
export function decodeSet(
  data: SecretData,
  { hosts, now }: { readonly hosts: readonly string[]; readonly now: Date },
): DecodedSet {
  const serving = { cert: decodeField(data, KEYS.cert), key: decodeField(data, KEYS.key) };
  const next = { cert: decodeField(data, KEYS.nextCert), key: decodeField(data, KEYS.nextKey) };
  const trusted = (decodeField(data, KEYS.trusted).match(PEM_CERTIFICATE) ?? []).map((pem) => `${pem}\n`);
  const problem = validateKeyPair(serving, trusted, now);
  if (problem !== undefined) return { kind: 'invalid', reason: problem };
  const hasNext = validateKeyPair(next, trusted, now) === undefined;
  const set = { serving, ...(hasNext && { next }), trusted };
  const certificate = new X509Certificate(serving.cert);
  const coversHosts = hosts.every(
    (host) =>
      (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: 'never' })) !== undefined,
  );
  return coversHosts ? { kind: 'valid', set } : { kind: 'other-hosts', set, hosts: listHosts(certificate) };
}

/** The data of a Secret that stores the set. */
export function encodeSet({ serving, next, trusted }: CertificateSet): SecretData {
  const texts = {
    [KEYS.cert]: serving.cert,
    [KEYS.key]: serving.key,
    [KEYS.trusted]: formatBundle({ trusted }),
    ...(next && { [KEYS.nextCert]: next.cert, [KEYS.nextKey]: next.key }),
  };
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

/** Returns `data` without the keys of a set, so that a Secret keeps the data of other clients. */
export function omitSet(data: SecretData): SecretData {
  const setKeys: readonly string[] = Object.values(KEYS);
  return Object.fromEntries(Object.entries(data).filter(([key]) => !setKeys.includes(key)));
}

/** All trusted certificates, in PEM. */
export function formatBundle({ trusted }: Pick<CertificateSet, 'trusted'>): string {
  return trusted.join('');
}

/** Checks whether clients that trust `trusted` accept `pair` at `now`. Returns the reason if they do not, else `undefined`. */
export function validateKeyPair({ cert, key }: KeyPair, trusted: readonly string[], now: Date): string | undefined {
  if (cert === '' || key === '') return 'it has no certificate';
  const certificate = parseCertificate(cert);
  if (certificate === undefined) return `${KEYS.cert} is not a certificate`;
  if (!matchesKey(certificate, key)) return `${KEYS.key} is not the key of ${KEYS.cert}`;
  if (certificate.validToDate <= now) return `${KEYS.cert} has expired`;
  return trusted.some((authority) => isIssuedBy(cert, authority))
    ? undefined
    : `${KEYS.trusted} does not contain its issuer`;
}

/** Returns whether `authority` signed `cert`, both in PEM. False for text that is not a certificate. */
export function isIssuedBy(cert: string, authority: string): boolean {
  const [certificate, issuer] = [parseCertificate(cert), parseCertificate(authority)];
  if (certificate === undefined || issuer === undefined) return false;
  return certificate.verify(issuer.publicKey);
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function decodeField(data: SecretData, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined; // an edit left no certificate
  }
}

function matchesKey(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // not a key
  }
}

function listHosts({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? []);
}

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

export type FoundSet =
  | { readonly kind: 'sound'; readonly set: CertificateSet }
  /** A valid set for other host names. */
  | { readonly kind: 'other-hosts'; readonly set: CertificateSet; readonly hosts: readonly string[] }
  | { readonly kind: 'unsound'; readonly reason: string };

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
): FoundSet {
  const serving = { cert: textOf(data, KEYS.cert), key: textOf(data, KEYS.key) };
  const next = { cert: textOf(data, KEYS.nextCert), key: textOf(data, KEYS.nextKey) };
  const trusted = (textOf(data, KEYS.trusted).match(PEM_CERTIFICATE) ?? []).map((pem) => `${pem}\n`);
  const fault = faultOf(serving, trusted, now);
  if (fault !== undefined) return { kind: 'unsound', reason: fault };
  const hasNext = faultOf(next, trusted, now) === undefined;
  const set = { serving, ...(hasNext && { next }), trusted };
  const certificate = new X509Certificate(serving.cert);
  const isForHosts = hosts.every(
    (host) =>
      (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: 'never' })) !== undefined,
  );
  return isForHosts ? { kind: 'sound', set } : { kind: 'other-hosts', set, hosts: hostsOf(certificate) };
}

/** The data of a Secret that stores the set. */
export function encodeSet({ serving, next, trusted }: CertificateSet): SecretData {
  const texts = {
    [KEYS.cert]: serving.cert,
    [KEYS.key]: serving.key,
    [KEYS.trusted]: bundleOf({ trusted }),
    ...(next && { [KEYS.nextCert]: next.cert, [KEYS.nextKey]: next.key }),
  };
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

/** Returns `other` without the keys of a set, so that a Secret keeps the data of other clients. */
export function withoutSet(other: SecretData): SecretData {
  const ours: readonly string[] = Object.values(KEYS);
  return Object.fromEntries(Object.entries(other).filter(([key]) => !ours.includes(key)));
}

/** All trusted certificates, in PEM. */
export function bundleOf({ trusted }: Pick<CertificateSet, 'trusted'>): string {
  return trusted.join('');
}

/** Returns why a server whose clients trust `trusted` cannot use `pair` at `now`, or `undefined` when it can. */
export function faultOf({ cert, key }: KeyPair, trusted: readonly string[], now: Date): string | undefined {
  if (cert === '' || key === '') return 'there is no certificate';
  const certificate = parsed(cert);
  if (certificate === undefined) return `${KEYS.cert} is not a certificate`;
  if (!isKeyOf(certificate, key)) return `${KEYS.key} is not the key of ${KEYS.cert}`;
  if (certificate.validToDate <= now) return `${KEYS.cert} has expired`;
  return trusted.some((authority) => isIssuedBy(cert, authority)) ? undefined : `${KEYS.trusted} has no issuer of it`;
}

/** Returns whether `authority` signed `cert`, both in PEM. False for text that is not a certificate. */
export function isIssuedBy(cert: string, authority: string): boolean {
  const [certificate, issuer] = [parsed(cert), parsed(authority)];
  if (certificate === undefined || issuer === undefined) return false;
  return certificate.verify(issuer.publicKey);
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function textOf(data: SecretData, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined; // an edit left no certificate
  }
}

function isKeyOf(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // not a key
  }
}

function hostsOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? []);
}

import { createCertificate, createSigningKey, exportPrivateKey } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

/**
 * The default lifetime is 90 days, as for certificates of public CAs. A short lifetime limits how long a stolen private
 * key is useful.
 */
export const DEFAULT_CERTIFICATE_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** The share of the lifetime by which `notBefore` is before `now`, because the clock of a client may be slow. */
const BACKDATING_LIFETIME_FRACTION = 1 / 90;

export interface IssuedKeyPair extends KeyPair {
  /**
   * Certificate of the authority in PEM. The authority signs only the certificate of this server, so a client that
   * trusts the authority trusts no other server.
   */
  readonly authority: string;
}

/**
 * Creates a P-256 key and a certificate, signed by a new authority. The private key of the authority is not stored. The
 * validity starts a ninetieth of `validForMs` before `now`, and ends at `now` plus `validForMs`.
 * @param hosts DNS names. The first name is the common name.
 */
export async function createIssuedKeyPair(
  hosts: readonly string[],
  now: Date,
  validForMs = DEFAULT_CERTIFICATE_LIFETIME_MS,
): Promise<IssuedKeyPair> {
  const [authority, key] = await Promise.all([createSigningKey(), createSigningKey()]);
  const commonName = hosts[0] ?? 'localhost';
  // Clients treat a certificate as self-signed if its issuer and its subject have the same name. A prefix makes the
  // names different, because a suffix of a long name would be truncated.
  const issuer = { ...authority, commonName: `authority of ${commonName}` };
  const validity = {
    notBefore: new Date(now.getTime() - BACKDATING_LIFETIME_FRACTION * validForMs),
    notAfter: new Date(now.getTime() + validForMs),
  };
  return {
    authority: createCertificate({
      subject: { kind: 'authority', commonName: issuer.commonName },
      publicKey: authority.publicKey,
      issuer,
      ...validity,
    }),
    cert: createCertificate({
      subject: { kind: 'server', commonName, hosts },
      publicKey: key.publicKey,
      issuer,
      ...validity,
    }),
    key: exportPrivateKey(key),
  };
}

import { createCertificate, createSigningKey, exportPrivateKey } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

/** 90 days, the lifetime that public CAs use. A short lifetime limits how long a stolen private key is useful. */
export const DEFAULT_CERTIFICATE_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** The share of the lifetime by which `notBefore` is earlier than `now`, because the clock of a client may be slow. */
const BACKDATING_LIFETIME_FRACTION = 1 / 90;

export interface IssuedKeyPair extends KeyPair {
  /**
   * Certificate of the authority in PEM. A client that trusts the authority trusts only this server, because the
   * authority signs no other certificate.
   */
  readonly authority: string;
}

/**
 * Creates a P-256 key and a certificate, signed by a new authority. The private key of the authority is not stored. The
 * validity starts before `now` by a ninetieth of `validForMs`, and ends at `now` plus `validForMs`.
 * @param hosts DNS names. The first name is the common name.
 */
export async function createIssuedKeyPair(
  hosts: readonly string[],
  now: Date,
  validForMs = DEFAULT_CERTIFICATE_LIFETIME_MS,
): Promise<IssuedKeyPair> {
  const [authority, key] = await Promise.all([createSigningKey(), createSigningKey()]);
  const commonName = hosts[0] ?? 'localhost';
  // The name of the issuer must differ from the name of the subject: clients treat a certificate whose issuer and subject are equal
  // as self-signed. A suffix would be lost, because long names are truncated.
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

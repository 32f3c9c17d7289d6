/** A server certificate, and an authority that is created only for it. */
import { createKey, keyPem, writeCertificate } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

/** 90 days, as public authorities use: a stolen key is soon worthless. */
export const DEFAULT_VALID_FOR_MS = 90 * 24 * 60 * 60 * 1000;
/** Clocks of clients may be behind: a day of tolerance for a validity of 90 days. */
const BACKDATED_SHARE = 1 / 90;

export interface IssuedKeyPair extends KeyPair {
  /**
   * Certificate of the authority in PEM: a client that trusts it trusts only this server, because the authority signs
   * no other.
   */
  readonly authority: string;
}

/**
 * Creates a P-256 key and a server certificate for it, signed by a new authority whose key is discarded afterwards.
 * Both are valid from a ninetieth of `validForMs` before `now` until `validForMs` after it.
 * @param hosts DNS names; the first is the common name.
 */
export async function createIssuedKeyPair(
  hosts: readonly string[],
  now: Date,
  validForMs = DEFAULT_VALID_FOR_MS,
): Promise<IssuedKeyPair> {
  const [authority, key] = await Promise.all([createKey(), createKey()]);
  const commonName = hosts[0] ?? 'localhost';
  // The prefix comes first because long names are cut; a certificate with the same subject and issuer would not be
  // verified further.
  const issuer = { ...authority, commonName: `authority of ${commonName}` };
  const validity = {
    notBefore: new Date(now.getTime() - BACKDATED_SHARE * validForMs),
    notAfter: new Date(now.getTime() + validForMs),
  };
  return {
    authority: writeCertificate({
      subject: { kind: 'authority', commonName: issuer.commonName },
      publicKey: authority.publicKey,
      issuer,
      ...validity,
    }),
    cert: writeCertificate({
      subject: { kind: 'server', commonName, hosts },
      publicKey: key.publicKey,
      issuer,
      ...validity,
    }),
    key: keyPem(key),
  };
}

/** A server certificate, and an authority that was made for it alone. */
import { createKey, keyPem, writeCertificate } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

/** 90 days, as public authorities have it: short enough that a stolen key is soon worth nothing. */
export const DEFAULT_VALID_FOR_MS = 90 * 24 * 60 * 60 * 1000;
/** Clocks of those who check it may be behind: by a day, where it is valid for 90. */
const BACKDATED_SHARE = 1 / 90;

export interface IssuedKeyPair extends KeyPair {
  /** Certificate of the authority in PEM: who trusts it trusts the server, and nobody else ever. */
  readonly authority: string;
}

/**
 * Makes a P-256 key and a server certificate for it, signed by a new authority whose key is forgotten right after. Both are
 * valid until `validForMs` after `now`, and from a ninetieth of that before it.
 * @param hosts DNS names; the first is the common name.
 */
export async function createIssued(
  hosts: readonly string[],
  now: Date,
  validForMs = DEFAULT_VALID_FOR_MS,
): Promise<IssuedKeyPair> {
  const [authority, key] = await Promise.all([createKey(), createKey()]);
  const commonName = hosts[0] ?? 'localhost';
  // The difference comes first: long names are cut, and a certificate that names itself as issuer would not be checked further.
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

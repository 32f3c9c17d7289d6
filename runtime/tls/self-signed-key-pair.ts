/** Self-signed certificates: they encrypt, and a client that trusts this certificate can identify the server. */
import { createKey, keyPem, writeCertificate } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_FOR_MS = 3650 * DAY_MS;
/** Clocks of clients may be behind. */
const BACKDATED_MS = DAY_MS;

/**
 * Creates a P-256 key and a server certificate for it that is valid from a day before `now` for ten years.
 * @param hosts DNS names and IPv4 addresses; the first is the common name.
 */
export async function createSelfSignedKeyPair(hosts: readonly string[], now: Date): Promise<KeyPair> {
  const key = await createKey();
  const commonName = hosts[0] ?? 'localhost';
  const cert = writeCertificate({
    subject: { kind: 'server', commonName, hosts },
    publicKey: key.publicKey,
    issuer: { ...key, commonName },
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + VALID_FOR_MS),
  });
  return { cert, key: keyPem(key) };
}

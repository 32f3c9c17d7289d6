import { createCertificate, createSigningKey, exportPrivateKey } from './certificate.ts';
import type { KeyPair } from './key-pair.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const CERTIFICATE_LIFETIME_MS = 3650 * DAY_MS;
/** The time by which `notBefore` is before `now`, because the clock of a client may be slow. */
const BACKDATING_MS = DAY_MS;

/**
 * Creates a P-256 key and a self-signed certificate. The certificate is valid for ten years from `now`.
 * @param hosts DNS names and IPv4 addresses. The first host is the common name.
 */
export async function createSelfSignedKeyPair(hosts: readonly string[], now: Date): Promise<KeyPair> {
  const key = await createSigningKey();
  const commonName = hosts[0] ?? 'localhost';
  const cert = createCertificate({
    subject: { kind: 'server', commonName, hosts },
    publicKey: key.publicKey,
    issuer: { ...key, commonName },
    notBefore: new Date(now.getTime() - BACKDATING_MS),
    notAfter: new Date(now.getTime() + CERTIFICATE_LIFETIME_MS),
  });
  return { cert, key: exportPrivateKey(key) };
}

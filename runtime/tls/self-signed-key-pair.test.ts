import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSelfSignedKeyPair } from './self-signed-key-pair.ts';

const now = new Date('2030-01-01');

describe('createSelfSignedKeyPair', () => {
  test('creates a certificate that its own key signed', async () => {
    const { cert, key } = await createSelfSignedKeyPair(['localhost'], new Date('2030-06-01T12:00:00Z'));
    const certificate = new X509Certificate(cert);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  test('names every host', async () => {
    const { cert } = await createSelfSignedKeyPair(['metrics.system.svc', 'localhost', '127.0.0.1'], now);
    const certificate = new X509Certificate(cert);
    expect(certificate.subject).toBe('CN=metrics.system.svc');
    expect(certificate.subjectAltName).toBe('DNS:metrics.system.svc, DNS:localhost, IP Address:127.0.0.1');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('localhost')).toBe('localhost');
  });

  test.each([
    ['2030-06-01T12:00:00Z', 'May 31 12:00:00 2030 GMT', 'May 29 12:00:00 2040 GMT'],
    ['2045-01-02T03:04:05Z', 'Jan  1 03:04:05 2045 GMT', 'Dec 31 03:04:05 2054 GMT'],
    ['2051-01-02T03:04:05Z', 'Jan  1 03:04:05 2051 GMT', 'Dec 30 03:04:05 2060 GMT'],
  ])('created at %s is valid from %s to %s', async (now, validFrom, validTo) => {
    const { cert } = await createSelfSignedKeyPair(['localhost'], new Date(now));
    expect(new X509Certificate(cert)).toMatchObject({ validFrom, validTo });
  });

  test('differs at each call', async () => {
    const serials = await Promise.all(
      [1, 2, 3].map(async () => new X509Certificate((await createSelfSignedKeyPair(['a'], now)).cert).serialNumber),
    );
    expect(new Set(serials).size).toBe(3);
  });
});

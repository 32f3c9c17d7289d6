import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { createIssuedKeyPair } from './issued-key-pair.ts';

const HOSTS = ['webhooks.system.svc', 'webhooks.system.svc.cluster.local'];
const now = new Date('2030-06-01T12:00:00Z');
const EPOCH_SECONDS = String(now.getTime() / 1000);

/** Runs openssl and returns its output. Throws if openssl fails. */
function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
}

/** Writes the certificates to files for openssl. */
function writeFiles({ cert, authority }: { readonly cert: string; readonly authority: string }) {
  const folder = createTemporaryFolder();
  const [certFile, authorityFile] = [join(folder, 'tls.crt'), join(folder, 'ca.crt')];
  writeFileSync(certFile, cert);
  writeFileSync(authorityFile, authority);
  return { certFile, authorityFile };
}

function verify(certFile: string, authorityFile: string, ...args: readonly string[]): string {
  const strictly = ['-x509_strict', '-purpose', 'sslserver', '-attime', EPOCH_SECONDS];
  return openssl('verify', ...strictly, ...args, '-CAfile', authorityFile, certFile);
}

describe('openssl', () => {
  test('verifies it for both of its names', async () => {
    const { certFile, authorityFile } = writeFiles(await createIssuedKeyPair(HOSTS, now));
    for (const host of HOSTS) {
      expect(verify(certFile, authorityFile, '-verify_hostname', host)).toBe(`${certFile}: OK\n`);
    }
    expect(() => verify(certFile, authorityFile, '-verify_hostname', 'other.system.svc')).toThrow('hostname mismatch');
  });

  test('finds the right authority among several with the same name', async () => {
    const [one, other] = await Promise.all([createIssuedKeyPair(HOSTS, now), createIssuedKeyPair(HOSTS, now)]);
    const { certFile, authorityFile } = writeFiles({ ...one, authority: other.authority + one.authority });
    expect(verify(certFile, authorityFile)).toBe(`${certFile}: OK\n`);
  });

  test('accepts names that are longer than a common name', async () => {
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.svc`;
    const issued = await createIssuedKeyPair([long], now);
    expect(new X509Certificate(issued.cert).subject).toBe(`CN=${long.slice(0, 64)}`);
    const { certFile, authorityFile } = writeFiles(issued);
    expect(verify(certFile, authorityFile, '-verify_hostname', long)).toBe(`${certFile}: OK\n`);
  });

  test('reads names, dates and uses', async () => {
    const { certFile, authorityFile } = writeFiles(await createIssuedKeyPair(HOSTS, now));
    const extensions = 'subjectAltName,keyUsage,extendedKeyUsage,basicConstraints';
    const printed = (file: string) =>
      openssl('x509', '-noout', '-dates', '-ext', extensions, '-in', file)
        .trim()
        .split(/\s*\n\s*/);
    const dates = ['notBefore=May 31 12:00:00 2030 GMT', 'notAfter=Aug 30 12:00:00 2030 GMT'];
    expect(printed(certFile)).toEqual([
      ...dates,
      ...['X509v3 Basic Constraints: critical', 'CA:FALSE'],
      ...['X509v3 Key Usage: critical', 'Digital Signature'],
      ...['X509v3 Extended Key Usage:', 'TLS Web Server Authentication'],
      ...['X509v3 Subject Alternative Name:', 'DNS:webhooks.system.svc, DNS:webhooks.system.svc.cluster.local'],
    ]);
    expect(printed(authorityFile)).toEqual([
      ...dates,
      ...['X509v3 Basic Constraints: critical', 'CA:TRUE, pathlen:0'],
      ...['X509v3 Key Usage: critical', 'Certificate Sign'],
    ]);
  });
});

test('a shorter lifetime is backdated less', async () => {
  const { cert, authority } = await createIssuedKeyPair(HOSTS, now, 90_000);
  for (const pem of [cert, authority]) {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    expect([validFromDate, validToDate].map((date) => date.getTime() - now.getTime())).toEqual([-1000, 90_000]);
  }
});

test('the certificate names its issuer', async () => {
  const { cert, authority } = await createIssuedKeyPair(HOSTS, now);
  const issuer = 'CN=authority of webhooks.system.svc';
  expect(new X509Certificate(cert)).toMatchObject({ subject: 'CN=webhooks.system.svc', issuer });
  expect(new X509Certificate(authority)).toMatchObject({ subject: issuer, issuer });
});

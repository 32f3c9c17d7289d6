import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import { type CertificateSet, decodeCertificates, encodeCertificates, omitCertificates } from './certificate-set.ts';

const DAY_MS = 86_400_000;
const now = new Date('2030-01-01');
const HOSTS = ['hooks.system.svc', 'hooks.system.svc.cluster.local'];

async function createPair(hosts: readonly string[] = HOSTS, createdAt = now) {
  const { authority, ...pair } = await createIssuedKeyPair(hosts, createdAt);
  return { authority, pair };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const decode = (data: Readonly<Record<string, string>>, at = now) =>
  decodeCertificates(data, { hosts: HOSTS, now: at });

/** Creates valid certificates without a next key pair. */
async function createPlainCertificates(): Promise<CertificateSet> {
  const { authority, pair } = await createPair();
  return { serving: pair, authorities: [authority] };
}

test('decodes what it encodes', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  const certificates = { serving: one.pair, next: two.pair, authorities: [one.authority, two.authority] };
  expect(decode(encodeCertificates(certificates))).toEqual({ kind: 'valid', certificates });
  const { next: _, ...plain } = certificates;
  expect(decode(encodeCertificates(plain))).toEqual({ kind: 'valid', certificates: plain });
});

test('stores the certificate, its key and the authorities under the usual keys', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  expect(encodeCertificates({ serving: one.pair, authorities: [one.authority, two.authority] })).toEqual({
    'tls.crt': base64(one.pair.cert),
    'tls.key': base64(one.pair.key),
    'ca.crt': base64(one.authority + two.authority),
  });
});

test('stores no key of an authority, only server keys that sign nothing trusted', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  const certificates = { serving: one.pair, next: two.pair, authorities: [one.authority, two.authority] };
  const texts = Object.values(encodeCertificates(certificates)).map((text) => Buffer.from(text, 'base64').toString());
  const keys = texts.flatMap((text) => text.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END/g) ?? []);
  expect(keys).toHaveLength(2);
  for (const [index, { authority, pair }] of [one, two].entries()) {
    const key = createPrivateKey(pair.key);
    expect(pair.key).toContain(keys[index]);
    expect(new X509Certificate(pair.cert)).toMatchObject({ ca: false });
    expect(new X509Certificate(pair.cert).checkPrivateKey(key)).toBe(true);
    expect(new X509Certificate(authority).checkPrivateKey(key)).toBe(false);
  }
});

test('keeps other entries of the Secret', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  const data = encodeCertificates({ serving: one.pair, next: two.pair, authorities: [one.authority, two.authority] });
  expect(omitCertificates({ ...data, other: 'x' })).toEqual({ other: 'x' });
});

describe('a Secret is invalid', () => {
  test('without a certificate or a key', async () => {
    const { 'tls.crt': cert = '', 'tls.key': key = '', ...rest } = encodeCertificates(await createPlainCertificates());
    const missing = { kind: 'invalid', reason: 'it has no certificate' };
    expect(decode({})).toEqual(missing);
    expect(decode({ ...rest, 'tls.crt': cert })).toEqual(missing);
    expect(decode({ ...rest, 'tls.key': key })).toEqual(missing);
  });

  test.each([
    ['tls.crt', base64('half of -----BEGIN'), 'tls.crt is not a certificate'],
    ['tls.key', base64('nonsense'), 'tls.key is not the key of tls.crt'],
    ['ca.crt', '', 'ca.crt does not contain its issuer'],
    [
      'ca.crt',
      base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      'ca.crt does not contain its issuer',
    ],
  ])('whose %s is %s', async (key, value, reason) => {
    expect(decode({ ...encodeCertificates(await createPlainCertificates()), [key]: value })).toEqual({
      kind: 'invalid',
      reason,
    });
  });

  test('whose key is that of another certificate', async () => {
    const [certificates, { pair }] = await Promise.all([createPlainCertificates(), createPair()]);
    const mixed = { ...certificates, serving: { cert: certificates.serving.cert, key: pair.key } };
    expect(decode(encodeCertificates(mixed))).toEqual({
      kind: 'invalid',
      reason: 'tls.key is not the key of tls.crt',
    });
  });

  test('that trusts only another authority with the same name', async () => {
    const [certificates, { authority }] = await Promise.all([createPlainCertificates(), createPair()]);
    const reason = 'ca.crt does not contain its issuer';
    expect(decode(encodeCertificates({ ...certificates, authorities: [authority] }))).toEqual({
      kind: 'invalid',
      reason,
    });
  });

  test('from the moment at which the certificate expires', async () => {
    const data = encodeCertificates(await createPlainCertificates());
    const end = now.getTime() + 90 * DAY_MS;
    expect(decode(data, new Date(end - 1)).kind).toBe('valid');
    expect(decode(data, new Date(end))).toEqual({ kind: 'invalid', reason: 'tls.crt has expired' });
  });
});

test('ignores a next pair that is damaged or not trusted', async () => {
  const [certificates, { pair: next }] = await Promise.all([createPlainCertificates(), createPair()]);
  expect(decode(encodeCertificates({ ...certificates, next }))).toEqual({ kind: 'valid', certificates });
});

test('a set for other names lists them', async () => {
  const names = ['old.system.svc', 'hooks.system.svc'];
  const { authority, pair } = await createPair(names);
  const certificates = { serving: pair, authorities: [authority] };
  expect(decode(encodeCertificates(certificates))).toEqual({ kind: 'hosts-missing', certificates, hosts: names });
});

test('a certificate covers its IP addresses and no others', async () => {
  const { authority, pair } = await createPair(['hooks', '192.168.1.5']);
  const data = encodeCertificates({ serving: pair, authorities: [authority] });
  const kindFor = (host: string) => decodeCertificates(data, { hosts: ['hooks', host], now });
  expect(kindFor('192.168.1.5')).toMatchObject({ kind: 'valid' });
  expect(kindFor('192.168.1.6')).toMatchObject({ kind: 'hosts-missing', hosts: ['hooks', '192.168.1.5'] });
});

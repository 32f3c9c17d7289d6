import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import { type CertificateSet, decodeSet, encodeSet, omitSet } from './certificate-set.ts';

const DAY_MS = 86_400_000;
const now = new Date('2030-01-01');
const HOSTS = ['hooks.system.svc', 'hooks.system.svc.cluster.local'];

async function createPair(hosts: readonly string[] = HOSTS, createdAt = now) {
  const { authority, ...pair } = await createIssuedKeyPair(hosts, createdAt);
  return { authority, pair };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const decoded = (data: Readonly<Record<string, string>>, at = now) => decodeSet(data, { hosts: HOSTS, now: at });

/** A valid set without a renewal in progress. */
async function plainSet(): Promise<CertificateSet> {
  const { authority, pair } = await createPair();
  return { serving: pair, trusted: [authority] };
}

test('decodes what it encodes', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  const set = { serving: one.pair, next: two.pair, trusted: [one.authority, two.authority] };
  expect(decoded(encodeSet(set))).toEqual({ kind: 'valid', set });
  const { next: _, ...plain } = set;
  expect(decoded(encodeSet(plain))).toEqual({ kind: 'valid', set: plain });
});

test('stores the certificate, its key and the authorities under the usual keys', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  expect(encodeSet({ serving: one.pair, trusted: [one.authority, two.authority] })).toEqual({
    'tls.crt': base64(one.pair.cert),
    'tls.key': base64(one.pair.key),
    'ca.crt': base64(one.authority + two.authority),
  });
});

test('stores no key of an authority, only server keys that sign nothing trusted', async () => {
  const [one, two] = await Promise.all([createPair(), createPair()]);
  const set = { serving: one.pair, next: two.pair, trusted: [one.authority, two.authority] };
  const texts = Object.values(encodeSet(set)).map((text) => Buffer.from(text, 'base64').toString());
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
  const data = encodeSet({ serving: one.pair, next: two.pair, trusted: [one.authority, two.authority] });
  expect(omitSet({ ...data, other: 'x' })).toEqual({ other: 'x' });
});

describe('a Secret is invalid', () => {
  test('without a certificate or a key', async () => {
    const { 'tls.crt': cert = '', 'tls.key': key = '', ...rest } = encodeSet(await plainSet());
    const missing = { kind: 'invalid', reason: 'it has no certificate' };
    expect(decoded({})).toEqual(missing);
    expect(decoded({ ...rest, 'tls.crt': cert })).toEqual(missing);
    expect(decoded({ ...rest, 'tls.key': key })).toEqual(missing);
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
    expect(decoded({ ...encodeSet(await plainSet()), [key]: value })).toEqual({ kind: 'invalid', reason });
  });

  test('whose key is that of another certificate', async () => {
    const [set, { pair }] = await Promise.all([plainSet(), createPair()]);
    const mixed = { ...set, serving: { cert: set.serving.cert, key: pair.key } };
    expect(decoded(encodeSet(mixed))).toEqual({ kind: 'invalid', reason: 'tls.key is not the key of tls.crt' });
  });

  test('that trusts only another authority with the same name', async () => {
    const [set, { authority }] = await Promise.all([plainSet(), createPair()]);
    const reason = 'ca.crt does not contain its issuer';
    expect(decoded(encodeSet({ ...set, trusted: [authority] }))).toEqual({ kind: 'invalid', reason });
  });

  test('from the moment at which the certificate expires', async () => {
    const data = encodeSet(await plainSet());
    const end = now.getTime() + 90 * DAY_MS;
    expect(decoded(data, new Date(end - 1)).kind).toBe('valid');
    expect(decoded(data, new Date(end))).toEqual({ kind: 'invalid', reason: 'tls.crt has expired' });
  });
});

test('ignores a next pair that is damaged or not trusted', async () => {
  const [set, { pair: next }] = await Promise.all([plainSet(), createPair()]);
  expect(decoded(encodeSet({ ...set, next }))).toEqual({ kind: 'valid', set });
});

test('a set for other names lists them', async () => {
  const names = ['old.system.svc', 'hooks.system.svc'];
  const { authority, pair } = await createPair(names);
  const set = { serving: pair, trusted: [authority] };
  expect(decoded(encodeSet(set))).toEqual({ kind: 'other-hosts', set, hosts: names });
});

test('a certificate covers its IP addresses and no others', async () => {
  const { authority, pair } = await createPair(['hooks', '192.168.1.5']);
  const data = encodeSet({ serving: pair, trusted: [authority] });
  const kindFor = (host: string) => decodeSet(data, { hosts: ['hooks', host], now });
  expect(kindFor('192.168.1.5')).toMatchObject({ kind: 'valid' });
  expect(kindFor('192.168.1.6')).toMatchObject({ kind: 'other-hosts', hosts: ['hooks', '192.168.1.5'] });
});

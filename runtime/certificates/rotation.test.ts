import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import { type CertificateSet, decodeCertificates, encodeCertificates } from './certificate-set.ts';
import { MAX_STEP_WAIT_MS, planRotation, type RotationInput, type RotationPlan } from './rotation.ts';

const DAY_MS = 86_400_000;
const HOSTS = ['hooks.system.svc'];
const start = new Date('2030-01-01');
const later = (days: number) => new Date(start.getTime() + days * DAY_MS);
const none = { kind: 'invalid', reason: 'the Secret does not exist' } as const;

function next(input: Partial<RotationInput>): Promise<RotationPlan> {
  const usual = { current: undefined, trustedForMs: 0, hosts: HOSTS, validForMs: 90 * DAY_MS, now: start };
  return planRotation({ stored: none, ...usual, ...input });
}

/** Returns the certificates of the next step. Throws if the rotation has no next step. */
async function applyRotation(situation: Partial<RotationInput>): Promise<CertificateSet> {
  const rotation = await next(situation);
  if (rotation.kind === 'keep') throw new Error('nothing to do');
  return rotation.certificates;
}

const valid = (certificates: CertificateSet) => ({ kind: 'valid', certificates }) as const;

/** Returns the certificates as a replica reads them from the Secret. */
function readAsReplica(certificates: CertificateSet, now: Date): CertificateSet {
  const stored = decodeCertificates(encodeCertificates(certificates), { hosts: HOSTS, now });
  if (stored.kind !== 'valid') throw new Error(JSON.stringify(stored));
  return stored.certificates;
}

async function createFresh(): Promise<CertificateSet> {
  return await applyRotation({});
}

test('creates a set when there is none', async () => {
  const rotation = await next({});
  expect(rotation).toMatchObject({ kind: 'store', step: 'create', reason: 'the Secret does not exist' });
  expect(rotation.certificates.authorities).toHaveLength(1);
  expect(readAsReplica(rotation.certificates, start)).toEqual(rotation.certificates);
});

test('keeps it for two thirds of its lifetime', async () => {
  const certificates = await createFresh();
  // The certificate is valid for 91 days, and one day has already passed.
  const renewalMs = ((91 * 2) / 3 - 1) * DAY_MS;
  expect(await next({ stored: valid(certificates) })).toEqual({ kind: 'keep', certificates, checkAfterMs: renewalMs });
  expect(await next({ stored: valid(certificates), now: new Date(start.getTime() + renewalMs - 1) })).toMatchObject({
    checkAfterMs: 1,
  });
  expect(await next({ stored: valid(certificates), now: new Date(start.getTime() + renewalMs) })).toMatchObject({
    step: 'prepare',
  });
});

describe('a renewal', () => {
  const now = later(61);

  test('first publishes the new authority and presents the old pair', async () => {
    const certificates = await createFresh();
    const prepared = await applyRotation({ stored: valid(certificates), now });
    expect(prepared.serving).toEqual(certificates.serving);
    expect(prepared.authorities).toEqual([...certificates.authorities, expect.any(String)]);
    expect(prepared.next?.cert).not.toBe(certificates.serving.cert);
    expect(readAsReplica(prepared, now)).toEqual(prepared);
  });

  test('presents the new pair after all clients have trusted both for ten minutes', async () => {
    const prepared = await applyRotation({ stored: valid(await createFresh()), now });
    const stored = valid(prepared);
    expect(await next({ stored, now })).toEqual({
      kind: 'keep',
      certificates: prepared,
      checkAfterMs: MAX_STEP_WAIT_MS,
    });
    expect(await next({ stored, now, trustedForMs: MAX_STEP_WAIT_MS - 1 })).toMatchObject({
      kind: 'keep',
      checkAfterMs: 1,
    });
    const switched = await next({ stored, now, trustedForMs: MAX_STEP_WAIT_MS });
    const certificates = { serving: prepared.next, authorities: prepared.authorities };
    expect(switched).toMatchObject({ kind: 'store', step: 'switch', certificates });
    expect(switched.certificates.next).toBeUndefined();
  });

  test('trusts only the new authority after ten more minutes', async () => {
    const prepared = await applyRotation({ stored: valid(await createFresh()), now });
    const switched = await applyRotation({ stored: valid(prepared), now, trustedForMs: MAX_STEP_WAIT_MS });
    const stored = valid(switched);
    expect(await next({ stored, now })).toEqual({
      kind: 'keep',
      certificates: switched,
      checkAfterMs: MAX_STEP_WAIT_MS,
    });
    expect(await next({ stored, now, trustedForMs: MAX_STEP_WAIT_MS - 1 })).toMatchObject({
      kind: 'keep',
      checkAfterMs: 1,
    });
    const retired = await next({ stored, now, trustedForMs: MAX_STEP_WAIT_MS });
    expect(retired).toMatchObject({ step: 'retire', certificates: { serving: switched.serving } });
    expect(retired.certificates.authorities).toEqual(prepared.authorities.slice(1));
    expect(readAsReplica(retired.certificates, now)).toEqual(retired.certificates);
    expect(await next({ stored: valid(retired.certificates), now, trustedForMs: MAX_STEP_WAIT_MS })).toMatchObject({
      kind: 'keep',
    });
  });

  test('never presents an untrusted pair, and still trusts the pair of the step before', async () => {
    let certificates = await createFresh();
    const sets: CertificateSet[] = [certificates];
    for (let day = 0; day < 400; day++) {
      const rotation = await next({
        stored: valid(certificates),
        now: later(day),
        trustedForMs: MAX_STEP_WAIT_MS,
      });
      if (rotation.kind === 'store') sets.push(rotation.certificates);
      certificates = rotation.certificates;
    }
    expect(sets).toHaveLength(1 + 3 * 6);
    sets.forEach(({ serving, authorities }, step) => {
      const [presentedBefore, presentedNow] = [(sets[step - 1] ?? { serving }).serving, serving];
      const publicKeys = authorities.map((authority) => new X509Certificate(authority).publicKey);
      for (const { cert } of [presentedBefore, presentedNow]) {
        const certificate = new X509Certificate(cert);
        expect(publicKeys.some((key) => certificate.verify(key))).toBe(true);
      }
    });
  });
});

describe('certificates with a lifetime of five minutes', () => {
  const SHORT = { validForMs: 300_000 };
  /** The lifetime includes the backdating, in whole seconds. */
  const LIFE_MS = 304_000;

  /** Returns the wait before the next step, in milliseconds. */
  async function waitFor(certificates: CertificateSet, situation: Partial<RotationInput> = {}): Promise<number> {
    const rotation = await next({ ...situation, stored: valid(certificates) });
    if (rotation.kind !== 'keep') throw new Error(rotation.step);
    return rotation.checkAfterMs;
  }

  test('are valid for five minutes', async () => {
    const { serving } = await applyRotation(SHORT);
    const { validFromDate, validToDate } = new X509Certificate(serving.cert);
    expect([validFromDate, validToDate].map((date) => date.getTime() - start.getTime())).toEqual([-4000, 300_000]);
  });

  test('are created after two thirds of the previous lifetime, whatever it is', async () => {
    const certificates = await createFresh();
    expect(await waitFor(certificates, SHORT)).toBe(await waitFor(certificates));
    const { next: prepared } = await applyRotation({
      ...SHORT,
      stored: valid(certificates),
      now: later(61),
    });
    expect(new X509Certificate(prepared?.cert ?? '').validToDate).toEqual(new Date(later(61).getTime() + 300_000));
    expect(await waitFor(await applyRotation(SHORT))).toBe(Math.floor((LIFE_MS * 2) / 3) - 4000);
  });

  test('shorten the waits, so that none expires', async () => {
    // Either the new certificate or the old certificate has a short lifetime.
    for (const [validForMs, nextValidForMs] of [
      [90 * DAY_MS, 300_000],
      [300_000, 90 * DAY_MS],
    ] as const) {
      const certificates = await applyRotation({ validForMs });
      const prepared = await applyRotation({ current: certificates, validForMs: nextValidForMs });
      for (const flag of [SHORT, {}]) expect(await waitFor(prepared, flag)).toBe(LIFE_MS / 30);
    }
  });

  test('shorten the last wait only when they are presented', async () => {
    const short = await applyRotation(SHORT);
    const prepared = await applyRotation({ current: short });
    const switched = await applyRotation({ stored: valid(prepared), trustedForMs: MAX_STEP_WAIT_MS });
    expect(await waitFor(switched)).toBe(MAX_STEP_WAIT_MS);
  });
});

describe('a Secret that a user deleted or damaged', () => {
  test('is renewed from the set in use: the presented pair stays trusted', async () => {
    const current = await createFresh();
    const rotation = await next({ current, now: later(1) });
    expect(rotation).toMatchObject({ step: 'prepare', reason: 'the Secret does not exist' });
    expect(rotation.certificates.serving).toEqual(current.serving);
    expect(rotation.certificates.authorities[0]).toBe(current.authorities[0]);
    expect(rotation.certificates.next).toBeDefined();
  });

  test('is created again when the set in use has expired', async () => {
    const current = await createFresh();
    const rotation = await next({ current, now: later(90) });
    expect(rotation).toMatchObject({ step: 'create' });
    expect(rotation.certificates.authorities).toHaveLength(1);
  });
});

test('replaces a certificate for other names by one for both, and keeps trusting the old one meanwhile', async () => {
  const { authority, ...serving } = await createIssuedKeyPair(['old.system.svc'], start);
  const certificates = { serving, authorities: [authority] };
  const rotation = await next({ stored: { kind: 'hosts-missing', certificates, hosts: ['old.system.svc'] } });
  expect(rotation).toMatchObject({ step: 'create', reason: 'the certificate is for old.system.svc' });
  expect(new X509Certificate(rotation.certificates.serving.cert).subjectAltName).toBe(
    'DNS:hooks.system.svc, DNS:old.system.svc',
  );
  expect(rotation.certificates.authorities[0]).toBe(authority);
  expect(readAsReplica(rotation.certificates, start)).toEqual(rotation.certificates);
});

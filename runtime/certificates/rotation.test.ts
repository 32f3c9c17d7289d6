import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import { type CertificateSet, decodeSet, encodeSet } from './certificate-set.ts';
import { MAX_OVERLAP_MS, type Rotation, type RotationInput, rotate } from './rotation.ts';

const DAY_MS = 86_400_000;
const HOSTS = ['hooks.system.svc'];
const start = new Date('2030-01-01');
const later = (days: number) => new Date(start.getTime() + days * DAY_MS);
const none = { kind: 'invalid', reason: 'the Secret does not exist' } as const;

function next(input: Partial<RotationInput>): Promise<Rotation> {
  const usual = { presented: undefined, stableForMs: 0, hosts: HOSTS, validForMs: 90 * DAY_MS, now: start };
  return rotate({ found: none, ...usual, ...input });
}

/** The set after the next step; throws when there is no step. */
async function applyRotation(situation: Partial<RotationInput>): Promise<CertificateSet> {
  const rotation = await next(situation);
  if (rotation.kind === 'keep') throw new Error('nothing to do');
  return rotation.set;
}

const valid = (set: CertificateSet) => ({ kind: 'valid', set }) as const;

/** How every replica will read the stored set. */
function usable(set: CertificateSet, now: Date): CertificateSet {
  const found = decodeSet(encodeSet(set), { hosts: HOSTS, now });
  if (found.kind !== 'valid') throw new Error(JSON.stringify(found));
  return found.set;
}

async function fresh(): Promise<CertificateSet> {
  return await applyRotation({});
}

test('creates a set when there is none', async () => {
  const rotation = await next({});
  expect(rotation).toMatchObject({ kind: 'store', step: 'create', reason: 'the Secret does not exist' });
  expect(rotation.set.trusted).toHaveLength(1);
  expect(usable(rotation.set, start)).toEqual(rotation.set);
});

test('keeps it for two thirds of its lifetime', async () => {
  const set = await fresh();
  // Valid from the day before until 90 days after: 91 days, and one of them is over.
  const renewalMs = ((91 * 2) / 3 - 1) * DAY_MS;
  expect(await next({ found: valid(set) })).toEqual({ kind: 'keep', set, nextStepMs: renewalMs });
  expect(await next({ found: valid(set), now: new Date(start.getTime() + renewalMs - 1) })).toMatchObject({
    nextStepMs: 1,
  });
  expect(await next({ found: valid(set), now: new Date(start.getTime() + renewalMs) })).toMatchObject({
    step: 'prepare',
  });
});

describe('a renewal', () => {
  const now = later(61);

  test('first publishes the new authority and presents the old pair', async () => {
    const set = await fresh();
    const prepared = await applyRotation({ found: valid(set), now });
    expect(prepared.serving).toEqual(set.serving);
    expect(prepared.trusted).toEqual([...set.trusted, expect.any(String)]);
    expect(prepared.next?.cert).not.toBe(set.serving.cert);
    expect(usable(prepared, now)).toEqual(prepared);
  });

  test('presents the new pair after all clients have trusted both for ten minutes', async () => {
    const prepared = await applyRotation({ found: valid(await fresh()), now });
    const found = valid(prepared);
    expect(await next({ found, now })).toEqual({ kind: 'keep', set: prepared, nextStepMs: MAX_OVERLAP_MS });
    expect(await next({ found, now, stableForMs: MAX_OVERLAP_MS - 1 })).toMatchObject({ kind: 'keep', nextStepMs: 1 });
    const switched = await next({ found, now, stableForMs: MAX_OVERLAP_MS });
    const set = { serving: prepared.next, trusted: prepared.trusted };
    expect(switched).toMatchObject({ kind: 'store', step: 'switch', set });
    expect(switched.set.next).toBeUndefined();
  });

  test('trusts only the new authority after ten more minutes', async () => {
    const prepared = await applyRotation({ found: valid(await fresh()), now });
    const switched = await applyRotation({ found: valid(prepared), now, stableForMs: MAX_OVERLAP_MS });
    const found = valid(switched);
    expect(await next({ found, now })).toEqual({ kind: 'keep', set: switched, nextStepMs: MAX_OVERLAP_MS });
    expect(await next({ found, now, stableForMs: MAX_OVERLAP_MS - 1 })).toMatchObject({ kind: 'keep', nextStepMs: 1 });
    const retired = await next({ found, now, stableForMs: MAX_OVERLAP_MS });
    expect(retired).toMatchObject({ step: 'retire', set: { serving: switched.serving } });
    expect(retired.set.trusted).toEqual(prepared.trusted.slice(1));
    expect(usable(retired.set, now)).toEqual(retired.set);
    expect(await next({ found: valid(retired.set), now, stableForMs: MAX_OVERLAP_MS })).toMatchObject({
      kind: 'keep',
    });
  });

  test('never presents an untrusted pair, and still trusts the pair of the step before', async () => {
    let set = await fresh();
    const sets: CertificateSet[] = [set];
    for (let day = 0; day < 400; day++) {
      const rotation = await next({ found: valid(set), now: later(day), stableForMs: MAX_OVERLAP_MS });
      if (rotation.kind === 'store') sets.push(rotation.set);
      set = rotation.set;
    }
    expect(sets).toHaveLength(1 + 3 * 6);
    sets.forEach(({ serving, trusted }, step) => {
      const [presentedBefore, presentedNow] = [(sets[step - 1] ?? { serving }).serving, serving];
      const authorities = trusted.map((authority) => new X509Certificate(authority).publicKey);
      for (const { cert } of [presentedBefore, presentedNow]) {
        const certificate = new X509Certificate(cert);
        expect(authorities.some((key) => certificate.verify(key))).toBe(true);
      }
    });
  });
});

describe('certificates with a lifetime of five minutes', () => {
  const SHORT = { validForMs: 300_000 };
  /** Includes the backdating, in whole seconds. */
  const LIFE_MS = 304_000;

  /** Wait before the next step. */
  async function waitFor(set: CertificateSet, situation: Partial<RotationInput> = {}): Promise<number> {
    const rotation = await next({ ...situation, found: valid(set) });
    if (rotation.kind !== 'keep') throw new Error(rotation.step);
    return rotation.nextStepMs;
  }

  test('are valid for five minutes', async () => {
    const { serving } = await applyRotation(SHORT);
    const { validFromDate, validToDate } = new X509Certificate(serving.cert);
    expect([validFromDate, validToDate].map((date) => date.getTime() - start.getTime())).toEqual([-4000, 300_000]);
  });

  test('are created after two thirds of the previous lifetime, whatever it is', async () => {
    const set = await fresh();
    expect(await waitFor(set, SHORT)).toBe(await waitFor(set));
    const { next: prepared } = await applyRotation({ ...SHORT, found: valid(set), now: later(61) });
    expect(new X509Certificate(prepared?.cert ?? '').validToDate).toEqual(new Date(later(61).getTime() + 300_000));
    expect(await waitFor(await applyRotation(SHORT))).toBe(Math.floor((LIFE_MS * 2) / 3) - 4000);
  });

  test('shorten the waits, so that none expires', async () => {
    // Both ways: the new certificate is short-lived, or the old one, whatever the flag says by then.
    for (const [validForMs, nextValidForMs] of [
      [90 * DAY_MS, 300_000],
      [300_000, 90 * DAY_MS],
    ] as const) {
      const set = await applyRotation({ validForMs });
      const prepared = await applyRotation({ presented: set, validForMs: nextValidForMs });
      for (const flag of [SHORT, {}]) expect(await waitFor(prepared, flag)).toBe(LIFE_MS / 30);
    }
  });

  test('shorten the last wait only when they are presented', async () => {
    const short = await applyRotation(SHORT);
    const prepared = await applyRotation({ presented: short });
    const switched = await applyRotation({ found: valid(prepared), stableForMs: MAX_OVERLAP_MS });
    expect(await waitFor(switched)).toBe(MAX_OVERLAP_MS);
  });
});

describe('a Secret that a user deleted or damaged', () => {
  test('is renewed from the set in use: the presented pair stays trusted', async () => {
    const presented = await fresh();
    const rotation = await next({ presented, now: later(1) });
    expect(rotation).toMatchObject({ step: 'prepare', reason: 'the Secret does not exist' });
    expect(rotation.set.serving).toEqual(presented.serving);
    expect(rotation.set.trusted[0]).toBe(presented.trusted[0]);
    expect(rotation.set.next).toBeDefined();
  });

  test('is created again when the set in use has expired', async () => {
    const presented = await fresh();
    const rotation = await next({ presented, now: later(90) });
    expect(rotation).toMatchObject({ step: 'create' });
    expect(rotation.set.trusted).toHaveLength(1);
  });
});

test('replaces a certificate for other names by one for both, and keeps trusting the old one meanwhile', async () => {
  const { authority, ...serving } = await createIssuedKeyPair(['old.system.svc'], start);
  const set = { serving, trusted: [authority] };
  const rotation = await next({ found: { kind: 'other-hosts', set, hosts: ['old.system.svc'] } });
  expect(rotation).toMatchObject({ step: 'create', reason: 'the certificate is for old.system.svc' });
  expect(new X509Certificate(rotation.set.serving.cert).subjectAltName).toBe(
    'DNS:hooks.system.svc, DNS:old.system.svc',
  );
  expect(rotation.set.trusted[0]).toBe(authority);
  expect(usable(rotation.set, start)).toEqual(rotation.set);
});

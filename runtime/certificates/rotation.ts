/**
 * Decides when to create a set of certificates, and how to renew it without a failed call
 * (docs/adr/0013-own-certificates.md):
 *
 *   prepare  store a new pair and its authority; servers present the old pair, clients trust both authorities
 *   switch   once all clients have had time to trust the new authority, servers present the new pair
 *   retire   once all servers have had time to present the new pair, clients no longer trust the old authority
 */
import { X509Certificate } from 'node:crypto';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import type { KeyPair } from '../tls/key-pair.ts';
import { type CertificateSet, type DecodedSet, isIssuedBy, validateKeyPair } from './certificate-set.ts';

/** The share of a certificate's life after which the manager creates the next one. */
const RENEW_AFTER = 2 / 3;
/**
 * How long all parties must agree before the next step, unless the certificates are too short-lived. API servers and
 * replicas follow within about a second; one that lost its connection notices after at most two and a half minutes and
 * reconnects.
 */
export const MAX_OVERLAP_MS = 10 * 60_000;
/**
 * The overlap is at most this share of a certificate's life, because the certificate must not expire during the wait.
 */
const OVERLAP_SHARE = 1 / 30;

export interface RotationInput {
  readonly found: DecodedSet;
  /** The set that this replica presented last. */
  readonly presented: CertificateSet | undefined;
  /** How long this replica has observed that set as stored and trusted by all callers. */
  readonly stableForMs: number;
  /** Names that the certificate must cover. */
  readonly hosts: readonly string[];
  /** Lifetime of a certificate that is created now. */
  readonly validForMs: number;
  readonly now: Date;
}

export type Rotation =
  /** @prop nextStepMs When to look again even if nothing happens. */
  | { readonly kind: 'keep'; readonly set: CertificateSet; readonly nextStepMs: number }
  | {
      readonly kind: 'store';
      readonly set: CertificateSet;
      readonly step: 'create' | 'prepare' | 'switch' | 'retire';
      readonly reason: string;
    };

/** Returns the next step. It takes effect once it is stored. */
export async function rotate(input: RotationInput): Promise<Rotation> {
  const { found, presented, hosts, now } = input;
  switch (found.kind) {
    case 'invalid': {
      const isInUse =
        presented !== undefined && validateKeyPair(presented.serving, presented.trusted, now) === undefined;
      // A user who deletes the Secret wants a new certificate. The current one stays in use until clients trust the new
      // one.
      if (isInUse) return await prepareNext(presented, input, found.reason);
      return await createSet(input, { trusted: [], hosts, reason: found.reason });
    }
    case 'other-hosts': {
      // The certificate covers both names: replicas with both may be running, and each would replace a certificate that
      // it cannot use.
      const names = [...new Set([...hosts, ...found.hosts])];
      const reason = `the certificate is for ${found.hosts.join(', ')}`;
      return await createSet(input, { trusted: found.set.trusted, hosts: names, reason });
    }
    case 'valid':
      return await renewSet(found.set, input);
  }
}

async function renewSet(set: CertificateSet, input: RotationInput): Promise<Rotation> {
  const { stableForMs, now } = input;
  const remainingMs = computeOverlapMs(set) - stableForMs;
  if (set.next !== undefined) {
    if (remainingMs > 0) return { kind: 'keep', set, nextStepMs: remainingMs };
    const reason = 'the next certificate is trusted';
    return { kind: 'store', step: 'switch', set: { serving: set.next, trusted: set.trusted }, reason };
  }
  const trusted = findIssuers(set);
  if (trusted.length < set.trusted.length) {
    if (remainingMs > 0) return { kind: 'keep', set, nextStepMs: remainingMs };
    return { kind: 'store', step: 'retire', set: { ...set, trusted }, reason: 'every replica uses the certificate' };
  }
  const untilRenewalMs = computeRenewalTime(set.serving).getTime() - now.getTime();
  if (untilRenewalMs > 0) return { kind: 'keep', set, nextStepMs: untilRenewalMs };
  return await prepareNext(set, input, 'two thirds of its lifetime have passed');
}

async function createSet(
  { now, validForMs }: RotationInput,
  options: { readonly trusted: readonly string[]; readonly hosts: readonly string[]; readonly reason: string },
): Promise<Rotation> {
  const { trusted, hosts, reason } = options;
  const { authority, ...serving } = await createIssuedKeyPair(hosts, now, validForMs);
  return { kind: 'store', step: 'create', set: { serving, trusted: [...trusted, authority] }, reason };
}

async function prepareNext(set: CertificateSet, input: RotationInput, reason: string): Promise<Rotation> {
  const { hosts, now, validForMs } = input;
  const { authority, ...next } = await createIssuedKeyPair(hosts, now, validForMs);
  const { serving } = set;
  return { kind: 'store', step: 'prepare', set: { serving, next, trusted: [...findIssuers(set), authority] }, reason };
}

function findIssuers({ serving, trusted }: CertificateSet): readonly string[] {
  return trusted.filter((authority) => isIssuedBy(serving.cert, authority));
}

/**
 * Derived from the certificates, not from the options: replicas with different options then agree, and no certificate
 * expires meanwhile.
 */
function computeOverlapMs({ serving, next = serving }: CertificateSet): number {
  const lifetimesMs = [serving, next].map((pair) => getLifetime(pair).lifetimeMs);
  return Math.min(MAX_OVERLAP_MS, ...lifetimesMs.map((lifetimeMs) => OVERLAP_SHARE * lifetimeMs));
}

function computeRenewalTime(pair: KeyPair): Date {
  const { fromMs, lifetimeMs } = getLifetime(pair);
  return new Date(fromMs + RENEW_AFTER * lifetimeMs);
}

function getLifetime({ cert }: KeyPair): { readonly fromMs: number; readonly lifetimeMs: number } {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const fromMs = validFromDate.getTime();
  return { fromMs, lifetimeMs: validToDate.getTime() - fromMs };
}

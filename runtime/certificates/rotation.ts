/**
 * When a set of certificates is made, and how it is renewed without a call that fails (docs/adr/0013-own-certificates.md):
 *
 *   prepare  a new pair and its authority are stored; the old pair is shown, both authorities are trusted
 *   switch   once everybody has had time to trust the new authority, the new pair is shown
 *   retire   once everybody has had time to show the new pair, the old authority is trusted no more
 */
import { X509Certificate } from 'node:crypto';
import { createIssued } from '../tls/issued.ts';
import type { KeyPair } from '../tls/key-pair.ts';
import { type CertificateSet, type FoundSet, faultOf, isIssuedBy } from './certificate-set.ts';

/** The share of a certificate's life after which the next one is made. */
const RENEW_AFTER = 2 / 3;
/**
 * How long everything must have agreed before the next step, unless certificates are too short-lived for that. API servers and
 * replicas follow within a second or so; one that was cut off notices after two and a half minutes at the latest, and comes back.
 */
export const MAX_OVERLAP_MS = 10 * 60_000;
/** No more than this share of a certificate's life: it must not expire while it waits. */
const OVERLAP_SHARE = 1 / 30;

export interface Situation {
  readonly found: FoundSet;
  /** What this replica showed last. */
  readonly remembered: CertificateSet | undefined;
  /** For how long this replica has seen that set stored, and trusted by all that call. */
  readonly settledForMs: number;
  /** Names that the certificate must be good for. */
  readonly hosts: readonly string[];
  /** For a certificate that is made now. */
  readonly validForMs: number;
  readonly now: Date;
}

export type Rotation =
  /** @prop nextStepMs When there may be something to do though nothing happens. */
  | { readonly kind: 'keep'; readonly set: CertificateSet; readonly nextStepMs: number }
  | {
      readonly kind: 'store';
      readonly set: CertificateSet;
      readonly step: 'make' | 'prepare' | 'switch' | 'retire';
      readonly reason: string;
    };

/** The next step. It is taken when it is stored, and not before. */
export async function rotate(situation: Situation): Promise<Rotation> {
  const { found, remembered, hosts, now } = situation;
  switch (found.kind) {
    case 'unsound': {
      const isInUse = remembered !== undefined && faultOf(remembered.serving, remembered.trusted, now) === undefined;
      // Whoever deletes it wants another one. What is in use stays so until that is trusted.
      if (isInUse) return await prepared(remembered, situation, found.reason);
      return await made(situation, { trusted: [], hosts, reason: found.reason });
    }
    case 'other-hosts': {
      // For both names: replicas of both may be running, and each would replace a certificate that it cannot use.
      const names = [...new Set([...hosts, ...found.hosts])];
      const reason = `it is for ${found.hosts.join(', ')}`;
      return await made(situation, { trusted: found.set.trusted, hosts: names, reason });
    }
    case 'sound':
      return await renewed(found.set, situation);
  }
}

async function renewed(set: CertificateSet, situation: Situation): Promise<Rotation> {
  const { settledForMs, now } = situation;
  const leftMs = overlapOf(set) - settledForMs;
  if (set.next !== undefined) {
    if (leftMs > 0) return { kind: 'keep', set, nextStepMs: leftMs };
    const reason = 'the next certificate is trusted';
    return { kind: 'store', step: 'switch', set: { serving: set.next, trusted: set.trusted }, reason };
  }
  const trusted = issuersOf(set);
  if (trusted.length < set.trusted.length) {
    if (leftMs > 0) return { kind: 'keep', set, nextStepMs: leftMs };
    return { kind: 'store', step: 'retire', set: { ...set, trusted }, reason: 'the certificate is in use everywhere' };
  }
  const untilRenewalMs = renewalOf(set.serving).getTime() - now.getTime();
  if (untilRenewalMs > 0) return { kind: 'keep', set, nextStepMs: untilRenewalMs };
  return await prepared(set, situation, 'two thirds of its lifetime have passed');
}

async function made(
  { now, validForMs }: Situation,
  wanted: { readonly trusted: readonly string[]; readonly hosts: readonly string[]; readonly reason: string },
): Promise<Rotation> {
  const { trusted, hosts, reason } = wanted;
  const { authority, ...serving } = await createIssued(hosts, now, validForMs);
  return { kind: 'store', step: 'make', set: { serving, trusted: [...trusted, authority] }, reason };
}

async function prepared(set: CertificateSet, situation: Situation, reason: string): Promise<Rotation> {
  const { hosts, now, validForMs } = situation;
  const { authority, ...next } = await createIssued(hosts, now, validForMs);
  const { serving } = set;
  return { kind: 'store', step: 'prepare', set: { serving, next, trusted: [...issuersOf(set), authority] }, reason };
}

function issuersOf({ serving, trusted }: CertificateSet): readonly string[] {
  return trusted.filter((authority) => isIssuedBy(serving.cert, authority));
}

/** By the certificates and not by what is wished for now: replicas that wish differently agree, and none expires meanwhile. */
function overlapOf({ serving, next = serving }: CertificateSet): number {
  const livesMs = [serving, next].map((pair) => lifeOf(pair).lifeMs);
  return Math.min(MAX_OVERLAP_MS, ...livesMs.map((lifeMs) => OVERLAP_SHARE * lifeMs));
}

function renewalOf(pair: KeyPair): Date {
  const { fromMs, lifeMs } = lifeOf(pair);
  return new Date(fromMs + RENEW_AFTER * lifeMs);
}

function lifeOf({ cert }: KeyPair): { readonly fromMs: number; readonly lifeMs: number } {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const fromMs = validFromDate.getTime();
  return { fromMs, lifeMs: validToDate.getTime() - fromMs };
}

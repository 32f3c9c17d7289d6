/**
 * Decides when to create certificates and when to renew them. A renewal has three steps, so that no webhook call fails
 * (docs/adr/0013-own-certificates.md):
 *
 *   prepare  store a new key pair and its authority; servers present the old pair, clients trust both authorities
 *   switch   when all clients have had time to trust the new authority, servers present the new pair
 *   retire   when all servers have had time to present the new pair, clients no longer trust the old authority
 */
import { X509Certificate } from 'node:crypto';
import { createIssuedKeyPair } from '../tls/issued-key-pair.ts';
import type { KeyPair } from '../tls/key-pair.ts';
import { type CertificateSet, type DecodedCertificates, isIssuedBy, validateKeyPair } from './certificate-set.ts';

/** Fraction of a certificate's lifetime after which the manager creates the next certificate. */
const RENEW_AFTER_LIFETIME_FRACTION = 2 / 3;
/**
 * Maximum wait between two steps of a renewal. API servers and replicas usually notice a step within a second. A
 * replica that loses its watch connection notices the step within two and a half minutes.
 */
export const MAX_STEP_WAIT_MS = 10 * 60_000;
/**
 * Maximum wait between two steps, as a fraction of the certificate's lifetime. The limit prevents a short-lived
 * certificate from expiring during the wait.
 */
const MAX_STEP_WAIT_LIFETIME_FRACTION = 1 / 30;

export interface RotationInput {
  readonly stored: DecodedCertificates;
  /** The certificates that this replica uses. */
  readonly current: CertificateSet | undefined;
  /**
   * Time since this replica first observed the authorities of {@link stored} in all webhook configurations, in
   * milliseconds.
   */
  readonly trustedForMs: number;
  readonly hosts: readonly string[];
  /** Lifetime of new certificates, in milliseconds. */
  readonly validForMs: number;
  readonly now: Date;
}

export type RotationPlan =
  /** @prop checkAfterMs Wait until the next check, in milliseconds. */
  | { readonly kind: 'keep'; readonly certificates: CertificateSet; readonly checkAfterMs: number }
  | {
      readonly kind: 'store';
      readonly certificates: CertificateSet;
      readonly step: 'create' | 'prepare' | 'switch' | 'retire';
      readonly reason: string;
    };

/**
 * Returns the next step of the rotation, with new certificates if necessary. The step takes effect when the caller
 * stores the certificates of the step.
 */
export async function planRotation(input: RotationInput): Promise<RotationPlan> {
  const { stored, current, hosts, now } = input;
  switch (stored.kind) {
    case 'invalid': {
      const isUsable =
        current !== undefined && validateKeyPair(current.serving, current.authorities, now) === undefined;
      // A user who deletes the Secret wants a new certificate. Servers present the current certificate until clients
      // trust the new certificate.
      if (isUsable) return await prepareNextCertificate(current, input, stored.reason);
      return await createCertificates(input, { authorities: [], hosts, reason: stored.reason });
    }
    case 'hosts-missing': {
      // The certificate covers the old and the new host names, because replicas of both configurations may be running.
      // Each replica would replace a certificate without its host names.
      const allHosts = [...new Set([...hosts, ...stored.hosts])];
      const reason = `the certificate is for ${stored.hosts.join(', ')}`;
      return await createCertificates(input, { authorities: stored.certificates.authorities, hosts: allHosts, reason });
    }
    case 'valid':
      return await renewCertificates(stored.certificates, input);
  }
}

async function renewCertificates(certificates: CertificateSet, input: RotationInput): Promise<RotationPlan> {
  const { trustedForMs, now } = input;
  const remainingMs = computeStepWaitMs(certificates) - trustedForMs;
  if (certificates.next !== undefined) {
    if (remainingMs > 0) return { kind: 'keep', certificates, checkAfterMs: remainingMs };
    const reason = 'the next certificate is trusted';
    return {
      kind: 'store',
      step: 'switch',
      certificates: { serving: certificates.next, authorities: certificates.authorities },
      reason,
    };
  }
  const authorities = findIssuers(certificates);
  if (authorities.length < certificates.authorities.length) {
    if (remainingMs > 0) return { kind: 'keep', certificates, checkAfterMs: remainingMs };
    return {
      kind: 'store',
      step: 'retire',
      certificates: { ...certificates, authorities },
      reason: 'every replica uses the certificate',
    };
  }
  const untilRenewalMs = computeRenewalTime(certificates.serving).getTime() - now.getTime();
  if (untilRenewalMs > 0) return { kind: 'keep', certificates, checkAfterMs: untilRenewalMs };
  return await prepareNextCertificate(certificates, input, 'two thirds of its lifetime have passed');
}

async function createCertificates(
  { now, validForMs }: RotationInput,
  options: { readonly authorities: readonly string[]; readonly hosts: readonly string[]; readonly reason: string },
): Promise<RotationPlan> {
  const { authorities, hosts, reason } = options;
  const { authority, ...serving } = await createIssuedKeyPair(hosts, now, validForMs);
  return { kind: 'store', step: 'create', certificates: { serving, authorities: [...authorities, authority] }, reason };
}

async function prepareNextCertificate(
  certificates: CertificateSet,
  input: RotationInput,
  reason: string,
): Promise<RotationPlan> {
  const { hosts, now, validForMs } = input;
  const { authority, ...next } = await createIssuedKeyPair(hosts, now, validForMs);
  const { serving } = certificates;
  return {
    kind: 'store',
    step: 'prepare',
    certificates: { serving, next, authorities: [...findIssuers(certificates), authority] },
    reason,
  };
}

function findIssuers({ serving, authorities }: CertificateSet): readonly string[] {
  return authorities.filter((authority) => isIssuedBy(serving.cert, authority));
}

/**
 * Returns the wait between two steps of a renewal. The wait depends on the lifetime of the certificates instead of
 * options, because replicas may have different options.
 */
function computeStepWaitMs({ serving, next = serving }: CertificateSet): number {
  const lifetimesMs = [serving, next].map((pair) => getValidity(pair).lifetimeMs);
  return Math.min(MAX_STEP_WAIT_MS, ...lifetimesMs.map((lifetimeMs) => MAX_STEP_WAIT_LIFETIME_FRACTION * lifetimeMs));
}

function computeRenewalTime(keyPair: KeyPair): Date {
  const { startMs, lifetimeMs } = getValidity(keyPair);
  return new Date(startMs + RENEW_AFTER_LIFETIME_FRACTION * lifetimeMs);
}

function getValidity({ cert }: KeyPair): { readonly startMs: number; readonly lifetimeMs: number } {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const startMs = validFromDate.getTime();
  return { startMs, lifetimeMs: validToDate.getTime() - startMs };
}

/**
 * Writes X.509 certificates for P-256 keys.
 *
 * Node can create keys and signatures but not certificates. The two forms that are needed here take a page of DER; a
 * library for all forms would be a fifth of the bundle (docs/adr/0019-libraries.md).
 */
import { createHash, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import { bitString, contextTag, der, explicitTag, oid, sequence, TAG, time } from './der.ts';

export interface SigningKey {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Subject and extended key usage of a certificate. */
export type CertificateSubject =
  /** @prop hosts DNS names and IPv4 addresses. */
  | { readonly kind: 'server'; readonly commonName: string; readonly hosts: readonly string[] }
  /** Signs certificates of servers, but not of other authorities. */
  | { readonly kind: 'authority'; readonly commonName: string };

export interface CertificateOptions {
  readonly subject: CertificateSubject;
  readonly publicKey: KeyObject;
  /** The signer: the subject itself with its own key, or an authority. */
  readonly issuer: SigningKey & { readonly commonName: string };
  /** Precise to the second. */
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Object identifiers in DER, without tag and length. */
const OID = {
  commonName: '550403',
  subjectKeyIdentifier: '551d0e',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  authorityKeyIdentifier: '551d23',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  ecdsaWithSha256: '2a8648ce3d040302',
} as const;

/** In characters: ub-common-name of RFC 5280. */
const MAX_COMMON_NAME_LENGTH = 64;
/** Bits of KeyUsage, as bytes of a BIT STRING: the number of unused bits, then the bits. */
const DIGITAL_SIGNATURE = Buffer.of(7, 0x80);
const KEY_CERT_SIGN = Buffer.of(2, 0x04);

/** A new P-256 key. */
export function createKey(): Promise<SigningKey> {
  return promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
}

/** The key in PEM, as PKCS #8. */
export function keyPem({ privateKey }: SigningKey): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A new certificate in PEM, with a random serial number. */
export function writeCertificate(options: CertificateOptions): string {
  const toBeSigned = tbsCertificate(options);
  const signature = sign('sha256', toBeSigned, options.issuer.privateKey);
  return pem('CERTIFICATE', sequence(toBeSigned, signatureAlgorithm(), bitString(signature)));
}

/** TBSCertificate of RFC 5280, section 4.1. */
function tbsCertificate({ subject, publicKey, issuer, notBefore, notAfter }: CertificateOptions): Buffer {
  return sequence(
    der(explicitTag(0), der(TAG.integer, Buffer.of(2))), // version 3
    serialNumber(),
    signatureAlgorithm(),
    distinguishedName(issuer.commonName),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(subject.commonName),
    spki(publicKey),
    der(
      explicitTag(3),
      sequence(
        ...buildExtensions(subject),
        extension(OID.subjectKeyIdentifier, der(TAG.octetString, keyIdentifier(publicKey))),
        extension(OID.authorityKeyIdentifier, sequence(der(contextTag(0), keyIdentifier(issuer.publicKey)))),
      ),
    ),
  );
}

function buildExtensions(subject: CertificateSubject): readonly Buffer[] {
  if (subject.kind === 'authority') {
    const isAuthority = der(TAG.boolean, Buffer.of(0xff));
    const pathLength = der(TAG.integer, Buffer.of(0));
    return [
      extension(OID.basicConstraints, sequence(isAuthority, pathLength), 'critical'),
      extension(OID.keyUsage, der(TAG.bitString, KEY_CERT_SIGN), 'critical'),
    ];
  }
  return [
    extension(OID.basicConstraints, sequence(), 'critical'),
    extension(OID.keyUsage, der(TAG.bitString, DIGITAL_SIGNATURE), 'critical'),
    extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
    extension(OID.subjectAltName, sequence(...subject.hosts.map(generalName))),
  ];
}

/** 127 random bits with the highest bit set, so that the number is positive and always has the same length. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return der(TAG.integer, bytes);
}

function signatureAlgorithm(): Buffer {
  return sequence(oid(OID.ecdsaWithSha256));
}

function distinguishedName(commonName: string): Buffer {
  const text = Buffer.from(commonName.slice(0, MAX_COMMON_NAME_LENGTH));
  return sequence(der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8String, text))));
}

/**
 * Identifies the key, so that a verifier finds the right one of several authorities with the same name: RFC 7093,
 * method 4.
 */
function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256').update(spki(publicKey)).digest().subarray(0, 20);
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  const flag = critical === undefined ? [] : [der(TAG.boolean, Buffer.of(0xff))];
  return sequence(oid(id), ...flag, der(TAG.octetString, value));
}

function generalName(host: string): Buffer {
  return isIPv4(host)
    ? der(contextTag(7), Buffer.from(host.split('.').map(Number)))
    : der(contextTag(2), Buffer.from(host, 'ascii'));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

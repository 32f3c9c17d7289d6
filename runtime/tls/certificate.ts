/**
 * Creates X.509 certificates for P-256 keys. Node can create keys and signatures, but not certificates. A library would
 * increase the size of the bundle by a fifth (docs/adr/0019-libraries.md).
 */
import { createHash, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import {
  encodeBitString,
  encodeOid,
  encodeSequence,
  encodeTime,
  encodeValue,
  TAG,
  toContextTag,
  toExplicitTag,
} from './der.ts';

export interface SigningKey {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type CertificateSubject =
  /** @prop hosts DNS names and IPv4 addresses. */
  | { readonly kind: 'server'; readonly commonName: string; readonly hosts: readonly string[] }
  /** The authority can sign certificates of servers, but not certificates of other authorities. */
  | { readonly kind: 'authority'; readonly commonName: string };

export interface CertificateOptions {
  readonly subject: CertificateSubject;
  readonly publicKey: KeyObject;
  /**
   * The key and the name of the authority that signs the certificate. The issuer of a self-signed certificate equals
   * its subject.
   */
  readonly issuer: SigningKey & { readonly commonName: string };
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

/** Maximum number of characters: `ub-common-name` of RFC 5280. */
const MAX_COMMON_NAME_LENGTH = 64;
/**
 * Bits of `KeyUsage` as a BIT STRING: the first byte is the number of unused bits, the second byte contains the bits.
 */
const DIGITAL_SIGNATURE_BITS = Buffer.of(7, 0x80);
const KEY_CERT_SIGN_BITS = Buffer.of(2, 0x04);

export function createSigningKey(): Promise<SigningKey> {
  return promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
}

/** Returns the private key in PEM, as PKCS #8. */
export function exportPrivateKey({ privateKey }: SigningKey): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Returns a new certificate in PEM, with a random serial number. */
export function createCertificate(options: CertificateOptions): string {
  const tbsCertificate = encodeTbsCertificate(options);
  const signature = sign('sha256', tbsCertificate, options.issuer.privateKey);
  return encodePem(
    'CERTIFICATE',
    encodeSequence(tbsCertificate, encodeSignatureAlgorithm(), encodeBitString(signature)),
  );
}

/** Returns a `TBSCertificate` of RFC 5280, section 4.1. */
function encodeTbsCertificate({ subject, publicKey, issuer, notBefore, notAfter }: CertificateOptions): Buffer {
  return encodeSequence(
    encodeValue(toExplicitTag(0), encodeValue(TAG.integer, Buffer.of(2))), // version 3
    createSerialNumber(),
    encodeSignatureAlgorithm(),
    encodeDistinguishedName(issuer.commonName),
    encodeSequence(encodeTime(notBefore), encodeTime(notAfter)),
    encodeDistinguishedName(subject.commonName),
    exportPublicKey(publicKey),
    encodeValue(
      toExplicitTag(3),
      encodeSequence(
        ...buildExtensions(subject),
        encodeExtension(OID.subjectKeyIdentifier, encodeValue(TAG.octetString, computeKeyIdentifier(publicKey))),
        encodeExtension(
          OID.authorityKeyIdentifier,
          encodeSequence(encodeValue(toContextTag(0), computeKeyIdentifier(issuer.publicKey))),
        ),
      ),
    ),
  );
}

function buildExtensions(subject: CertificateSubject): readonly Buffer[] {
  if (subject.kind === 'authority') {
    const authorityFlag = encodeValue(TAG.boolean, Buffer.of(0xff));
    const pathLength = encodeValue(TAG.integer, Buffer.of(0));
    return [
      encodeExtension(OID.basicConstraints, encodeSequence(authorityFlag, pathLength), 'critical'),
      encodeExtension(OID.keyUsage, encodeValue(TAG.bitString, KEY_CERT_SIGN_BITS), 'critical'),
    ];
  }
  return [
    encodeExtension(OID.basicConstraints, encodeSequence(), 'critical'),
    encodeExtension(OID.keyUsage, encodeValue(TAG.bitString, DIGITAL_SIGNATURE_BITS), 'critical'),
    encodeExtension(OID.extendedKeyUsage, encodeSequence(encodeOid(OID.serverAuth))),
    encodeExtension(OID.subjectAltName, encodeSequence(...subject.hosts.map(encodeGeneralName))),
  ];
}

/** Returns a positive random number of 127 bits. The highest bit is 1, so that all numbers have the same length. */
function createSerialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return encodeValue(TAG.integer, bytes);
}

function encodeSignatureAlgorithm(): Buffer {
  return encodeSequence(encodeOid(OID.ecdsaWithSha256));
}

function encodeDistinguishedName(commonName: string): Buffer {
  const nameBytes = Buffer.from(commonName.slice(0, MAX_COMMON_NAME_LENGTH));
  return encodeSequence(
    encodeValue(TAG.set, encodeSequence(encodeOid(OID.commonName), encodeValue(TAG.utf8String, nameBytes))),
  );
}

/**
 * Returns an identifier of the key. Clients use the identifier to distinguish authorities of the same name. The computation is
 * method 4 of RFC 7093.
 */
function computeKeyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256').update(exportPublicKey(publicKey)).digest().subarray(0, 20);
}

function exportPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function encodeExtension(oid: string, value: Buffer, critical?: 'critical'): Buffer {
  const criticalFlag = critical === undefined ? [] : [encodeValue(TAG.boolean, Buffer.of(0xff))];
  return encodeSequence(encodeOid(oid), ...criticalFlag, encodeValue(TAG.octetString, value));
}

function encodeGeneralName(host: string): Buffer {
  return isIPv4(host)
    ? encodeValue(toContextTag(7), Buffer.from(host.split('.').map(Number)))
    : encodeValue(toContextTag(2), Buffer.from(host, 'ascii'));
}

function encodePem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

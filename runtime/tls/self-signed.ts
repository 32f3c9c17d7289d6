/**
 * Certificates that nobody vouches for: they encrypt, and whoever trusts that very certificate can tell the server apart.
 *
 * Node can make keys and signatures but no certificates. The one shape that is needed here is a page of DER; a library
 * for all shapes would be a third of a megabyte in the bundle.
 */
import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import type { KeyPair } from './key-pair.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_FOR_MS = 3650 * DAY_MS;
/** Clocks of those who check it may be behind. */
const BACKDATED_MS = DAY_MS;

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** [2] of GeneralName. */
  dnsName: 0x82,
  /** [7] of GeneralName. */
  ipAddress: 0x87,
  /** [0] of TBSCertificate. */
  version: 0xa0,
  /** [3] of TBSCertificate. */
  extensions: 0xa3,
} as const;

/** Object identifiers in DER, without tag and length. */
const OID = {
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  ecdsaWithSha256: '2a8648ce3d040302',
} as const;

/**
 * Makes a P-256 key and a server certificate for it that is valid from a day before `now` for ten years.
 * @param hosts DNS names and IPv4 addresses; the first is the common name.
 */
export async function createSelfSigned(hosts: readonly string[], now: Date): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const toBeSigned = tbsCertificate(hosts, now, publicKeyInfo);
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, signatureAlgorithm(), bitString(signature));
  return {
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** TBSCertificate of RFC 5280, section 4.1. */
function tbsCertificate(hosts: readonly string[], now: Date, publicKeyInfo: Buffer): Buffer {
  const name = distinguishedName(hosts[0] ?? 'localhost');
  const notBefore = new Date(now.getTime() - BACKDATED_MS);
  const notAfter = new Date(now.getTime() + VALID_FOR_MS);
  return sequence(
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    serialNumber(),
    signatureAlgorithm(),
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKeyInfo,
    der(
      TAG.extensions,
      sequence(
        extension(OID.basicConstraints, sequence(), 'critical'),
        // The first bit, digitalSignature; seven bits of the byte are unused.
        extension(OID.keyUsage, der(TAG.bitString, Buffer.of(7, 0x80)), 'critical'),
        extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
        extension(OID.subjectAltName, sequence(...hosts.map(generalName))),
      ),
    ),
  );
}

/** 127 random bits with the highest set, so that it is positive and always of the same length. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return der(TAG.integer, bytes);
}

function signatureAlgorithm(): Buffer {
  return sequence(oid(OID.ecdsaWithSha256));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8String, Buffer.from(commonName)))));
}

/** Two digits for the year until 2049, four from 2050 on, as RFC 5280 wants it. */
function time(instant: Date): Buffer {
  const digits = `${instant.toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`;
  return instant.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits));
}

function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  const flag = critical === undefined ? [] : [der(TAG.boolean, Buffer.of(0xff))];
  return sequence(oid(id), ...flag, der(TAG.octetString, value));
}

function generalName(host: string): Buffer {
  return isIPv4(host)
    ? der(TAG.ipAddress, Buffer.from(host.split('.').map(Number)))
    : der(TAG.dnsName, Buffer.from(host, 'ascii'));
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

function bitString(bytes: Buffer): Buffer {
  return der(TAG.bitString, Buffer.of(0), bytes);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

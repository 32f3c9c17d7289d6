/** Certificates for tests, made on the spot: no key lies in the repository and none expires. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SelfSignedCertificate {
  /** PEM; also the CA that verifies it. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** A certificate for 127.0.0.1 and localhost that vouches for itself. Each call makes another one. */
export function selfSignedCertificate(commonName: string): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.of(2))), // version 3
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(sequence(SUBJECT_ALT_NAME, octets(ALT_NAMES)), sequence(BASIC_CONSTRAINTS, TRUE, octets(IS_CA))),
    ),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', toBeSigned, privateKey));
  const certificate = sequence(toBeSigned, sequence(ECDSA_WITH_SHA256), signature);
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { cert: pem('CERTIFICATE', certificate), key: key.toString() };
}

/** Puts a new certificate into `folder` as tls.crt and tls.key, as cert-manager does. */
export function writeCertificate(folder: string): SelfSignedCertificate {
  const certificate = selfSignedCertificate('webhooks');
  writeFileSync(join(folder, 'tls.crt'), certificate.cert);
  writeFileSync(join(folder, 'tls.key'), certificate.key);
  return certificate;
}

/** One DER value. Lengths beyond 64 KiB are not needed here. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  const isLong = body.length > 0xff;
  const length = isLong ? [0x82, body.length >> 8, body.length & 0xff] : [0x81, body.length];
  return Buffer.concat([Buffer.of(tag, ...length), body]);
}

function sequence(...content: readonly Uint8Array[]): Buffer {
  return der(0x30, ...content);
}

function set(...content: readonly Uint8Array[]): Buffer {
  return der(0x31, ...content);
}

function integer(value: Uint8Array): Buffer {
  return der(0x02, value);
}

function octets(value: Uint8Array): Buffer {
  return der(0x04, value);
}

function utcTime(time: string): Buffer {
  return der(0x17, Buffer.from(time));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

const COMMON_NAME = objectId('550403');
const SUBJECT_ALT_NAME = objectId('551d11');
const BASIC_CONSTRAINTS = objectId('551d13');
const ECDSA_WITH_SHA256 = objectId('2a8648ce3d040302');
const TRUE = der(0x01, Buffer.of(0xff));
const ALT_NAMES = sequence(der(0x87, Buffer.of(127, 0, 0, 1)), der(0x82, Buffer.from('localhost')));
const IS_CA = sequence(TRUE);

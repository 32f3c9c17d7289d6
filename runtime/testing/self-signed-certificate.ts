/**
 * Creates certificates for tests at run time, so the repository contains no keys and no certificates that can expire.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  encodeBitString,
  encodeOid,
  encodeSequence,
  encodeTime,
  encodeValue,
  TAG,
  toContextTag,
  toExplicitTag,
} from '../tls/der.ts';

/** A certificate and its key, both in PEM. */
export interface SelfSignedCertificate {
  /** Certificate in PEM, which clients can also use as the CA. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/**
 * Creates a self-signed certificate for 127.0.0.1 and localhost, for a server or a client: `FakeApiServer.start({ tls:
 * selfSignedCertificate('api-server') })`. Each call creates a new certificate.
 */
export function selfSignedCertificate(commonName: string): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = encodeSequence(
    encodeValue(TAG.set, encodeSequence(COMMON_NAME_OID, encodeValue(TAG.utf8String, Buffer.from(commonName)))),
  );
  const tbsCertificate = encodeSequence(
    encodeValue(toExplicitTag(0), encodeValue(TAG.integer, Buffer.of(2))), // version 3
    encodeValue(TAG.integer, Buffer.of(1), randomBytes(8)),
    encodeSequence(ECDSA_WITH_SHA256_OID),
    name,
    encodeSequence(encodeTime(new Date('2020-01-01')), encodeTime(new Date('2049-12-31'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeValue(toExplicitTag(3), encodeSequence(SUBJECT_ALT_NAME, BASIC_CONSTRAINTS)),
  );
  const signature = sign('sha256', tbsCertificate, privateKey);
  const certificate = encodeSequence(tbsCertificate, encodeSequence(ECDSA_WITH_SHA256_OID), encodeBitString(signature));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { cert: encodePem(certificate), key: key.toString() };
}

/** Creates a certificate in `folder`, in the files tls.crt and tls.key, like cert-manager. */
export function writeCertificate(folder: string): SelfSignedCertificate {
  const certificate = selfSignedCertificate('webhooks');
  writeFileSync(join(folder, 'tls.crt'), certificate.cert);
  writeFileSync(join(folder, 'tls.key'), certificate.key);
  return certificate;
}

function encodePem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const COMMON_NAME_OID = encodeOid('550403');
const ECDSA_WITH_SHA256_OID = encodeOid('2a8648ce3d040302');
const IP_ADDRESS_NAME = encodeValue(toContextTag(7), Buffer.of(127, 0, 0, 1));
const DNS_NAME = encodeValue(toContextTag(2), Buffer.from('localhost'));
const SUBJECT_ALT_NAME = encodeSequence(
  encodeOid('551d11'),
  encodeValue(TAG.octetString, encodeSequence(IP_ADDRESS_NAME, DNS_NAME)),
);
const IS_CA_VALUE = encodeValue(TAG.boolean, Buffer.of(0xff));
const BASIC_CONSTRAINTS = encodeSequence(
  encodeOid('551d13'),
  IS_CA_VALUE,
  encodeValue(TAG.octetString, encodeSequence(IS_CA_VALUE)),
);

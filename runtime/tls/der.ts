/** Encodes values of X.509 certificates in DER. */

export const TAG = {
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
} as const;

/** Returns the tag of a value with the implicit context-specific tag `[tagNumber]`. */
export function toContextTag(tagNumber: number): number {
  return 0x80 | tagNumber;
}

/** Returns the tag of a value with the explicit context-specific tag `[tagNumber]`. */
export function toExplicitTag(tagNumber: number): number {
  return 0xa0 | tagNumber;
}

export function encodeSequence(...values: readonly Buffer[]): Buffer {
  return encodeValue(TAG.sequence, ...values);
}

/** @param hex Object identifier in DER, without tag and length. */
export function encodeOid(hex: string): Buffer {
  return encodeValue(TAG.oid, Buffer.from(hex, 'hex'));
}

/** Encodes a BIT STRING whose number of bits is a multiple of 8. */
export function encodeBitString(bytes: Buffer): Buffer {
  return encodeValue(TAG.bitString, Buffer.of(0), bytes);
}

/** As RFC 5280 requires, the year has two digits until 2049, and four digits from 2050. Ignores milliseconds. */
export function encodeTime(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? encodeValue(TAG.utcTime, Buffer.from(digits.slice(2)))
    : encodeValue(TAG.generalizedTime, Buffer.from(digits));
}

/** The maximum size of the content is 64 KiB. */
export function encodeValue(tag: number, ...values: readonly Buffer[]): Buffer {
  const content = Buffer.concat(values);
  return Buffer.concat([Buffer.of(tag), encodeLength(content), content]);
}

function encodeLength({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}

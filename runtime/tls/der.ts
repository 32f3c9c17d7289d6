/** DER, limited to X.509 certificates with P-256 keys. Every function returns one complete value. */

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

/** The tag of the implicit context-specific value `[number]`. */
export function contextTag(number: number): number {
  return 0x80 | number;
}

/** The tag of the explicit context-specific value `[number]`, which holds another value. */
export function explicitTag(number: number): number {
  return 0xa0 | number;
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, ...parts);
}

/** @param hex The object identifier in DER, without tag and length. */
export function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

/** Whole bytes: no unused bits in the last one. */
export function bitString(bytes: Buffer): Buffer {
  return der(TAG.bitString, Buffer.of(0), bytes);
}

/** Two digits for the year until 2049, four from 2050 on, as RFC 5280 requires. Seconds are whole. */
export function time(instant: Date): Buffer {
  const digits = `${instant.toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`;
  return instant.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits));
}

/** A value of up to 64 KiB. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), encodeLength(content), content]);
}

function encodeLength({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}

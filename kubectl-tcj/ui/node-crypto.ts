/** Replaces `node:crypto` in the bundle of the page, because browsers have no synchronous hash function. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Returns the hash of a text in hexadecimal digits. */
export function hash(_algorithm: 'sha256', text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Replaces `node:crypto` in the page, with the functions that api/ needs. Browsers have no synchronous hash. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** The hash of a text, as hexadecimal digits. */
export function hash(_algorithm: 'sha256', text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

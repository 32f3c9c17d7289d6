/** Compares the wording of messages by numbers, so that the messages need not be kept. */

const SPACE = 32;
const ZERO = 48;
const NINE = 57;
/** Replaces a word with a digit. */
const NAME_OR_NUMBER = 1;

/**
 * Returns a hash of 31 bits that is equal for messages that differ only in words with a digit, such as names of Jobs,
 * counts and times: equal for `Created job backup-29012345` and `Created job backup-29012346`, but not for `…,
 * condition: Failed` and `…, condition: Complete`.
 */
export function hashWording(message: string): number {
  let wording = 0;
  let word = 0;
  let hasDigit = false;
  for (let index = 0; index < message.length; index++) {
    const code = message.charCodeAt(index);
    if (code === SPACE) {
      wording = mix(wording, hasDigit ? NAME_OR_NUMBER : word);
      word = 0;
      hasDigit = false;
    } else if (code >= ZERO && code <= NINE) hasDigit = true;
    else word = mix(word, code);
  }
  return mix(wording, hasDigit ? NAME_OR_NUMBER : word) >>> 1;
}

/** Returns a hash of 31 bits that is equal only for equal messages, apart from collisions. */
export function hashMessage(message: string): number {
  let hash = 0;
  for (let index = 0; index < message.length; index++) hash = mix(hash, message.charCodeAt(index));
  return hash >>> 1;
}

/** FNV-1a over code units. The offset distinguishes leading zeros. */
function mix(hash: number, value: number): number {
  return Math.imul((hash + 0x811c9dc5) ^ value, 0x01000193);
}

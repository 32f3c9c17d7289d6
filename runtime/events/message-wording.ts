/** Tells whether two messages say the same of different things, from a number that is kept instead of them. */

const SPACE = 32;
const ZERO = 48;
const NINE = 57;
/** Stands for a word with a digit. */
const NAME_OR_NUMBER = 1;

/**
 * The same for messages that differ only in words with a digit, such as names of Jobs, counts and times: `Created job
 * backup-29012345` and `Created job backup-29012346`, but not `…, condition: Failed` and `…, condition: Complete`.
 * A hash of 31 bits.
 */
export function wordingOf(message: string): number {
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

/** The same for equal messages only, but for chance. A hash of 31 bits. */
export function hashOf(message: string): number {
  let hash = 0;
  for (let index = 0; index < message.length; index++) hash = mix(hash, message.charCodeAt(index));
  return hash >>> 1;
}

/** FNV-1a, a code unit at a time. The offset keeps leading zeros apart. */
function mix(hash: number, value: number): number {
  return Math.imul((hash + 0x811c9dc5) ^ value, 0x01000193);
}

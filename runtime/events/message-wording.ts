/** Hashes messages. The recorder compares the hashes instead of storing the messages. */

const SPACE_CODE = 32;
const DIGIT_ZERO_CODE = 48;
const DIGIT_NINE_CODE = 57;
/** All words that contain a digit have this hash. */
const VARIABLE_WORD_HASH = 1;

/**
 * Returns a 31-bit hash of a message. All words with a digit count as equal, such as names of Jobs, counts and times.
 * The hashes of `Created job backup-29012345` and `Created job backup-29012346` are equal. The hashes of
 * `…, condition: Failed` and `…, condition: Complete` differ.
 */
export function hashWording(message: string): number {
  let wordingHash = 0;
  let wordHash = 0;
  let hasDigit = false;
  for (let index = 0; index < message.length; index++) {
    const characterCode = message.charCodeAt(index);
    if (characterCode === SPACE_CODE) {
      wordingHash = combineHash(wordingHash, hasDigit ? VARIABLE_WORD_HASH : wordHash);
      wordHash = 0;
      hasDigit = false;
    } else if (characterCode >= DIGIT_ZERO_CODE && characterCode <= DIGIT_NINE_CODE) hasDigit = true;
    else wordHash = combineHash(wordHash, characterCode);
  }
  return combineHash(wordingHash, hasDigit ? VARIABLE_WORD_HASH : wordHash) >>> 1;
}

/** Returns a 31-bit hash of the whole message. */
export function hashMessage(message: string): number {
  let hash = 0;
  for (let index = 0; index < message.length; index++) hash = combineHash(hash, message.charCodeAt(index));
  return hash >>> 1;
}

/**
 * Adds a code unit to an FNV-1a hash. The offset basis ensures that zeros at the start of a message change the hash.
 */
function combineHash(hash: number, codeUnit: number): number {
  return Math.imul((hash + 0x811c9dc5) ^ codeUnit, 0x01000193);
}

const MAX_OBJECT_NAME_LENGTH = 253;

/** Returns true for a valid object name. A valid name needs no quotes in a shell, a path or a selector. */
export function isObjectName(value: unknown): boolean {
  return typeof value === 'string' && isObjectNameAt(value, 0, value.length);
}

/**
 * Checks whether `text` contains an object name from `start` to `end`. A regular expression would take several times as
 * long.
 */
export function isObjectNameAt(text: string, start: number, end: number): boolean {
  if (start < 0 || end - start > MAX_OBJECT_NAME_LENGTH) return false;
  let canEnd = false; // a name ends with a letter or a digit
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (isAlphanumeric(code)) canEnd = true;
    else if (code === DOT && canEnd) canEnd = false;
    else if (code !== DASH || index === start || text.charCodeAt(index - 1) === DOT) return false;
    else canEnd = false;
  }
  return canEnd;
}

const [DASH, DOT] = [0x2d, 0x2e];

function isAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

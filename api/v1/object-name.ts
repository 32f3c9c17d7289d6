/** Names of objects that the API server accepts. */

const MAX_LENGTH = 253;

/** Whether an object can have this name. A shell, a path and a selector read such a name unchanged. */
export function isObjectName(value: unknown): boolean {
  return typeof value === 'string' && isObjectNameAt(value, 0, value.length);
}

/**
 * Checks a part of a text. Without a regular expression, which takes several times as long: every line of `recentRuns` holds a
 * name.
 */
export function isObjectNameAt(text: string, start: number, end: number): boolean {
  if (start < 0 || end - start > MAX_LENGTH) return false;
  let mayEnd = false; // only after a letter or a digit
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (isAlphanumeric(code)) mayEnd = true;
    else if (code === DOT && mayEnd) mayEnd = false;
    else if (code !== DASH || index === start || text.charCodeAt(index - 1) === DOT) return false;
    else mayEnd = false;
  }
  return mayEnd;
}

const [DASH, DOT] = [0x2d, 0x2e];

function isAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

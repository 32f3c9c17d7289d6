const MAX_QUOTED = 100;

/**
 * A user's text in quotation marks for a message: without line breaks or terminal escapes, and at most its first 100
 * characters.
 */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text);
}

const MAX_QUOTED_LENGTH = 100;

/** Quotes at most 100 characters of a user's text for a message. Escapes line breaks and terminal escape sequences. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH).toWellFormed()}…` : text);
}

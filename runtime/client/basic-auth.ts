/** Decodes the name and password in a URL as Go does. */

/** Returns whether a text with `%`, such as a URL, has an escape that is not valid. Go rejects such a URL. */
export function hasBrokenEscape(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text);
}

/** Returns the value of the header, or `undefined` when the URL has neither a name nor a password. */
export function getBasicAuth({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return formatBasicAuth(Buffer.concat([decodeEscapes(username), Buffer.from(':'), decodeEscapes(password)]));
}

export function formatBasicAuth(credentials: string | Buffer): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Decodes bytes, because name and password need not be UTF-8. */
function decodeEscapes(escaped: string): Buffer {
  const bytes = escaped.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** A name and a password in a URL, as Go reads them. */

/** Whether what has a `%` in it, such as a URL, has one that begins no byte. Go takes no such URL. */
export function hasBrokenEscape(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text);
}

/** The value of a header. `undefined` when the URL has neither a name nor a password. */
export function basicOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return basic(Buffer.concat([bytesOf(username), Buffer.from(':'), bytesOf(password)]));
}

export function basic(credentials: string | Buffer): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Byte by byte: they need not be UTF-8. */
function bytesOf(escaped: string): Buffer {
  const bytes = escaped.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** Returns whether a URL contains a `%` that is not followed by two hexadecimal digits. Go rejects such a URL. */
export function hasInvalidPercentEncoding(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text);
}

/** Returns the value of the header `Authorization`, or `undefined` if the URL has no credentials. */
export function getBasicAuth({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return formatBasicAuth(
    Buffer.concat([decodePercentEncoding(username), Buffer.from(':'), decodePercentEncoding(password)]),
  );
}

export function formatBasicAuth(credentials: string | Buffer): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Returns bytes, because a user name or a password may contain bytes that are not valid UTF-8. */
function decodePercentEncoding(encodedText: string): Buffer {
  const binaryText = encodedText.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(binaryText, 'latin1');
}

/** Parses the URLs of a kubeconfig. Error messages do not contain the URLs, because a URL may contain a password. */
import { posix } from 'node:path';
import { hasInvalidPercentEncoding } from '../basic-auth.ts';
import { createKubeConfigError } from './kubeconfig-error.ts';

/** The default scheme is http, as in client-go. */
export function parseServerUrl(location: string, text: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text);
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  const hasControlCharacter = /\p{Cc}/u.test(text); // `URL` would remove it
  if (url === null || hasControlCharacter || !/^https?:$/.test(url.protocol) || (!hasScheme && url.pathname !== '/')) {
    throw createKubeConfigError(location, 'server must be a URL with https:// or http://');
  }
  checkPercentEncoding(location, 'server', text);
  url.pathname = posix.normalize(url.pathname);
  return url;
}

export function parseProxyUrl(location: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  checkPercentEncoding(location, 'proxy-url', text);
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw createKubeConfigError(location, 'proxy-url must be a URL with http:// or https://');
}

/** Checks the text instead of the parsed URL, because a URL parser may change the escapes. */
function checkPercentEncoding(location: string, field: string, text: string): void {
  if (!hasInvalidPercentEncoding(text.replace(/[?#].*/s, ''))) return;
  throw createKubeConfigError(location, `${field} has a % that two hexadecimal digits do not follow; write % as %25`);
}

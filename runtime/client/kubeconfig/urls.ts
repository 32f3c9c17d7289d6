/** The URLs in a kubeconfig. Errors do not show them, because any URL may contain a password. */
import { posix } from 'node:path';
import { hasBrokenEscape } from '../basic-auth.ts';
import { kubeConfigError } from './kubeconfig-error.ts';

/** A URL without a scheme uses http, as in client-go. */
export function parseServerUrl(where: string, text: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text);
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || (!hasScheme && url.pathname !== '/')) {
    throw kubeConfigError(where, 'server must be a URL with https:// or http://');
  }
  checkEscapes(where, 'server', text);
  url.pathname = posix.normalize(url.pathname);
  return url;
}

export function parseProxyUrl(where: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  checkEscapes(where, 'proxy-url', text);
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw kubeConfigError(where, 'proxy-url must be a URL with http:// or https://');
}

/** Checks the text, because a parsed URL may have lost its escapes. */
function checkEscapes(where: string, field: string, text: string): void {
  if (!hasBrokenEscape(text.replace(/[?#].*/s, ''))) return;
  throw kubeConfigError(where, `${field} has a % that two hexadecimal digits do not follow; write % as %25`);
}

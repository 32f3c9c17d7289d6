/** Parses the URLs of a kubeconfig. Error messages do not contain the URLs, because a URL may contain a password. */
import { isIPv4 } from 'node:net';
import { posix } from 'node:path';
import { hasInvalidPercentEncoding } from '../basic-auth.ts';
import { createKubeConfigError } from './kubeconfig-error.ts';

/** The default scheme is http, as in client-go. */
export function parseServerUrl(location: string, text: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text);
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  const hasForbiddenCharacter = /[\p{Cc}\\]|\s$/u.test(text); // `URL` would remove or replace it
  if (
    url === null ||
    hasForbiddenCharacter ||
    !/^https?:$/.test(url.protocol) ||
    (!hasScheme && url.pathname !== '/')
  ) {
    throw createKubeConfigError(location, 'server must be a URL with https:// or http://');
  }
  checkPercentEncoding(location, 'server', text);
  checkAddress(location, 'server', text, url);
  url.hostname = toIpv4(url.hostname);
  url.pathname = posix.normalize(url.pathname);
  return url;
}

export function parseProxyUrl(location: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  checkPercentEncoding(location, 'proxy-url', text);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw createKubeConfigError(location, 'proxy-url must be a URL with http:// or https://');
  }
  checkAddress(location, 'proxy-url', text, url);
  return url;
}

/** Rejects addresses that `URL` and Go interpret differently: `URL` changes the host 010.0.0.1 to 8.0.0.1. */
function checkAddress(location: string, field: string, text: string, { hostname }: URL): void {
  if (!isIPv4(hostname) || text.includes(hostname)) return;
  throw createKubeConfigError(location, `${field} has an IP address in another form than 10.0.0.1; correct it`);
}

/** Converts an IPv4-mapped IPv6 address, because Node compares the address with the certificate as text. */
function toIpv4(hostname: string): string {
  const [, ...groups] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname) ?? [];
  if (groups.length === 0) return hostname;
  return groups.flatMap((hex) => [Number.parseInt(hex, 16) >> 8, Number.parseInt(hex, 16) & 0xff]).join('.');
}

/** Checks the text instead of the parsed URL, because a URL parser may change the escapes. */
function checkPercentEncoding(location: string, field: string, text: string): void {
  if (!hasInvalidPercentEncoding(text.replace(/[?#].*/s, ''))) return;
  throw createKubeConfigError(location, `${field} has a % that two hexadecimal digits do not follow; write % as %25`);
}

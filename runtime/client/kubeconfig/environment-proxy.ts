/**
 * Selects a proxy from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, by the rules of golang.org/x/net/http/httpproxy. The
 * class `EnvHttpProxyAgent` of undici ignores CIDR ranges in `NO_PROXY`, and sends requests for localhost to the proxy.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { ConfigurationError } from '../../configuration-error.ts';
import { hasInvalidPercentEncoding } from '../basic-auth.ts';
import type { HttpProxy } from '../server-credentials.ts';

type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

const PROXY_VARIABLES = { 'https:': ['HTTPS_PROXY', 'https_proxy'], 'http:': ['HTTP_PROXY', 'http_proxy'] } as const;
const NO_PROXY_VARIABLES = ['NO_PROXY', 'no_proxy'];
const DEFAULT_PORTS = { 'https:': '443', 'http:': '80' } as const;

/**
 * Returns `undefined` if the variables set no proxy for the server. Throws a {@link ConfigurationError} if the URL of
 * the proxy is invalid.
 */
export function getProxyFromEnvironment(environment: ProxyEnvironment, server: URL): HttpProxy | undefined {
  const protocol = server.protocol === 'http:' ? 'http:' : 'https:';
  const variable = PROXY_VARIABLES[protocol].find((name) => environment[name]);
  if (variable === undefined) return undefined;
  const noProxy = environment[NO_PROXY_VARIABLES.find((name) => environment[name]) ?? ''] ?? '';
  const destination = { host: getHost(server), port: server.port || DEFAULT_PORTS[protocol] };
  return isProxyExcluded(destination, noProxy)
    ? undefined
    : { url: parseProxyUrl(variable, environment[variable] ?? ''), source: variable };
}

/**
 * The default scheme is http. Error messages do not contain the URL of the proxy, because the URL may contain a
 * password.
 */
function parseProxyUrl(variable: string, text: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || hasInvalidPercentEncoding(text)) {
    throw new ConfigurationError(`${variable} must be a URL with http:// or https://; write % as %25`);
  }
  return url;
}

interface Destination {
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: string;
}

function getHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

function isProxyExcluded(destination: Destination, noProxy: string): boolean {
  if (destination.host === 'localhost' || isInNetworks(LOOPBACK_NETWORKS, destination.host)) return true;
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry === '*' || (entry !== '' && isExcludedByEntry(entry, destination)));
}

function isExcludedByEntry(entry: string, { host, port }: Destination): boolean {
  const network = parseNetwork(entry);
  if (network !== undefined) return isInNetworks([network], host);
  const [, bracketedHost, plainHost, entryPort = ''] = /^(?:\[([^\][]*)\]|([^\][:]*)):([^\][:]*)$/.exec(entry) ?? [];
  const name = bracketedHost ?? plainHost ?? entry;
  if (name === '' || (entryPort !== '' && entryPort !== port)) return false;
  if (isIP(name) > 0) return isInNetworks([[name, getMaxPrefixLength(name)]], host);
  if (isIP(host) > 0) return false;
  const suffix = name.replace(/^\*?\./, '');
  const domain = /\P{ASCII}/u.test(suffix) ? domainToASCII(suffix) || suffix : suffix;
  return host.endsWith(`.${domain}`) || (host === domain && !/^\*?\./.test(name));
}

type Network = readonly [address: string, prefixLength: number];

const LOOPBACK_NETWORKS: readonly Network[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
];

function parseNetwork(entry: string): Network | undefined {
  const [, address = '', prefixLength] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  return isIP(address) > 0 && Number(prefixLength) <= getMaxPrefixLength(address)
    ? [address, Number(prefixLength)]
    : undefined;
}

function getMaxPrefixLength(address: string): number {
  return isIPv6(address) ? 128 : 32;
}

function isInNetworks(networks: readonly Network[], host: string): boolean {
  if (isIP(host) === 0) return false;
  const blockList = new BlockList();
  for (const [address, prefixLength] of networks) {
    // An IPv6 network contains no IPv4 address. An IPv4 network may contain an IPv4-mapped IPv6 address.
    if (isIPv6(host) || !isIPv6(address)) blockList.addSubnet(address, prefixLength, getIpFamily(address));
  }
  return blockList.check(host, getIpFamily(host));
}

function getIpFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

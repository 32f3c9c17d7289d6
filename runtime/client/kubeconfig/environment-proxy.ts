/**
 * The proxy of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, by the rules of Go's golang.org/x/net/http/httpproxy.
 * undici's EnvHttpProxyAgent does not support CIDR, proxies localhost, and reads `.example.com` for example.com as
 * well.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { ConfigurationError } from '../../configuration-error.ts';
import { hasBrokenEscape } from '../basic-auth.ts';
import type { HttpProxy } from '../server-credentials.ts';

type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

const VARIABLES = { 'https:': ['HTTPS_PROXY', 'https_proxy'], 'http:': ['HTTP_PROXY', 'http_proxy'] } as const;
const NO_PROXY = ['NO_PROXY', 'no_proxy'];
const PORTS = { 'https:': '443', 'http:': '80' } as const;

/**
 * Returns `undefined` when no proxy applies. Throws a ConfigurationError for a proxy that is not valid; Go ignores some
 * of these.
 */
export function proxyFromEnvironment(environment: ProxyEnvironment, server: URL): HttpProxy | undefined {
  const protocol = server.protocol === 'http:' ? 'http:' : 'https:';
  const source = VARIABLES[protocol].find((name) => environment[name]);
  if (source === undefined) return undefined;
  const rules = environment[NO_PROXY.find((name) => environment[name]) ?? ''] ?? '';
  const target = { host: getHost(server), port: server.port || PORTS[protocol] };
  return isExcluded(target, rules) ? undefined : { url: parseProxy(source, environment[source] ?? ''), source };
}

/** A URL without a scheme uses http. Errors do not show a proxy's URL, because it may contain a password. */
function parseProxy(source: string, text: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || hasBrokenEscape(text)) {
    throw new ConfigurationError(`${source} must be a URL with http:// or https://; write % as %25`);
  }
  return url;
}

interface Target {
  /** An IP address has no brackets. */
  readonly host: string;
  readonly port: string;
}

function getHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

function isExcluded(target: Target, rules: string): boolean {
  if (target.host === 'localhost' || isInNetworks(LOOPBACK, target.host)) return true;
  const entries = rules.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry === '*' || (entry !== '' && matchesEntry(entry, target)));
}

function matchesEntry(entry: string, { host, port }: Target): boolean {
  const network = parseNetwork(entry);
  if (network !== undefined) return isInNetworks([network], host);
  const [, inBrackets, plain, entryPort = ''] = /^(?:\[([^\][]*)\]|([^\][:]*)):([^\][:]*)$/.exec(entry) ?? [];
  const name = inBrackets ?? plain ?? entry;
  if (name === '' || (entryPort !== '' && entryPort !== port)) return false;
  if (isIP(name) > 0) return isInNetworks([[name, getAddressBits(name)]], host);
  if (isIP(host) > 0) return false;
  const suffix = name.replace(/^\*?\./, '');
  const domain = /\P{ASCII}/u.test(suffix) ? domainToASCII(suffix) || suffix : suffix;
  return host.endsWith(`.${domain}`) || (host === domain && !/^\*?\./.test(name));
}

/** An address and its prefix length. */
type Network = readonly [address: string, bits: number];

const LOOPBACK: readonly Network[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
];

function parseNetwork(entry: string): Network | undefined {
  const [, address = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  return isIP(address) > 0 && Number(bits) <= getAddressBits(address) ? [address, Number(bits)] : undefined;
}

function getAddressBits(address: string): number {
  return isIPv6(address) ? 128 : 32;
}

function isInNetworks(networks: readonly Network[], host: string): boolean {
  if (isIP(host) === 0) return false;
  const list = new BlockList();
  for (const [address, bits] of networks) {
    // An IPv4 address is not in any IPv6 network, but an IPv6 address may stand for an IPv4 address.
    if (isIPv6(host) || !isIPv6(address)) list.addSubnet(address, bits, getIpFamily(address));
  }
  return list.check(host, getIpFamily(host));
}

function getIpFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

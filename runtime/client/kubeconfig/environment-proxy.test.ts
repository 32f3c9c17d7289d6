import { expect, test } from 'vitest';
import { getProxyFromEnvironment } from './environment-proxy.ts';

const PROXY = 'http://proxy:3128';

/** The results of `http.ProxyFromEnvironment` in Go 1.26.8. */
const EXCLUSIONS: readonly (readonly [noProxy: string, server: string, usesProxy: boolean])[] = [
  ['', 'https://kubernetes.example', true],
  ['', 'http://kubernetes.example', true],
  // This machine
  ['', 'https://localhost:6443', false],
  ['', 'https://api.localhost', true],
  ['', 'https://127.0.0.1:6443', false],
  ['', 'https://127.8.9.10', false],
  ['', 'https://[::1]:6443', false],
  ['', 'https://[::ffff:127.0.0.1]', false],
  ['', 'https://[::2]', true],
  ['', 'https://0.0.0.0:6443', true],
  // Everything
  ['*', 'https://kubernetes.example', false],
  ['a, * ,b', 'https://10.0.0.1', false],
  ['*:443', 'https://kubernetes.example', true],
  // Names
  ['kubernetes.example', 'https://kubernetes.example', false],
  ['kubernetes.example', 'https://api.kubernetes.example', false],
  ['kubernetes.example', 'https://my-kubernetes.example', true],
  ['example', 'https://kubernetes.example:6443', false],
  [' Kubernetes.EXAMPLE ', 'https://KUBERNETES.example', false],
  ['.example', 'https://kubernetes.example', false],
  ['.kubernetes.example', 'https://kubernetes.example', true],
  ['*.example', 'https://kubernetes.example', false],
  ['*.kubernetes.example', 'https://kubernetes.example', true],
  ['*example', 'https://kubernetes.example', true],
  ['a b kubernetes.example', 'https://kubernetes.example', true],
  ['kubernetes.example.', 'https://kubernetes.example', true],
  ['münchen.example', 'https://api.münchen.example', false],
  ['.svc,.cluster.local', 'https://kubernetes.default.svc', false],
  // Ports
  ['kubernetes.example:443', 'https://kubernetes.example', false],
  ['kubernetes.example:80', 'http://kubernetes.example', false],
  ['kubernetes.example:6443', 'https://kubernetes.example', true],
  ['kubernetes.example:6443', 'https://kubernetes.example:6443', false],
  ['.example:6443', 'https://kubernetes.example:6443', false],
  ['kubernetes.example:https', 'https://kubernetes.example', true],
  ['kubernetes.example:', 'https://kubernetes.example', false],
  [':443', 'https://kubernetes.example', true],
  ['10.0.0.1:6443', 'https://10.0.0.1:6443', false],
  ['10.0.0.1:6443', 'https://10.0.0.1', true],
  ['[fd00::1]:6443', 'https://[fd00::1]:6443', false],
  ['[fd00::1]:6443', 'https://[fd00::1]', true],
  // Addresses
  ['10.0.0.1', 'https://10.0.0.1', false],
  ['10.0.0.1', 'https://10.0.0.10', true],
  ['10.0.0.1', 'https://[::ffff:10.0.0.1]', false],
  ['0.0.0.1', 'https://10.0.0.1', true],
  ['.1', 'https://10.0.0.1', true],
  ['010.0.0.1', 'https://10.0.0.1', true],
  ['fd00::1', 'https://[fd00:0::1]', false],
  ['[fd00::1]', 'https://[fd00::1]', true],
  // Networks
  ['10.0.0.0/8', 'https://10.96.0.1', false],
  ['10.1.2.3/8', 'https://10.96.0.1', false],
  ['10.96.0.0/16', 'https://10.97.0.1', true],
  ['10.0.0.0/8', 'https://[::ffff:10.0.0.1]', false],
  ['10.0.0.0/33', 'https://10.0.0.1', true],
  ['10.0.0.0/8:443', 'https://10.0.0.1', true],
  ['10.0.0.0/8', 'https://kubernetes.example', true],
  ['0.0.0.0/0', 'https://10.0.0.1', false],
  ['::/0', 'https://10.0.0.1', true],
  ['fd00::/8', 'https://[fd12::1]', false],
  ['fd00::/8', 'https://[fe80::1]', true],
  ['kubernetes.example/8', 'https://kubernetes.example', true],
];

test.each(EXCLUSIONS)('NO_PROXY=%j for %s: %s', (NO_PROXY, server, usesProxy) => {
  const environment = { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY };
  expect(getProxyFromEnvironment(environment, new URL(server)) !== undefined).toBe(usesProxy);
});

test.each<[Record<string, string>, string, string | undefined]>([
  [{}, 'https://a', undefined],
  [{ HTTPS_PROXY: 'http://one', https_proxy: 'http://two' }, 'https://a', 'HTTPS_PROXY http://one/'],
  [{ HTTPS_PROXY: '', https_proxy: 'http://two' }, 'https://a', 'https_proxy http://two/'],
  [{ HTTP_PROXY: 'http://one', http_proxy: 'http://two' }, 'http://a', 'HTTP_PROXY http://one/'],
  [{ http_proxy: 'http://two' }, 'http://a', 'http_proxy http://two/'],
  [{ HTTP_PROXY: 'http://one', ALL_PROXY: 'http://all' }, 'https://a', undefined],
  [{ HTTPS_PROXY: 'http://one' }, 'http://a', undefined],
  [{ HTTPS_PROXY: 'http://one', NO_PROXY: '', no_proxy: 'a' }, 'https://a', undefined],
  [{ HTTPS_PROXY: 'http://one', NO_PROXY: 'b', no_proxy: 'a' }, 'https://a', 'HTTPS_PROXY http://one/'],
  [{ HTTPS_PROXY: 'proxy:3128' }, 'https://a', 'HTTPS_PROXY http://proxy:3128/'],
  [{ HTTPS_PROXY: '10.0.0.1:3128' }, 'https://a', 'HTTPS_PROXY http://10.0.0.1:3128/'],
  [{ HTTPS_PROXY: 'proxy' }, 'https://a', 'HTTPS_PROXY http://proxy/'],
  [{ HTTPS_PROXY: 'https://me:pw@proxy' }, 'https://a', 'HTTPS_PROXY https://me:pw@proxy/'],
])('%j for %s', (environment, server, want) => {
  const proxy = getProxyFromEnvironment(environment, new URL(server));
  expect(proxy && `${proxy.source} ${proxy.url}`).toBe(want);
});

test.each(['socks5://me:secret@p', 'ftp://me:secret@p', 'http://me:secret%@p', 'http://me:secret@p:99999'])(
  'rejects an invalid proxy by its variable, without showing it: %s',
  (url) => {
    const server = new URL('https://a');
    expect(() => getProxyFromEnvironment({ https_proxy: url }, server)).toThrow(
      /^https_proxy must be a URL with http:\/\/ or https:\/\/; write % as %25$/,
    );
    expect(getProxyFromEnvironment({ https_proxy: url, NO_PROXY: 'a' }, server)).toBeUndefined();
  },
);

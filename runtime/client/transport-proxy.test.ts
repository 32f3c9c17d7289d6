import { describe, expect, test } from 'vitest';
import { TunnelProxy, type TunnelProxyOptions } from '../../test/support/tunnel-proxy.ts';
import { job, jobs } from '../test-support/objects.ts';
import { catchRejection, LIST_REQUEST, TransportHarness } from '../test-support/transport-harness.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { createUnreachableError, ProxyError } from './proxy-error.ts';

const CREDENTIALS = { username: 'me@home', password: 'p:w/%' };

/** Creates a transport to an http or https server through a proxy. */
async function createTransportThroughProxy(
  proxy: TunnelProxy,
  protocol: 'http' | 'https',
  { certificate }: TunnelProxyOptions,
) {
  const scene = await (protocol === 'https'
    ? TransportHarness.startTls({ maxInFlight: 1 })
    : TransportHarness.start({ maxInFlight: 1 }));
  const { ca = '' } = (await scene.credentials.current()).tls;
  scene.credentials.useTls({ ca: `${certificate?.cert ?? ''}${ca}` });
  scene.credentials.useProxy(proxy.url);
  return scene;
}

const certificate = selfSignedCertificate('proxy');

describe.each([
  ['an http proxy', CREDENTIALS],
  ['an https proxy at an address, which would rather speak HTTP/2', { ...CREDENTIALS, certificate }],
])('through %s', (_, options) => {
  test.each(['https', 'http'] as const)('sends requests and watches to an %s server', async (protocol) => {
    await using proxy = await TunnelProxy.start(options);
    await using scene = await createTransportThroughProxy(proxy, protocol, options);
    for (let i = 0; i < 3; i++) expect(await scene.transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
    const { host, origin } = scene.server.url;
    if (protocol === 'https') expect(proxy.targets, 'connections are kept').toEqual([host, host]);
    else expect(proxy.targets[0]).toMatch(new RegExp(`^${origin}/apis/batch/v1/jobs`));
  });

  test.each([
    ['https', 'CONNECT', { password: 'guessed' }],
    ['http', 'a request for', { username: '' }],
  ] as const)('sends no request to an %s server with wrong proxy credentials', async (protocol, request, wrong) => {
    await using proxy = await TunnelProxy.start(options);
    await using scene = await createTransportThroughProxy(proxy, protocol, options);
    const { transport, server } = scene;
    scene.credentials.useProxy(Object.assign(proxy.url, wrong));
    const refusals = [
      transport.request(LIST_REQUEST),
      transport.stream({ ...LIST_REQUEST, query: { watch: true } }),
    ].map(catchRejection);
    for (const error of await Promise.all(refusals)) {
      expect(error).toBeInstanceOf(ProxyError);
      expect(error).toMatchObject({
        message: `the proxy ${proxy.url.host} responded to ${request} ${server.url.host} with 407 Proxy Authentication Required`,
        fix: 'set a username and a password that the proxy accepts in proxy-url in the kubeconfig',
      });
    }
    expect(server.count()).toBe(0);
  });
});

describe('the error for a proxy without a tunnel names the proxy and a fix', () => {
  test.each([
    [
      '502',
      'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>',
      /^the proxy HOST responded to CONNECT \S+ with 502 Bad Gateway$/,
    ],
    ['a code of its own', 'HTTP/1.1 599 No\r\n\r\n', /^the proxy HOST responded to CONNECT \S+ with 599$/],
    ['HTML alone', '<html>\r\n\r\n', /^cannot use the proxy HOST \(HTTPParserError\)$/],
    ['nothing', '', /^cannot use the proxy HOST \(UND_ERR_SOCKET\)$/],
    [
      '200 and HTML',
      'HTTP/1.1 200 OK\r\n\r\n<html><body>Sign in</body></html>',
      /^\S+ does not use TLS, through the proxy HOST$/,
    ],
  ])('%s', async (_, answer, want) => {
    await using proxy = await TunnelProxy.start({ ...CREDENTIALS, answer });
    await using scene = await createTransportThroughProxy(proxy, 'https', {});
    const error = await catchRejection(scene.transport.request(LIST_REQUEST));
    expect(error).toBeInstanceOf(ProxyError);
    expect((error as ProxyError).message.replaceAll(proxy.url.host, 'HOST')).toMatch(want);
    expect((error as ProxyError).fix).toMatch(/proxy-url in the kubeconfig|server in the kubeconfig/);
    expect(String(error)).not.toMatch(/me%40home|p:w|p%3Aw|undefined/);
  });

  test.each([
    ['http://127.0.0.1:1', '127.0.0.1:1'],
    ['http://me:pw@proxy', 'proxy:80'],
    ['https://[::1]', '[::1]:443'],
  ])('%s without a listener', (url, address) => {
    const proxy = { url: new URL(url), source: 'HTTPS_PROXY' };
    const cause = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    expect(createUnreachableError(proxy, cause)).toMatchObject({
      message: `cannot use the proxy ${address} (ECONNREFUSED)`,
      fix: 'check the network and HTTPS_PROXY',
      cause,
    });
  });
});

test('credentials of a proxy may be any bytes', async () => {
  await using proxy = await TunnelProxy.start({ username: 'm\u00fc', password: 'x' });
  await using scene = await createTransportThroughProxy(proxy, 'https', {});
  expect(await scene.transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
  proxy.url.password = '%ff';
  scene.credentials.useProxy(proxy.url);
  expect(await catchRejection(scene.transport.request(LIST_REQUEST))).toBeInstanceOf(ProxyError);
});

test('sends no request to an https proxy with an untrusted certificate', async () => {
  await using proxy = await TunnelProxy.start({ certificate });
  await using scene = await createTransportThroughProxy(proxy, 'https', {});
  expect(await catchRejection(scene.transport.request(LIST_REQUEST))).toMatchObject({
    message: `cannot use the proxy ${proxy.url.host} (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    fix: "add the proxy's CA to certificate-authority in the kubeconfig",
  });
  expect(proxy.targets).toEqual([]);
});

describe('an IP address as tls-server-name', () => {
  test.each([
    ['accepts the certificate that has it', '127.0.0.1', true],
    ['refuses one that does not', '127.0.0.2', false],
    ['refuses one that does not have this IPv6 address', '::1', false],
  ])('%s', async (_, servername, isAccepted) => {
    await using scene = await TransportHarness.startTls();
    const { tls } = await scene.credentials.current();
    scene.credentials.useTls({ ...tls, servername });
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const answer = scene.transport.request(LIST_REQUEST);
    if (isAccepted) expect(await answer).toMatchObject({ items: [] });
    else expect(await catchRejection(answer)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

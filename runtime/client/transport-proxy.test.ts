import { describe, expect, test } from 'vitest';
import { TunnelProxy, type TunnelProxyOptions } from '../../test/support/tunnel-proxy.ts';
import { job, jobs } from '../test-support/objects.ts';
import { errorOf, list, Scene } from '../test-support/transport-scene.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';

const CREDENTIALS = { username: 'me@home', password: 'p:w/%' };

/** A transport to an https or http server through a proxy of its own. */
async function through(proxy: TunnelProxy, protocol: 'http' | 'https', { certificate }: TunnelProxyOptions) {
  const scene = await (protocol === 'https' ? Scene.startTls({ maxInFlight: 1 }) : Scene.start({ maxInFlight: 1 }));
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
  test('requests and watches go to an https server, on connections that are kept', async () => {
    await using proxy = await TunnelProxy.start(options);
    await using scene = await through(proxy, 'https', options);
    for (let i = 0; i < 3; i++) expect(await scene.transport.request(list)).toMatchObject({ items: [] });
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
    expect(proxy.targets).toEqual([scene.server.url.host, scene.server.url.host]);
  });

  test('requests and watches go to an http server', async () => {
    await using proxy = await TunnelProxy.start(options);
    await using scene = await through(proxy, 'http', options);
    expect(await scene.transport.request(list)).toMatchObject({ items: [] });
    const next = await scene.watch();
    scene.server.put(jobs, job('a'));
    expect(await next()).toBe('a');
    expect(proxy.targets[0]).toMatch(new RegExp(`^${scene.server.url.origin}/apis/batch/v1/jobs`));
  });

  test('no request goes with other credentials than the proxy wants', async () => {
    await using proxy = await TunnelProxy.start(options);
    await using scene = await through(proxy, 'https', options);
    const { url } = proxy;
    url.password = 'guessed';
    scene.credentials.useProxy(url);
    expect(String(await errorOf(scene.transport.request(list)))).toContain('407');
    expect(scene.server.count()).toBe(0);
  });
});

test('an https proxy whose certificate no CA of the kubeconfig has signed gets no request', async () => {
  await using proxy = await TunnelProxy.start({ certificate });
  await using scene = await through(proxy, 'https', {});
  expect(await errorOf(scene.transport.request(list))).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(proxy.targets).toEqual([]);
});

describe('an address as the name that the certificate must have', () => {
  test.each([
    ['accepts the certificate that has it', '127.0.0.1', true],
    ['refuses one that does not', '127.0.0.2', false],
    ['refuses one that does not have this IPv6 address', '::1', false],
  ])('%s', async (_, servername, isAccepted) => {
    await using scene = await Scene.startTls();
    const { tls } = await scene.credentials.current();
    scene.credentials.useTls({ ...tls, servername });
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const answer = scene.transport.request(list);
    if (isAccepted) expect(await answer).toMatchObject({ items: [] });
    else expect(await errorOf(answer)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

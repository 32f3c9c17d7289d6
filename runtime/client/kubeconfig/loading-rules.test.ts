import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { catchError, kubeconfig, writeKubeconfig } from '../../test-support/kubeconfigs.ts';
import { listKubeConfigContexts, loadKubeConfig, loadKubectlConfig } from './loading-rules.ts';

/** A machine with a home folder, and optionally a Pod around it. */
function createEnvironment(environment: Record<string, string> = {}) {
  const home = createTemporaryFolder();
  const serviceAccountFolder = createTemporaryFolder();
  mkdirSync(join(home, '.kube'));
  return {
    variables: { HOME: home, ...environment } as Record<string, string>,
    serviceAccountFolder,
    atHome: (text: string) => writeKubeconfig(text, join(home, '.kube')),
  };
}

function pod(environment: Record<string, string> = {}) {
  const withPod = createEnvironment({
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    ...environment,
  });
  for (const file of ['token', 'ca.crt']) writeFileSync(join(withPod.serviceAccountFolder, file), file);
  writeFileSync(join(withPod.serviceAccountFolder, 'namespace'), 'of-the-pod\n');
  return withPod;
}

const OF_POD = 'https://10.0.0.1/';
const at = (server: string, context: object = {}) =>
  kubeconfig({}, { server }, { contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }] });
const HOME = 'https://home/';

describe.each([
  ['a program of a person', loadKubectlConfig],
  ['a program that runs by itself', loadKubeConfig],
])('%s uses a proxy', (_, load) => {
  const environment = { HTTPS_PROXY: 'http://p', NO_PROXY: 'excluded' };
  const proxyIn = (...[path, place]: [string | undefined, ReturnType<typeof createEnvironment>]) =>
    load(path, undefined, place).cluster.environmentProxy?.url.host;

  test('from the environment, for a kubeconfig and for the ServiceAccount of a Pod', () => {
    expect(proxyIn(writeKubeconfig(at(HOME)), createEnvironment(environment))).toBe('p');
    expect(proxyIn(undefined, pod(environment))).toBe('p');
  });

  test('but not for hosts in NO_PROXY, or when the kubeconfig has a proxy', () => {
    expect(proxyIn(writeKubeconfig(at('https://excluded')), createEnvironment(environment))).toBeUndefined();
    expect(
      proxyIn(writeKubeconfig(kubeconfig({}, { 'proxy-url': 'http://own' })), createEnvironment(environment)),
    ).toBeUndefined();
  });

  test('that is valid, and names the variable of an invalid one', () => {
    const place = createEnvironment({ https_proxy: 'socks5://p' });
    expect(catchError(() => proxyIn(writeKubeconfig(at(HOME)), place)).message).toMatch(
      /^https_proxy must be a URL with http/,
    );
  });
});

describe('loadKubectlConfig uses, as kubectl does,', () => {
  const serverIn = (place: ReturnType<typeof createEnvironment>, path?: string, context?: string) =>
    loadKubectlConfig(path, context, place).cluster.server.href;

  test('the kubeconfig in the home folder, also in a Pod', () => {
    const place = pod();
    place.atHome(at(HOME));
    expect(serverIn(place)).toBe(HOME);
    expect(serverIn(place, undefined, 'x')).toBe(HOME);
  });

  test('KUBECONFIG before the home folder, and the flag before both', () => {
    const place = pod({ KUBECONFIG: `/absent::${writeKubeconfig('')}:${writeKubeconfig(at('https://variable'))}` });
    place.atHome(at(HOME));
    expect(serverIn(place)).toBe('https://variable/');
    expect(serverIn(place, writeKubeconfig(at('https://flag')))).toBe('https://flag/');
  });

  test.each([
    ['there is no file', undefined],
    ['the file is empty', ''],
    ['no context is the current one', at(HOME).replace('"current-context":"x"', '"current-context":""')],
    ['the context has no cluster', at(HOME, { cluster: '' })],
    ['the cluster of the context is not there', at(HOME, { cluster: 'other' })],
    ['the server is kubectl’s own default', at('http://localhost:8080')],
  ])('the ServiceAccount of the Pod when %s', (_, text) => {
    const place = pod();
    if (text !== undefined) place.atHome(text);
    expect(serverIn(place)).toBe(OF_POD);
    place.variables['KUBERNETES_SERVICE_HOST'] = '';
    if (text?.includes('localhost')) expect(serverIn(place)).toBe('http://localhost:8080/');
    else expect(() => serverIn(place)).toThrow();
  });

  test.each([
    ['a proxy', kubeconfig({}, { server: '', 'proxy-url': 'http://p' })],
    ['a user to impersonate', kubeconfig({ as: 'jane' }, { server: '' })],
  ])('no ServiceAccount when the kubeconfig has %s and no server', (_, text) => {
    const place = pod();
    place.atHome(text);
    expect(() => serverIn(place)).toThrow('server is missing');
  });

  test.each([
    ['a context that is not there', [undefined, 'other'], 'there is no context "other"'],
    ['a file that is not there', ['/absent'], 'kubeconfig /absent: no such file; correct --kubeconfig'],
  ])('no ServiceAccount for %s', (_, [path, context], want) => {
    expect(() => loadKubectlConfig(path, context, pod())).toThrow(want);
  });

  test('the server of KUBERNETES_MASTER when there is no other', () => {
    const place = createEnvironment({ KUBERNETES_MASTER: 'https://master' });
    expect(serverIn(place)).toBe('https://master/');
    place.atHome(at(HOME));
    expect(serverIn(place)).toBe(HOME);
  });

  test('only the home folder of the environment', () => {
    const { variables, ...place } = createEnvironment();
    const { HOME: _, ...homeless } = variables;
    const error = catchError(() => loadKubectlConfig(undefined, undefined, { ...place, variables: homeless }));
    expect(error.message).toMatch(/^no kubeconfig found: .* or create \.kube\/config$/);
  });

  test.each([
    ['the context’s', at(HOME, { namespace: 'team' }), {}, 'team'],
    ['the context’s, also when it is default', at(HOME, { namespace: 'default' }), {}, 'default'],
    ['the Pod’s when the context has none', at(HOME), {}, 'of-the-pod'],
    ['the Pod’s with its ServiceAccount', '', {}, 'of-the-pod'],
    ['that of POD_NAMESPACE before the Pod’s', '', { POD_NAMESPACE: 'of-the-variable' }, 'of-the-variable'],
  ])('as namespace %s', (_, text, environment, want) => {
    const place = pod(environment);
    place.atHome(text);
    expect(loadKubectlConfig(undefined, undefined, place).namespace).toBe(want);
  });

  test('no Pod namespace outside of a Pod, or without the namespace file', () => {
    const place = pod({ KUBERNETES_SERVICE_HOST: '' });
    place.atHome(at(HOME));
    expect(loadKubectlConfig(undefined, undefined, place).namespace).toBeUndefined();
    const bare = pod();
    rmSync(join(bare.serviceAccountFolder, 'namespace'));
    expect(loadKubectlConfig(undefined, undefined, bare).namespace).toBeUndefined();
  });
});

describe('loadKubeConfig uses, as Go’s controller-runtime does,', () => {
  const serverIn = (place: ReturnType<typeof createEnvironment>, path?: string) =>
    loadKubeConfig(path, undefined, place).cluster.server.href;

  test('the ServiceAccount of its Pod before the kubeconfig in the home folder', () => {
    const place = pod();
    place.atHome(at(HOME));
    expect(serverIn(place)).toBe(OF_POD);
    rmSync(join(place.serviceAccountFolder, 'token'));
    expect(serverIn(place)).toBe(HOME);
  });

  test.each([
    ['KUBERNETES_SERVICE_HOST', '2001:db8::1', 'https://[2001:db8::1]/'],
    ['KUBERNETES_SERVICE_PORT', '6443', 'https://10.0.0.1:6443/'],
  ])('the address of %s', (name, value, want) => expect(serverIn(pod({ [name]: value }))).toBe(want));

  test('the flag, then KUBECONFIG, before the ServiceAccount', () => {
    const place = pod({ KUBECONFIG: writeKubeconfig(at('https://variable')) });
    expect(serverIn(place)).toBe('https://variable/');
    expect(serverIn(place, writeKubeconfig(at('https://flag')))).toBe('https://flag/');
  });

  test('the kubeconfig in the home folder when a variable of the Pod is missing', () => {
    const place = pod({ KUBERNETES_SERVICE_PORT: '' });
    place.atHome(at(HOME));
    expect(serverIn(place)).toBe(HOME);
  });

  test('the ServiceAccount when the kubeconfig is empty', () => {
    expect(serverIn(pod({ KUBECONFIG: '/dev/null', KUBERNETES_MASTER: 'https://master' }))).toBe(OF_POD);
    expect(() => serverIn(createEnvironment({ KUBECONFIG: '/dev/null' }))).toThrow('has no contexts');
    expect(() => serverIn(createEnvironment({ KUBECONFIG: '/absent' }))).toThrow('no such file; correct KUBECONFIG');
  });

  test('the system’s authorities when the ServiceAccount has none', () => {
    const place = pod();
    expect(loadKubeConfig(undefined, undefined, place).cluster.caFile).toBe(join(place.serviceAccountFolder, 'ca.crt'));
    rmSync(join(place.serviceAccountFolder, 'ca.crt'));
    expect(loadKubeConfig(undefined, undefined, place).cluster.caFile).toBeUndefined();
  });
});

test('lists the contexts of all files without duplicates', () => {
  const other = kubeconfig({}, {}, { contexts: [{ name: 'y' }, { name: 'x' }, {}] });
  const place = createEnvironment({ KUBECONFIG: `${writeKubeconfig(at(HOME))}:${writeKubeconfig(other)}` });
  expect(listKubeConfigContexts(undefined, place).toSorted()).toEqual(['x', 'y']);
});

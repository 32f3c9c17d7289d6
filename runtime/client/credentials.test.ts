import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';
import {
  catchCredentialsError,
  catchError,
  createCredentials,
  EXEC_API_VERSION,
  execCredential,
  execUser,
  kubeconfig,
  loadCredentials,
  renderError,
  SECRET,
  SERVER,
  useKubeconfig,
  writeKubeconfig,
  writePlugin,
} from '../test-support/kubeconfigs.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { selfSignedCertificate } from '../testing/self-signed-certificate.ts';
import { KubeConfigCredentials } from './credentials.ts';
import { loadKubeConfig } from './kubeconfig/loading-rules.ts';

test('the first of several files that sets a value wins, and missing files are ignored', async () => {
  const first = writeKubeconfig(
    JSON.stringify({ users: [{ name: 'u', user: { token: 'first' } }], 'current-context': 'x' }),
  );
  const second = writeKubeconfig(kubeconfig({ token: 'second' }, {}, { 'current-context': 'y' }));
  useKubeconfig(`/absent:${first}:${second}`);
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(), new FakeClock());
  expect(await credentials.current()).toMatchObject({
    server: new URL(SERVER),
    headers: { Authorization: 'Bearer first' },
  });
});

test('selects a context by name, with its namespace', () => {
  const contexts = [
    { name: 'x', context: { cluster: 'c', user: 'u' } },
    { name: 'y', context: { cluster: 'c', user: 'v', namespace: 'team' } },
  ];
  const users = ['u', 'v'].map((name) => ({ name, user: { token: `of-${name}` } }));
  const file = writeKubeconfig(kubeconfig({}, {}, { contexts, users }));
  expect(loadKubeConfig(file)).toMatchObject({ user: { token: 'of-u' }, namespace: undefined });
  expect(loadKubeConfig(file, 'y')).toMatchObject({ user: { token: 'of-v' }, namespace: 'team' });
  expect(() => loadKubeConfig(file, 'z')).toThrow('there is no context "z"; `kubectl config get-contexts` lists them');
});

describe('fields of a kubeconfig', () => {
  const certificate = (name: string) => ({ ca: selfSignedCertificate('ca').cert, ...selfSignedCertificate(name) });
  const [inFiles, inData] = [certificate('in files'), certificate('in data')];
  const folder = () => {
    const made = createTemporaryFolder();
    mkdirSync(join(made, 'keys'));
    writeFileSync(join(made, 'keys', 'token'), 'token in a file\n');
    writeFileSync(join(made, 'keys', 'ca'), inFiles.ca);
    writeFileSync(join(made, 'keys', 'cert'), inFiles.cert);
    writeFileSync(join(made, 'keys', 'key'), inFiles.key);
    return made;
  };
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test.each([
    ['token', { token: 't' }, { Authorization: 'Bearer t' }],
    ['tokenFile, before token', { token: 't', tokenFile: 'keys/token' }, { Authorization: 'Bearer token in a file' }],
    ['username and password', { username: 'me', password: 'pw' }, { Authorization: `Basic ${base64('me:pw')}` }],
    [
      'as, as-uid, as-groups and as-user-extra',
      { as: 'jane', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { 'a.com/Scopes': ['view', 'edit'] } },
      {
        'Impersonate-User': 'jane',
        'Impersonate-Uid': '7',
        'Impersonate-Group': ['a', 'b'],
        'Impersonate-Extra-a.com%2Fscopes': ['view', 'edit'],
      },
    ],
  ])('%s become headers', async (_, user, want) => {
    const { credentials } = createCredentials(kubeconfig(user), { folder: folder() });
    expect((await credentials.current()).headers).toEqual(want);
  });

  test('TLS fields become TLS options, and paths are relative to the kubeconfig', async () => {
    const files = { 'client-certificate': 'keys/cert', 'client-key': 'keys/key' };
    const cluster = { 'certificate-authority': 'keys/ca', 'tls-server-name': 'kubernetes' };
    const bytes = (text: string) => Buffer.from(text);
    const fromFiles = createCredentials(kubeconfig(files, cluster), { folder: folder() }).credentials;
    expect((await fromFiles.current()).tls).toEqual({
      ca: bytes(inFiles.ca),
      cert: bytes(inFiles.cert),
      key: bytes(inFiles.key),
      servername: 'kubernetes',
    });
    const data = { 'client-certificate-data': base64(inData.cert), 'client-key-data': base64(inData.key) };
    const { tls } = await loadCredentials(data, { 'certificate-authority-data': base64(inData.ca) });
    expect(tls).toEqual({ ca: bytes(inData.ca), cert: bytes(inData.cert), key: bytes(inData.key) });
    expect((await loadCredentials({}, { 'insecure-skip-tls-verify': true })).tls).toEqual({
      rejectUnauthorized: false,
    });
  });

  test('proxy-url becomes a proxy, and the error for socks5 does not show its password', async () => {
    expect(await loadCredentials({}, { 'proxy-url': 'http://p:3128' })).toMatchObject({
      proxy: { url: new URL('http://p:3128'), source: 'proxy-url in the kubeconfig' },
    });
    const socks = writeKubeconfig(kubeconfig({}, { 'proxy-url': `socks5://me:${SECRET}@p` }));
    const { message } = catchError(() => loadKubeConfig(socks));
    expect(message).toMatch(/proxy-url must be a URL with http:\/\/ or https:\/\//);
    expect(message).not.toContain(SECRET);
  });

  test.each([
    ['proxy-url', { 'proxy-url': `http://me%zz:${SECRET}@p` }],
    ['proxy-url', { 'proxy-url': `http://me:${SECRET}%@p` }],
    ['server', { server: `https://me:${SECRET}%4@p` }],
  ])('rejects a %% in %s without two hexadecimal digits', (field, cluster) => {
    const { name, message } = catchError(() => loadKubeConfig(writeKubeconfig(kubeconfig({}, cluster))));
    expect(name).toBe('ConfigurationError');
    expect(message).toMatch(
      new RegExp(`clusters.*: ${field} has a % that two hexadecimal digits do not follow; write % as %25$`),
    );
    expect(message).not.toContain(SECRET);
  });

  test.each([
    ['auth-provider', { 'auth-provider': { name: 'oidc', config: { 'refresh-token': SECRET } } }, 'use an exec plugin'],
    ['token-file', { 'token-file': SECRET }, 'write tokenFile'],
  ])('rejects %s by name and suggests an alternative', (name, user, instead) => {
    const error = catchError(() => loadKubeConfig(writeKubeconfig(kubeconfig(user))));
    expect(error.message).toContain(`${name} is not supported; ${instead}`);
    expect(renderError(error)).not.toContain(SECRET);
  });
});

describe('a token file', () => {
  test('is read again after ten seconds, once for concurrent requests', async () => {
    const { credentials, clock, folder } = createCredentials(kubeconfig({ tokenFile: 'token' }), {
      folder: tokenFolder('one'),
    });
    const header = async () => (await credentials.current()).headers['Authorization'];
    expect(await Promise.all([header(), header()])).toEqual(['Bearer one', 'Bearer one']);
    writeFileSync(join(folder, 'token'), 'two');
    await clock.advance(9_999);
    expect(await header()).toBe('Bearer one');
    await clock.advance(1);
    expect(await header()).toBe('Bearer two');
    writeFileSync(join(folder, 'token'), '');
    await clock.advance(10_000);
    expect(await header(), 'half written: the last one that could be read').toBe('Bearer two');
  });

  function tokenFolder(token: string): string {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, 'token'), token);
    return folder;
  }
});

describe('an exec plugin', () => {
  test('runs relative to the kubeconfig with its arguments, environment and cluster, once', async () => {
    const folder = createTemporaryFolder();
    writePlugin(
      folder,
      `echo "$1 $GREETING" >> ${folder}/calls; echo "$KUBERNETES_EXEC_INFO" > ${folder}/info; cat; cat ${folder}/answer`,
    );
    writeFileSync(join(folder, 'answer'), execCredential({ token: 'of the plugin' }));
    const env = [{ name: 'GREETING', value: 'world' }];
    const exec = execUser('./plugin', { args: ['hello'], env, provideClusterInfo: true });
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }];
    const text = kubeconfig(exec, { 'tls-server-name': 'k', extensions });
    const { credentials, clock } = createCredentials(text, { folder });
    expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer of the plugin' });
    await clock.advance(60_000);
    await credentials.current();
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(read('calls')).toBe('hello world\n');
    expect(JSON.parse(read('info'))).toEqual({
      apiVersion: EXEC_API_VERSION,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: SERVER, 'tls-server-name': 'k', config: { audience: 'a' } } },
    });
  });

  test('runs again when its credentials have expired', async () => {
    const folder = createTemporaryFolder();
    const command = writePlugin(folder, `cat ${folder}/answer`);
    const { cert, key } = selfSignedCertificate('client');
    const expirationTimestamp = '2030-01-01T00:00:20Z';
    const pair = { clientCertificateData: cert, clientKeyData: key };
    writeFileSync(join(folder, 'answer'), execCredential({ ...pair, expirationTimestamp }));
    const clock = new FakeClock('2030-01-01');
    const { credentials } = createCredentials(kubeconfig(execUser(command)), { folder, clock });
    expect(await credentials.current()).toMatchObject({ tls: { cert: Buffer.from(cert), key } });
    writeFileSync(join(folder, 'answer'), execCredential({ token: 'new' }));
    await clock.advance(10_000);
    expect((await credentials.current()).headers).toEqual({});
    await clock.advance(10_000);
    expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer new' });
  });

  test('times out after thirty seconds and runs again', async () => {
    const folder = createTemporaryFolder();
    const command = writePlugin(folder, `test -e ${folder}/answer || exec sleep 600\ncat ${folder}/answer`);
    const { credentials, clock } = createCredentials(kubeconfig(execUser(command)), { folder });
    const refused = expect(credentials.current()).rejects.toThrow(
      /the exec plugin .* timed out after 30 s; run it by hand/,
    );
    await clock.advance(30_000);
    await refused;
    writeFileSync(join(folder, 'answer'), execCredential({ token: 't' }));
    expect(await credentials.current()).toMatchObject({ server: new URL(SERVER) });
    expect(clock.pendingTimers).toBe(0);
  });

  test('that may prompt the user has no timeout and runs once', async () => {
    const folder = createTemporaryFolder();
    const script = `echo x >> ${folder}/calls; until test -e ${folder}/answer; do sleep 0.05; done; cat ${folder}/answer`;
    const file = writeKubeconfig(
      kubeconfig(execUser(writePlugin(folder, script), { interactiveMode: 'IfAvailable' })),
      folder,
    );
    const clock = new FakeClock();
    const credentials = new KubeConfigCredentials(() => loadKubeConfig(file), clock, { hasTerminal: true });
    const first = credentials.current();
    await clock.advance(3_600_000);
    const second = credentials.current();
    writeFileSync(join(folder, 'answer'), execCredential({ token: 't' }));
    expect(await Promise.all([first, second])).toMatchObject([{ headers: { Authorization: 'Bearer t' } }, {}]);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('x\n');
  });

  test('ends when its credentials are closed', async () => {
    const folder = createTemporaryFolder();
    const { credentials } = createCredentials(kubeconfig(execUser(writePlugin(folder, 'exec sleep 600'))), { folder });
    const refused = expect(credentials.current()).rejects.toThrow();
    credentials.close();
    await refused;
  });

  test('is not found in the PATH of its own env, as in kubectl', async () => {
    const folder = createTemporaryFolder();
    writePlugin(folder, `echo '${execCredential({ token: 't' })}'`);
    const { credentials } = createCredentials(
      kubeconfig(execUser('plugin', { env: [{ name: 'PATH', value: folder }] })),
    );
    await expect(credentials.current()).rejects.toThrow('the exec plugin plugin is not installed');
  });

  test.each([
    ['fails', `echo ${SECRET} >&2; exit 1`, /failed with exit code 1; run it by hand/],
    ['prints no JSON', `echo token: ${SECRET}`, /did not print an ExecCredential; run/],
    ['prints something else', `echo '{"kind":"${SECRET}","status":{}}'`, /did not print an ExecCredential; run/],
    [
      'speaks another version',
      `echo '{"kind":"ExecCredential","status":{"token":"${SECRET}"}}'`,
      /does not use .*; set/,
    ],
    ['has nothing', `echo '${execCredential({ clientKeyData: SECRET })}'`, /neither a token nor a certificate/],
  ])('that %s is named in the error, without its input and output', async (_, script, want) => {
    const folder = createTemporaryFolder();
    const exec = execUser(writePlugin(folder, script), { args: [SECRET], env: [{ name: 'A', value: SECRET }] });
    const { credentials } = createCredentials(kubeconfig(exec), { folder });
    const error = await catchCredentialsError(credentials);
    expect(error.message).toMatch(want);
    expect(error.message).toContain(`the exec plugin ${folder}/plugin`);
    expect(renderError(error)).not.toContain(SECRET);
  });

  test('that is not installed shows its installHint', async () => {
    const exec = execUser('no-such-plugin', { installHint: 'brew install it', args: [SECRET] });
    const { credentials } = createCredentials(kubeconfig(exec));
    const error = await catchCredentialsError(credentials);
    expect(error.message).toMatch(/the exec plugin no-such-plugin is not installed; brew install it$/);
    expect(renderError(error)).not.toContain(SECRET);
  });
});

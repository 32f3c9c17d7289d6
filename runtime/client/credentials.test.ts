import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { humanLine, jsonLine } from '../log/log-line.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { KubeConfigCredentials, loadKubeConfig } from './credentials.ts';
import type { Credentials } from './server-credentials.ts';

const SECRET = 's3cr3t-of-the-kubeconfig';
const SERVER = 'https://127.0.0.1:6443';

/** A kubeconfig in which the current context has this user and cluster, in JSON, which is YAML. */
function kubeconfig(user: object = {}, cluster: object = {}, more: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: SERVER, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  });
}

function written(text: string, folder = temporaryFolder()): string {
  const file = join(folder, 'config');
  writeFileSync(file, text);
  return file;
}

function credentialsIn(text: string, { clock = new FakeClock(), folder = temporaryFolder() } = {}) {
  const file = written(text, folder);
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(file), clock);
  return { credentials, clock, folder, file };
}

async function credentialsOf(...parts: Parameters<typeof kubeconfig>): Promise<Credentials> {
  return await credentialsIn(kubeconfig(...parts)).credentials.current();
}

/** What the loading of a file, or of KUBECONFIG, throws. */
function errorOf(load: () => unknown): Error {
  try {
    load();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return expect.unreachable('was not refused');
}

/** Everything that a log, or a process that ends with it, could show of an error. */
function shownOf(thrown: Error): string {
  const entry = {
    level: 'error',
    at: new Date(0),
    message: 'm',
    fields: [{ reason: thrown }],
    error: { thrown },
  } as const;
  return [jsonLine(entry), humanLine(entry, false), inspect(thrown, { depth: 9, showHidden: true })].join('\n');
}

function useKubeconfig(value: string): void {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = value;
  onTestFinished(() => {
    process.env['KUBECONFIG'] = before;
  });
}

/** A plugin that is a shell script. */
function plugin(folder: string, script: string): string {
  const file = join(folder, 'plugin');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const V1 = 'client.authentication.k8s.io/v1';
const execOf = (command: string, more: object = {}) => ({
  exec: { apiVersion: V1, command, interactiveMode: 'Never', ...more },
});
const answerOf = (status: object) => JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status });

describe('a kubeconfig that cannot be used says in one sentence which file, what and what to do, and nothing secret', () => {
  const token = { token: SECRET };
  test.each([
    ['is no YAML', `users: [{user: {token: ${SECRET}}}\n  : : ]`, /is not valid YAML at line \d+, column \d+; correct/],
    ['has a tag nobody knows', `token: !${SECRET} x`, /is not valid YAML at line 1/],
    ['has an alias of nothing', `token: *${SECRET}`, /is not valid YAML at line 1/],
    ['is a token', SECRET, /is not a YAML mapping; write/],
    ['is a list', `- ${SECRET}`, /is not a YAML mapping; write/],
    ['is empty', '', /is empty; write/],
    ['is another kind of object', `kind: Secret\ndata: {a: ${SECRET}}`, /is not of apiVersion v1 and kind Config/],
    ['has users that are no list', kubeconfig(token, {}, { users: SECRET }), /users must be a list/],
    [
      'has a user that is text',
      kubeconfig({}, {}, { users: [{ name: 'u', user: SECRET }] }),
      /users\[0\].user: must be a mapp/,
    ],
    ['has a token that is a list', kubeconfig({ token: [SECRET] }), /users\[0\].user: token must be a text/],
    [
      'has no current-context',
      kubeconfig(token, {}, { 'current-context': '' }),
      /current-context is not set; `kubectl/,
    ],
    ['names no context', kubeconfig(token, {}, { 'current-context': SECRET }), /a context that does not exist; choose/],
    ['has no cluster', kubeconfig(token, {}, { clusters: [] }), /there is no cluster of the name .*; correct/],
    ['has no user', kubeconfig(token, {}, { users: [] }), /there is no user of the name .*; correct/],
    ['has no server', kubeconfig(token, { server: '' }), /server is missing; set it/],
    ['has a server that is no URL', kubeconfig(token, { server: SECRET }), /server must be a URL/],
    ['shows a token to the network', kubeconfig(token, { server: 'http://a' }), /server is http.*; use https/],
    [
      'has a CA that is not base64',
      kubeconfig(token, { 'certificate-authority-data': `!${SECRET}` }),
      /must be base64/,
    ],
    ['has half a key pair', kubeconfig({ 'client-key-data': 'czNjcjN0' }), /a client needs both/],
    ['has two ways', kubeconfig({ ...token, username: SECRET }), /more than one of token/],
    ['has half an impersonation', kubeconfig({ 'as-uid': SECRET }), /need as; set it/],
    ['wants a terminal', kubeconfig(execOf(SECRET, { interactiveMode: 'Always' })), /needs a terminal; use/],
    ['has an old plugin', kubeconfig(execOf(SECRET, { apiVersion: SECRET })), /apiVersion must be .*; update/],
  ])('when it %s', (_, text, want) => {
    const file = written(text);
    const error = errorOf(() => loadKubeConfig(file));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(want);
    expect(error.message.startsWith(`kubeconfig ${file}`)).toBe(true);
    expect(error.message.split('\n')).toHaveLength(1);
    expect(shownOf(error)).not.toContain(SECRET);
    expect(shownOf(error)).not.toMatch(/^\s+at /m);
  });

  test('when it is a folder, a circle of links, or not there', () => {
    const folder = temporaryFolder();
    const circle = join(folder, 'circle');
    symlinkSync(circle, circle);
    expect(errorOf(() => loadKubeConfig(folder)).message).toMatch(/cannot be read \(EISDIR\); give a file/);
    expect(errorOf(() => loadKubeConfig(circle)).message).toMatch(/cannot be read \(ELOOP\); give a file/);
    const absent = errorOf(() => loadKubeConfig(join(folder, 'absent')));
    expect(absent.message).toBe(`kubeconfig ${folder}/absent: no such file; correct --kubeconfig or KUBECONFIG`);
    expect(shownOf(absent)).not.toMatch(/^\s+at /m);
  });

  test('when a file that it names is not there', async () => {
    const { credentials, folder } = credentialsIn(kubeconfig({ token: SECRET }, { 'certificate-authority': 'ca.crt' }));
    const error: Error = await credentials.current().then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error.message).toContain(`certificate-authority ${folder}/ca.crt cannot be read (ENOENT); give a file`);
    expect(shownOf(error)).not.toContain(SECRET);
  });

  test('also among several files of KUBECONFIG', () => {
    const file = written(`token: *${SECRET}`);
    useKubeconfig(`${written(kubeconfig())}:${file}`);
    const error = errorOf(() => loadKubeConfig());
    expect(error.message).toMatch(`kubeconfig ${file}: is not valid YAML`);
    expect(shownOf(error)).not.toContain(SECRET);
  });
});

test('the first of several files to say something counts, and those that are not there are passed over', async () => {
  const first = written(JSON.stringify({ users: [{ name: 'u', user: { token: 'first' } }], 'current-context': 'x' }));
  const second = written(kubeconfig({ token: 'second' }, {}, { 'current-context': 'y' }));
  useKubeconfig(`/absent:${first}:${second}`);
  const credentials = new KubeConfigCredentials(() => loadKubeConfig(), new FakeClock());
  expect(await credentials.current()).toMatchObject({
    server: new URL(SERVER),
    headers: { Authorization: 'Bearer first' },
  });
});

describe('of the fields of a kubeconfig', () => {
  const folder = () => {
    const made = temporaryFolder();
    mkdirSync(join(made, 'keys'));
    for (const name of ['ca', 'cert', 'key', 'token']) writeFileSync(join(made, 'keys', name), `${name} in a file\n`);
    return made;
  };
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test.each([
    ['token', { token: 't' }, { Authorization: 'Bearer t' }],
    ['tokenFile, before token', { token: 't', tokenFile: 'keys/token' }, { Authorization: 'Bearer token in a file' }],
    ['username and password', { username: 'me', password: 'pw' }, { Authorization: `Basic ${base64('me:pw')}` }],
    [
      'as, as-uid, as-groups and as-user-extra',
      {
        as: 'jane',
        'as-uid': '7',
        'as-groups': ['a', 'b'],
        'as-user-extra': { 'example.com/Scopes': ['view', 'edit'] },
      },
      {
        'Impersonate-User': 'jane',
        'Impersonate-Uid': '7',
        'Impersonate-Group': ['a', 'b'],
        'Impersonate-Extra-example.com%2Fscopes': ['view', 'edit'],
      },
    ],
  ])('%s become headers', async (_, user, want) => {
    const { credentials } = credentialsIn(kubeconfig(user), { folder: folder() });
    expect((await credentials.current()).headers).toEqual(want);
  });

  test('those of TLS become its options, and data stand before files, which are those beside the kubeconfig', async () => {
    const files = { 'client-certificate': 'keys/cert', 'client-key': 'keys/key' };
    const cluster = { 'certificate-authority': 'keys/ca', 'tls-server-name': 'kubernetes' };
    const bytes = (text: string) => Buffer.from(text);
    const ofFiles = credentialsIn(kubeconfig(files, cluster), { folder: folder() }).credentials;
    expect((await ofFiles.current()).tls).toEqual({
      ca: bytes('ca in a file\n'),
      cert: bytes('cert in a file\n'),
      key: bytes('key in a file\n'),
      servername: 'kubernetes',
    });
    const data = { 'client-certificate-data': base64('c'), 'client-key-data': base64('k') };
    const { tls } = await credentialsOf(
      { ...files, ...data },
      { ...cluster, 'certificate-authority-data': base64('a') },
    );
    expect(tls).toEqual({ ca: bytes('a'), cert: bytes('c'), key: bytes('k'), servername: 'kubernetes' });
    expect((await credentialsOf({}, { 'insecure-skip-tls-verify': true })).tls).toEqual({ rejectUnauthorized: false });
  });

  test('proxy-url becomes a proxy, and socks5 is refused without its password', async () => {
    expect(await credentialsOf({}, { 'proxy-url': 'http://p:3128' })).toMatchObject({
      proxy: new URL('http://p:3128'),
    });
    const socks = written(kubeconfig({}, { 'proxy-url': `socks5://me:${SECRET}@p` }));
    const { message } = errorOf(() => loadKubeConfig(socks));
    expect(message).toMatch(/proxy-url must be a URL with http:\/\/ or https:\/\//);
    expect(message).not.toContain(SECRET);
  });

  test.each([
    ['auth-provider', { 'auth-provider': { name: 'oidc', config: { 'refresh-token': SECRET } } }, 'use an exec plugin'],
    ['token-file', { 'token-file': SECRET }, 'write tokenFile'],
  ])('%s is refused by name, with what to do instead', (name, user, instead) => {
    const error = errorOf(() => loadKubeConfig(written(kubeconfig(user))));
    expect(error.message).toContain(`${name} is not supported; ${instead}`);
    expect(shownOf(error)).not.toContain(SECRET);
  });
});

describe('a token file', () => {
  test('is read again after ten seconds, by one for all who ask', async () => {
    const { credentials, clock, folder } = credentialsIn(kubeconfig({ tokenFile: 'token' }), {
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
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'token'), token);
    return folder;
  }
});

describe('an exec plugin', () => {
  test('is run beside the kubeconfig with its arguments and environment, told about the cluster, and asked once', async () => {
    const folder = temporaryFolder();
    plugin(
      folder,
      `echo "$1 $GREETING" >> ${folder}/calls; echo "$KUBERNETES_EXEC_INFO" > ${folder}/info; cat; cat ${folder}/answer`,
    );
    writeFileSync(join(folder, 'answer'), answerOf({ token: 'of the plugin' }));
    const exec = execOf('./plugin', {
      args: ['hello'],
      env: [{ name: 'GREETING', value: 'world' }],
      provideClusterInfo: true,
    });
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }];
    const text = kubeconfig(exec, { 'tls-server-name': 'k', extensions });
    const { credentials, clock } = credentialsIn(text, { folder });
    expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer of the plugin' });
    await clock.advance(60_000);
    await credentials.current();
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(read('calls')).toBe('hello world\n');
    expect(JSON.parse(read('info'))).toEqual({
      apiVersion: V1,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: SERVER, 'tls-server-name': 'k', config: { audience: 'a' } } },
    });
  });

  test('is asked again when what it gave has expired', async () => {
    const folder = temporaryFolder();
    const command = plugin(folder, `cat ${folder}/answer`);
    const expirationTimestamp = '2030-01-01T00:00:20Z';
    writeFileSync(
      join(folder, 'answer'),
      answerOf({ clientCertificateData: 'c', clientKeyData: 'k', expirationTimestamp }),
    );
    const { credentials, clock } = credentialsIn(kubeconfig(execOf(command)), {
      folder,
      clock: new FakeClock('2030-01-01'),
    });
    expect(await credentials.current()).toMatchObject({ tls: { cert: 'c', key: 'k' } });
    writeFileSync(join(folder, 'answer'), answerOf({ token: 'new' }));
    await clock.advance(10_000);
    expect((await credentials.current()).headers).toEqual({});
    await clock.advance(10_000);
    expect((await credentials.current()).headers).toEqual({ Authorization: 'Bearer new' });
  });

  test('that does not answer fails after thirty seconds, and is asked again', async () => {
    const folder = temporaryFolder();
    const command = plugin(folder, `test -e ${folder}/answer || exec sleep 600\ncat ${folder}/answer`);
    const { credentials, clock } = credentialsIn(kubeconfig(execOf(command)), { folder });
    const refused = expect(credentials.current()).rejects.toThrow(/^kubeconfig: no credentials within 30 s; check/);
    await clock.advance(30_000);
    await refused;
    writeFileSync(join(folder, 'answer'), answerOf({ token: 't' }));
    expect(await credentials.current()).toMatchObject({ server: new URL(SERVER) });
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([
    ['fails', `echo ${SECRET} >&2; exit 1`, /failed; run it by hand/],
    ['prints no JSON', `echo token: ${SECRET}`, /printed no ExecCredential; run/],
    ['prints something else', `echo '{"kind":"${SECRET}","status":{}}'`, /printed no ExecCredential; run/],
    [
      'speaks another version',
      `echo '{"kind":"ExecCredential","status":{"token":"${SECRET}"}}'`,
      /does not answer in .*; set/,
    ],
    ['has nothing', `echo '${answerOf({ clientKeyData: SECRET })}'`, /neither a token nor a certificate/],
  ])('that %s is named, and nothing that it was given or wrote is shown', async (_, script, want) => {
    const folder = temporaryFolder();
    const exec = execOf(plugin(folder, script), { args: [SECRET], env: [{ name: 'A', value: SECRET }] });
    const { credentials } = credentialsIn(kubeconfig(exec), { folder });
    const error: Error = await credentials.current().then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error.message).toMatch(want);
    expect(error.message).toContain(`the exec plugin ${folder}/plugin`);
    expect(shownOf(error)).not.toContain(SECRET);
  });

  test('that is not installed shows its installHint', async () => {
    const exec = execOf('no-such-plugin', { installHint: 'brew install it', args: [SECRET] });
    const { credentials } = credentialsIn(kubeconfig(exec));
    const error: Error = await credentials.current().then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error.message).toMatch(/the exec plugin no-such-plugin cannot be run \(ENOENT\); brew install it$/);
    expect(shownOf(error)).not.toContain(SECRET);
  });
});

/** Kubeconfigs, as people and programs write them. */

import { selfSignedCertificate } from 'controller-runtime/testing';
import { stringify } from 'yaml';

/** A folder with files, and how a program is told of them. */
export interface KubeConfigCase {
  /** By their names; `config` is the one that is given. Those that end with `.sh` may be run. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Names of files, for KUBECONFIG. Default: `config`, as a flag. */
  readonly variable?: readonly string[];
  readonly context?: string;
}

export interface Servers {
  readonly first: string;
  readonly second: string;
  readonly plain: string;
  readonly ca: string;
}

type Value = Record<string, unknown>;

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** @returns the cases by their names. */
export function kubeConfigCases({ first, second, plain, ca }: Servers): Readonly<Record<string, KubeConfigCase>> {
  const client = selfSignedCertificate('client');
  const other = selfSignedCertificate('other');
  const cluster = { server: first, 'certificate-authority-data': base64(ca) };
  const config = (user: Value = { token: 't' }, more: Value = {}, rest: Value = {}): Value => ({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { ...cluster, ...more } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...rest,
  });
  const text = (...parts: Parameters<typeof config>) => stringify(config(...parts));
  const yaml = text();
  const one = (content: string | Uint8Array, files: KubeConfigCase['files'] = {}): KubeConfigCase => ({
    files: { config: content, ...files },
  });
  const user = (value: Value, files = {}) => one(text(value), files);
  /** The text of the user's token, unquoted. */
  const token = (scalar: string) => one(yaml.replace('token: t', `token: ${scalar}`));
  const several = (files: Record<string, string>, variable = Object.keys(files)): KubeConfigCase => ({
    files,
    variable,
  });
  const exec = (answer: string | Uint8Array, more: Value = {}, rest: Value = {}) =>
    user(
      { exec: { apiVersion: V1, command: './plugin.sh', interactiveMode: 'Never', ...more }, ...rest },
      { 'plugin.sh': '#!/bin/sh\ncat "$(dirname "$0")/answer"\n', answer },
    );
  const answer = (status: Value, more: Value = {}) => ({ apiVersion: V1, kind: 'ExecCredential', status, ...more });
  const cert = { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) };
  const files = { ca: ca, cert: client.cert, key: client.key, token: 'in-file' };
  return {
    'a plain one': one(yaml),
    JSON: one(JSON.stringify(config())),
    'JSON with tabs': one(JSON.stringify(config(), undefined, '\t')),
    'JSON with something behind': one(`${JSON.stringify(config())}\n{}`),
    'line ends of Windows': one(yaml.replaceAll('\n', '\r\n')),
    'UTF-8 with a byte order mark': one(`\ufeff${yaml}`),
    'UTF-16 with a byte order mark': one(Buffer.from(`\ufeff${yaml}`, 'utf16le')),
    'UTF-16, big end first': one(Buffer.from(`\ufeff${yaml}`, 'utf16le').swap16()),
    'UTF-16 without a byte order mark': one(Buffer.from(yaml, 'utf16le')),
    'half a character': one(Buffer.concat([Buffer.from(`${yaml}# `), Buffer.of(0xc3)])),
    'a control character': one(`${yaml}# \u0007`),
    'a NUL at the end': one(`${yaml}\u0000`),
    'several documents': one(`${yaml}---\n${text({ token: 'of-second' })}`),
    'several documents, the second of which is broken': one(`${yaml}---\n[`),
    'an empty document first': one(`---\n---\n${yaml}`),
    'marks around the document': one(`%YAML 1.1\n---\n${yaml}...\n`),
    'another version of YAML': one(`%YAML 1.2\n---\n${yaml}`),
    comments: one(`# a\n${yaml}# b`),
    'no apiVersion and no kind': one(text(undefined, undefined, { apiVersion: undefined, kind: undefined })),
    'an empty apiVersion and kind': one(text(undefined, undefined, { apiVersion: '', kind: '' })),
    'another kind': one(text(undefined, undefined, { kind: 'Secret' })),
    'another version': one(text(undefined, undefined, { apiVersion: 'v2' })),
    'a kind that is a number': one(text(undefined, undefined, { kind: 1 })),
    'unknown fields': one(text({ token: 't', Token: 'T', x: [1] }, { Server: second }, { y: {} })),
    'a list': one(`- ${JSON.stringify(config())}`),
    text: one('abc'),
    'broken YAML': one(`${yaml}  x: [`),
    'a key that is given twice': one(yaml.replace('token: t', 'token: t\n      token: of-second')),
    'current-context that is given twice': one(`${yaml}current-context: y\ncurrent-context: x\n`),
    'clusters that are given twice': one(
      `${yaml}clusters: [{name: c, cluster: {server: "${second}", insecure-skip-tls-verify: true}}]\n`,
    ),
    'a user that is there twice': one(
      text(undefined, undefined, {
        users: [
          { name: 'u', user: { token: 'a' } },
          { name: 'u', user: { token: 'b' } },
        ],
      }),
    ),
    'a cluster that is there twice': one(
      text(undefined, undefined, {
        clusters: [
          { name: 'c', cluster },
          { name: 'c', cluster },
        ],
      }),
    ),
    'another context that is there twice': one(
      text(undefined, undefined, {
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }, { name: 'y' }, { name: 'y' }],
      }),
    ),
    'a context without a name': one(
      text(undefined, undefined, { contexts: [{ context: { cluster: 'c', user: 'u' } }], 'current-context': '' }),
    ),
    'an extension that is there twice': one(
      text(undefined, undefined, { extensions: [{ name: 'a', extension: 1 }, { name: 'a' }] }),
    ),
    'null for lists and texts': one(
      text(
        { token: 't', 'client-key': null, exec: null, 'as-groups': null },
        { 'proxy-url': null },
        { extensions: null, preferences: null },
      ),
    ),
    'a list that is text': one(text(undefined, undefined, { users: 'u' })),
    'a list that is a mapping': one(text(undefined, undefined, { extensions: {} })),
    'an entry that is text': one(text(undefined, undefined, { contexts: ['x'] })),
    'a wrong type in a user that is not used': one(
      text(undefined, undefined, {
        users: [
          { name: 'u', user: { token: 't' } },
          { name: 'v', user: { token: 1 } },
        ],
      }),
    ),
    'a wrong type in a field without effect': one(text(undefined, undefined, { preferences: { colors: 'yes' } })),
    'extensions of any type': one(text({ token: 't', extensions: [{ name: 'a', extension: 'text' }] })),
    'anchors and merges': one(
      yaml
        .replace('user:\n      token: t', 'user: &u\n      token: t')
        .concat('extensions: [{name: a, extension: {<<: *u}}]\n'),
    ),
    'an alias as the user': one(`x-user: &u {token: of-anchor}\n${yaml.replace('user:\n      token: t', 'user: *u')}`),
    'a merge into the user': one(
      `x-user: &u {token: of-anchor}\n${yaml.replace('token: t', 'token: t\n      <<: *u')}`,
    ),
    'an alias without its anchor': one(yaml.replace('token: t', 'token: *none')),
    'an anchor that contains itself': one(`${yaml}x: &x [*x]\n`),
    ...Object.fromEntries(
      [
        '123',
        '"123"',
        'yes',
        'null',
        '~',
        '0x1F',
        '017',
        '1e3',
        '1_000',
        '2001-01-01',
        '12:30',
        'abc # c',
        "'a b'",
        '!!str 123',
        '!!int "5"',
        '!!binary dA==',
        '|\n        t',
        '>-\n        a\n        b',
        '"\\x74"',
        '"a\\tb"',
        '"t\\n"',
        '"t "',
        '" t"',
        '"ü"',
        '"\u{1f600}"',
        '"a\\u0001b"',
        '"a\\u007fb"',
        '"\\u00a0t"',
        '""',
      ].map((scalar) => [`a token written ${JSON.stringify(scalar)}`, token(scalar)]),
    ),
    'a token in the last line, in a block without its end': one(
      `${stringify(config(undefined, undefined, { users: undefined }))}users:\n- name: u\n  user:\n    token: |\n      t`,
    ),
    ...Object.fromEntries(
      ['yes', 'on', 'True', 'y', 'no', 'off', 'n', 'tRue', '"true"', '1', '~'].map((flag) => [
        `insecure-skip-tls-verify written ${flag}`,
        one(
          text({ token: 't' }, { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': 'FLAG' }).replace(
            'FLAG',
            flag,
          ),
        ),
      ]),
    ),
    'an authority and no verification': one(text(undefined, { 'insecure-skip-tls-verify': true })),
    'no authority': one(text(undefined, { 'certificate-authority-data': undefined })),
    'an authority with line breaks': one(
      text(undefined, { 'certificate-authority-data': base64(ca).replaceAll(/.{40}/g, '$&\n') }),
    ),
    'an authority with spaces': one(
      text(undefined, { 'certificate-authority-data': base64(ca).replaceAll(/.{40}/g, '$& ') }),
    ),
    'an authority without padding': one(
      text(undefined, {
        'certificate-authority-data': base64(`${ca}${'\n'.repeat((4 - (ca.length % 3)) % 3)}`).replaceAll('=', ''),
      }),
    ),
    'an authority that is not base64': one(text(undefined, { 'certificate-authority-data': '!' })),
    'an authority that is no PEM': one(text(undefined, { 'certificate-authority-data': base64('abc') })),
    'an authority among comments': one(
      text(undefined, { 'certificate-authority-data': base64(`# mine\n${ca}\n# end`) }),
    ),
    'an authority that is a number': one(text(undefined, { 'certificate-authority-data': 12 })),
    'an authority in a file': one(
      text(undefined, { 'certificate-authority-data': undefined, 'certificate-authority': 'ca' }),
      files,
    ),
    'an authority in a file below': one(
      text(undefined, { 'certificate-authority-data': undefined, 'certificate-authority': './a/../ca' }),
      files,
    ),
    'an authority in a file that is not there': one(
      text(undefined, { 'certificate-authority-data': undefined, 'certificate-authority': 'none' }),
    ),
    'an authority in a file and as data': one(text(undefined, { 'certificate-authority': 'ca' }), files),
    'the name of the server': one(text(undefined, { 'tls-server-name': 'localhost' })),
    'a wrong name of the server': one(text(undefined, { 'tls-server-name': 'example.com' })),
    'a client certificate': user(cert),
    'a client certificate in files': user({ 'client-certificate': 'cert', 'client-key': 'key' }, files),
    'a client certificate in a file and as data': user({ ...cert, 'client-certificate': 'cert' }, files),
    'a client key in a file and as data': user({ ...cert, 'client-key': 'key' }, files),
    'a client certificate in a file, its key as data': user(
      { 'client-certificate': 'cert', 'client-key-data': cert['client-key-data'] },
      files,
    ),
    'a client certificate without its key': user({ 'client-certificate-data': cert['client-certificate-data'] }),
    'a client key without its certificate, and a token': user({
      token: 't',
      'client-key-data': cert['client-key-data'],
    }),
    'a client key that is of another certificate': user({ ...cert, 'client-key-data': base64(other.key) }),
    'a client certificate that is no PEM': user({ ...cert, 'client-certificate-data': base64('abc') }),
    'a client certificate and a token': user({ ...cert, token: 't' }),
    'a client certificate and an exec plugin': exec(JSON.stringify(answer({ token: 'of-plugin' })), {}, cert),
    'a token file': user({ tokenFile: 'token' }, files),
    'a token file before a token': user({ token: 't', tokenFile: 'token' }, files),
    'a token file that is not there, and a token': user({ token: 't', tokenFile: 'none' }),
    'a token file that is not there': user({ tokenFile: 'none' }),
    'a token file with space around': user({ tokenFile: 'token' }, { token: ' \t in-file \r\n\n' }),
    'a token file with other space around': user({ tokenFile: 'token' }, { token: '\u00a0\u2003in-file\u0085\u2028' }),
    'a token file with a byte order mark': user({ tokenFile: 'token' }, { token: '\ufeffin-file' }),
    'a token file of two lines': user({ tokenFile: 'token' }, { token: 'a\nb\n' }),
    'a username and a password': user({ username: 'me', password: 'pw' }),
    'a username without a password': user({ username: 'mü' }),
    'a username and a token': user({ username: 'me', token: 't' }),
    'a password and a token': user({ password: 'pw', token: 't' }),
    'a username and a token file': user({ username: 'me', tokenFile: 'token' }, files),
    'a username and an exec plugin': exec(
      JSON.stringify(answer({ token: 'of-plugin' })),
      {},
      { username: 'me', password: 'pw' },
    ),
    'a token and an exec plugin': exec(JSON.stringify(answer({ token: 'of-plugin' })), {}, { token: 't' }),
    'somebody to act as': user({
      token: 't',
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['a', 'b c'],
      'as-user-extra': { 'example.com/Scopes': ['x', 'y'], 'a(b)%é': ['z'] },
    }),
    'somebody of another language to act as': user({ token: 't', as: 'jänε', 'as-groups': ['grüppe'] }),
    'somebody to act as with a line break': user({ token: 't', as: 'ja\nne' }),
    'somebody to act as with space around': user({ token: 't', as: ' jane ' }),
    'groups without somebody': user({ token: 't', 'as-groups': ['a'] }),
    'extra without somebody': user({ token: 't', 'as-user-extra': { a: [] } }),
    'no groups without somebody': user({ token: 't', 'as-groups': [], 'as-user-extra': {} }),
    'groups that are text': user({ token: 't', as: 'jane', 'as-groups': 'a' }),
    'groups that are numbers': user({ token: 't', as: 'jane', 'as-groups': [1] }),
    'a server without TLS': one(
      text({ token: 't', as: 'jane' }, { server: plain, 'certificate-authority-data': undefined }),
    ),
    'a server without TLS, and an authority': one(text({ token: 't' }, { server: plain })),
    'a server without TLS, and no verification': one(
      text(
        { ...cert, username: 'me' },
        { server: plain, 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true },
      ),
    ),
    'a server without a scheme': one(text({ token: 't' }, { server: plain.replace('http://', '') })),
    'a server with a name and a password': one(
      text({ as: 'jane', token: 't' }, { server: first.replace('//', '//me:p%40w@') }),
    ),
    'a server without TLS with a name and a password': one(
      text(undefined, { server: plain.replace('//', '//me:pw@') }),
    ),
    'a server in capitals': one(text(undefined, { server: first.replace('https', 'HTTPS') })),
    'a server with a slash, a query and a fragment': one(text(undefined, { server: `${first}/?a=b#c` })),
    'a server of another protocol': one(text(undefined, { server: first.replace('https', 'ftp') })),
    'a server that is a number': one(text(undefined, { server: 1 })),
    'a proxy of another protocol': one(text(undefined, { 'proxy-url': 'ftp://127.0.0.1:1' })),
    'a proxy without a scheme': one(text(undefined, { 'proxy-url': '127.0.0.1:1' })),
    'a proxy with a % that begins no byte': one(text(undefined, { 'proxy-url': 'http://a%zz:b@127.0.0.1:1' })),
    'a server with a % that begins no byte': one(text(undefined, { server: first.replace('//', '//me:p%4@') })),
    'a proxy that is nobody': one(text(undefined, { 'proxy-url': 'http://127.0.0.1:1' })),
    'the current context by a flag': {
      ...one(text(undefined, undefined, { 'current-context': 'none' })),
      context: 'x',
    },
    'a context that is not there by a flag': { ...one(yaml), context: 'none' },
    'an empty flag for the context': { ...one(yaml), context: '' },
    'a current context that is not there': one(text(undefined, undefined, { 'current-context': 'none' })),
    'a current context that is a number': one(text(undefined, undefined, { 'current-context': 1 })),
    'an empty first file': several({ a: '', config: yaml }),
    'a first file of comments': several({ a: '# nothing\n', config: yaml }),
    'a first file that is an empty document': several({ a: '---\n', config: yaml }),
    'a first file of space': several({ a: ' \n', config: yaml }),
    'a first file that is null': several({ a: 'null', config: yaml }),
    'a first file that is not there': several({ config: yaml }, ['none', 'config']),
    'a last file that is not there': several({ config: yaml }, ['config', 'none']),
    'an empty name among files': several({ config: yaml }, ['', 'config', '']),
    'a file that is named twice': several({ config: yaml }, ['config', 'config']),
    'a folder among files': several({ config: yaml }, ['config', '.']),
    'a broken last file': several({ config: yaml, b: 'x: [' }),
    'a last file of another kind': several({ config: yaml, b: 'kind: Secret' }),
    'a user in two files': several({ a: text({ token: 'of-first' }), b: text({ token: 'of-second' }) }),
    'a user without fields before the same with them': several({ a: 'users: [{name: u}]', b: yaml }),
    'parts in several files': several({
      a: stringify({ contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }] }),
      b: stringify({ clusters: [{ name: 'c', cluster }] }),
      c: stringify({ users: [{ name: 'u', user: { token: 't' } }], 'current-context': 'x' }),
    }),
    'an empty current context before another': several({ a: 'current-context: ""', b: yaml }),
    'two current contexts': several({
      a: 'current-context: y\ncontexts: [{name: y, context: {cluster: d, user: u}}]',
      b: text(undefined, undefined, {
        clusters: [
          { name: 'c', cluster },
          { name: 'd', cluster: { ...cluster, server: second } },
        ],
      }),
    }),
    'an exec plugin': exec(JSON.stringify(answer({ token: 'of-plugin' }))),
    'an exec plugin that answers in YAML': exec(stringify(answer({ token: 'of-plugin' }))),
    'an exec plugin that answers with a byte order mark': exec(
      `\ufeff${JSON.stringify(answer({ token: 'of-plugin' }))}`,
    ),
    'an exec plugin that answers in UTF-16': exec(
      Buffer.from(`\ufeff${JSON.stringify(answer({ token: 'of-plugin' }))}`, 'utf16le'),
    ),
    'an exec plugin that answers several documents': exec(
      `${stringify(answer({ token: 'a' }))}---\n${stringify(answer({ token: 'b' }))}`,
    ),
    'an exec plugin that answers JSON with something behind': exec(
      `${JSON.stringify(answer({ token: 'of-plugin' }))}\nlogged in`,
    ),
    'an exec plugin that answers unknown fields': exec(JSON.stringify(answer({ token: 'of-plugin', x: 1 }, { y: 2 }))),
    'an exec plugin that answers without a kind': exec(
      JSON.stringify(answer({ token: 'of-plugin' }, { kind: undefined })),
    ),
    'an exec plugin that answers another kind': exec(
      JSON.stringify(answer({ token: 'of-plugin' }, { kind: 'Secret' })),
    ),
    'an exec plugin that answers without a version': exec(
      JSON.stringify(answer({ token: 'of-plugin' }, { apiVersion: undefined })),
    ),
    'an exec plugin that answers in another version': exec(
      JSON.stringify(answer({ token: 'of-plugin' }, { apiVersion: V1BETA1 })),
    ),
    'an exec plugin without a status': exec(JSON.stringify({ apiVersion: V1, kind: 'ExecCredential' })),
    'an exec plugin with an empty status': exec(JSON.stringify(answer({}))),
    'an exec plugin whose token is a number': exec(JSON.stringify(answer({ token: 5 }))),
    'an exec plugin whose token ends with a line break': exec(JSON.stringify(answer({ token: 't\n' }))),
    'an exec plugin whose answer is empty': exec(''),
    'an exec plugin with a certificate': exec(
      JSON.stringify(answer({ clientCertificateData: client.cert, clientKeyData: client.key })),
    ),
    'an exec plugin with a certificate without its key': exec(
      JSON.stringify(answer({ token: 't', clientCertificateData: client.cert })),
    ),
    'an exec plugin with a certificate that is none': exec(
      JSON.stringify(answer({ clientCertificateData: 'a', clientKeyData: 'b' })),
    ),
    'an exec plugin whose answer has expired': exec(
      JSON.stringify(answer({ token: 'old', expirationTimestamp: '2020-01-01T00:00:00Z' })),
    ),
    'an exec plugin whose expiry is no time': exec(JSON.stringify(answer({ token: 't', expirationTimestamp: 'soon' }))),
    'an exec plugin whose expiry is null': exec(JSON.stringify(answer({ token: 't', expirationTimestamp: null }))),
    'an exec plugin of v1 without interactiveMode': exec(JSON.stringify(answer({ token: 't' })), {
      interactiveMode: undefined,
    }),
    'an exec plugin of v1beta1 without interactiveMode': exec(
      JSON.stringify(answer({ token: 't' }, { apiVersion: V1BETA1 })),
      { apiVersion: V1BETA1, interactiveMode: undefined },
    ),
    'an exec plugin with another interactiveMode': exec(JSON.stringify(answer({ token: 't' })), {
      interactiveMode: 'never',
    }),
    'an exec plugin that wants a terminal': exec(JSON.stringify(answer({ token: 't' })), { interactiveMode: 'Always' }),
    'an exec plugin that takes a terminal': exec(JSON.stringify(answer({ token: 't' })), {
      interactiveMode: 'IfAvailable',
    }),
    'an exec plugin without a version': exec(JSON.stringify(answer({ token: 't' })), { apiVersion: undefined }),
    'an exec plugin of v1alpha1': exec(JSON.stringify(answer({ token: 't' })), {
      apiVersion: 'client.authentication.k8s.io/v1alpha1',
    }),
    'an exec plugin without a command': exec('', { command: '' }),
    'an exec plugin that is not there': exec('', { command: './none.sh' }),
    'an exec plugin that is in no folder of PATH': exec('', { command: 'no-such-plugin-anywhere' }),
    'an exec plugin that fails': user(
      { exec: { apiVersion: V1, command: './plugin.sh', interactiveMode: 'Never' } },
      { 'plugin.sh': '#!/bin/sh\nexit 3\n' },
    ),
    'an exec plugin with arguments and variables': user({
      exec: {
        apiVersion: V1,
        command: 'sh',
        args: [
          '-c',
          'printf \'{"apiVersion":"%s","kind":"ExecCredential","status":{"token":"%s"}}\' "$V" "$0-$T"',
          'arg',
        ],
        env: [
          { name: 'V', value: V1 },
          { name: 'T', value: 'of-env' },
          { name: 'PATH', value: '/nowhere' },
        ],
        interactiveMode: 'Never',
      },
    }),
    'an exec plugin with arguments that are numbers': exec('', { args: [1] }),
    'an exec plugin with a variable without a name': exec(JSON.stringify(answer({ token: 't' })), {
      env: [{ value: 'a' }],
    }),
    'an exec plugin with a variable that is a number': exec(JSON.stringify(answer({ token: 't' })), {
      env: [{ name: 'A', value: 1 }],
    }),
    'an exec plugin that says what it is told': user({
      exec: {
        apiVersion: V1,
        command: 'sh',
        args: [
          '-c',
          `printf '{"apiVersion":"${V1}","kind":"ExecCredential","status":{"token":"%s"}}' "$(printf %s "$KUBERNETES_EXEC_INFO" | base64 -w0)"`,
        ],
        interactiveMode: 'Never',
        provideClusterInfo: true,
      },
    }),
    'an exec plugin for a server without TLS': one(
      text({ exec: { apiVersion: V1, command: './none', interactiveMode: 'Never' } }, { server: plain }),
    ),
  };
}

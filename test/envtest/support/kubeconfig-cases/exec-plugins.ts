/** Plugins that print credentials. */
import { stringify } from 'yaml';
import { type Builders, type Cases, V1, V1BETA1 } from './builders.ts';

export function execPluginCases({ one, text, user, exec, answer, client, plain, plugin }: Builders): Cases {
  return {
    'an exec plugin': plugin({ token: 'of-plugin' }),
    'an exec plugin that prints YAML': exec(stringify(answer({ token: 'of-plugin' }))),
    'an exec plugin that prints a byte order mark': exec(`\ufeff${JSON.stringify(answer({ token: 'of-plugin' }))}`),
    'an exec plugin that prints UTF-16': exec(
      Buffer.from(`\ufeff${JSON.stringify(answer({ token: 'of-plugin' }))}`, 'utf16le'),
    ),
    'an exec plugin that prints several documents': exec(
      `${stringify(answer({ token: 'a' }))}---\n${stringify(answer({ token: 'b' }))}`,
    ),
    'an exec plugin that prints JSON with text after it': exec(
      `${JSON.stringify(answer({ token: 'of-plugin' }))}\nlogged in`,
    ),
    'an exec plugin that prints unknown fields': plugin({ token: 'of-plugin', x: 1 }, { answer: { y: 2 } }),
    'an exec plugin that prints no kind': plugin({ token: 'of-plugin' }, { answer: { kind: undefined } }),
    'an exec plugin that prints another kind': plugin({ token: 'of-plugin' }, { answer: { kind: 'Secret' } }),
    'an exec plugin that prints no version': plugin({ token: 'of-plugin' }, { answer: { apiVersion: undefined } }),
    'an exec plugin that prints another version': plugin({ token: 'of-plugin' }, { answer: { apiVersion: V1BETA1 } }),
    'an exec plugin without a status': exec(JSON.stringify({ apiVersion: V1, kind: 'ExecCredential' })),
    'an exec plugin with an empty status': plugin({}),
    'an exec plugin whose token is a number': plugin({ token: 5 }),
    'an exec plugin whose token ends with a line break': plugin({ token: 't\n' }),
    'an exec plugin that prints nothing': exec(''),
    'an exec plugin with a certificate': plugin({ clientCertificateData: client.cert, clientKeyData: client.key }),
    'an exec plugin with a certificate without its key': plugin({ token: 't', clientCertificateData: client.cert }),
    'an exec plugin with an invalid certificate': plugin({ clientCertificateData: 'a', clientKeyData: 'b' }),
    'an exec plugin with an expired credential': plugin({ token: 'old', expirationTimestamp: '2020-01-01T00:00:00Z' }),
    'an exec plugin with an invalid expiry': plugin({ token: 't', expirationTimestamp: 'soon' }),
    'an exec plugin whose expiry has a comma': plugin({ token: 't', expirationTimestamp: '2090-01-01T00:00:00,5Z' }),
    'an exec plugin whose expiry is null': plugin({ token: 't', expirationTimestamp: null }),
    'an exec plugin of v1 without interactiveMode': plugin({ token: 't' }, { exec: { interactiveMode: undefined } }),
    'an exec plugin of v1beta1 without interactiveMode': plugin(
      { token: 't' },
      { answer: { apiVersion: V1BETA1 }, exec: { apiVersion: V1BETA1, interactiveMode: undefined } },
    ),
    'an exec plugin with another interactiveMode': plugin({ token: 't' }, { exec: { interactiveMode: 'never' } }),
    'an exec plugin that wants a terminal': plugin({ token: 't' }, { exec: { interactiveMode: 'Always' } }),
    'an exec plugin that takes a terminal': plugin({ token: 't' }, { exec: { interactiveMode: 'IfAvailable' } }),
    'an exec plugin without a version': plugin({ token: 't' }, { exec: { apiVersion: undefined } }),
    'an exec plugin of v1alpha1': plugin(
      { token: 't' },
      { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
    ),
    'an exec plugin without a command': exec('', { command: '' }),
    'an exec plugin that does not exist': exec('', { command: './none.sh' }),
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
    'an exec plugin with a NUL in an argument': plugin({ token: 't' }, { exec: { args: ['a\0b'] } }),
    'an exec plugin with a NUL in a variable': plugin(
      { token: 't' },
      { exec: { env: [{ name: 'A', value: 'a\0b' }] } },
    ),
    'an exec plugin with an argument that is too long': plugin(
      { token: 't' },
      { exec: { args: ['a'.repeat(200_000)] } },
    ),
    'an exec plugin with a variable without a name': plugin({ token: 't' }, { exec: { env: [{ value: 'a' }] } }),
    'an exec plugin with a variable that is a number': plugin(
      { token: 't' },
      { exec: { env: [{ name: 'A', value: 1 }] } },
    ),
    'an exec plugin that prints its input': user({
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

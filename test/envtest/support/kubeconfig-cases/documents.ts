/** The content of a file: encodings, YAML, types, duplicate names. */
import { stringify } from 'yaml';
import type { Builders, Cases } from './builders.ts';

export function documentCases({ one, text, yaml, token, config, cluster, second, root }: Builders): Cases {
  return {
    'a plain one': one(yaml),
    JSON: one(JSON.stringify(config())),
    'JSON with tabs': one(JSON.stringify(config(), undefined, '\t')),
    'JSON with text after it': one(`${JSON.stringify(config())}\n{}`),
    'Windows line ends': one(yaml.replaceAll('\n', '\r\n')),
    'UTF-8 with a byte order mark': one(`\ufeff${yaml}`),
    'UTF-16 with a byte order mark': one(Buffer.from(`\ufeff${yaml}`, 'utf16le')),
    'big-endian UTF-16': one(Buffer.from(`\ufeff${yaml}`, 'utf16le').swap16()),
    'UTF-16 without a byte order mark': one(Buffer.from(yaml, 'utf16le')),
    'an incomplete character': one(Buffer.concat([Buffer.from(`${yaml}# `), Buffer.of(0xc3)])),
    'a control character': one(`${yaml}# \u0007`),
    'a NUL at the end': one(`${yaml}\u0000`),
    'several documents': one(`${yaml}---\n${text({ token: 'of-second' })}`),
    'several documents, the second one broken': one(`${yaml}---\n[`),
    'an empty document first': one(`---\n---\n${yaml}`),
    'marks around the document': one(`%YAML 1.1\n---\n${yaml}...\n`),
    'another version of YAML': one(`%YAML 1.2\n---\n${yaml}`),
    comments: one(`# a\n${yaml}# b`),
    'no apiVersion and no kind': root({ apiVersion: undefined, kind: undefined }),
    'an empty apiVersion and kind': root({ apiVersion: '', kind: '' }),
    'another kind': root({ kind: 'Secret' }),
    'another version': root({ apiVersion: 'v2' }),
    'a kind that is a number': root({ kind: 1 }),
    'unknown fields': one(text({ token: 't', Token: 'T', x: [1] }, { Server: second }, { y: {} })),
    'a list': one(`- ${JSON.stringify(config())}`),
    text: one('abc'),
    'broken YAML': one(`${yaml}  x: [`),
    'a duplicate key': one(yaml.replace('token: t', 'token: t\n      token: of-second')),
    'a duplicate current-context': one(`${yaml}current-context: y\ncurrent-context: x\n`),
    'duplicate clusters': one(
      `${yaml}clusters: [{name: c, cluster: {server: "${second}", insecure-skip-tls-verify: true}}]\n`,
    ),
    'a duplicate user': root({
      users: [
        { name: 'u', user: { token: 'a' } },
        { name: 'u', user: { token: 'b' } },
      ],
    }),
    'a duplicate cluster': root({
      clusters: [
        { name: 'c', cluster },
        { name: 'c', cluster },
      ],
    }),
    'a duplicate of another context': root({
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }, { name: 'y' }, { name: 'y' }],
    }),
    'a context without a name': root({ contexts: [{ context: { cluster: 'c', user: 'u' } }], 'current-context': '' }),
    'a duplicate extension': root({ extensions: [{ name: 'a', extension: 1 }, { name: 'a' }] }),
    'null for lists and texts': one(
      text(
        { token: 't', 'client-key': null, exec: null, 'as-groups': null },
        { 'proxy-url': null },
        { extensions: null, preferences: null },
      ),
    ),
    'a list that is text': root({ users: 'u' }),
    'a list that is a mapping': root({ extensions: {} }),
    'an entry that is text': root({ contexts: ['x'] }),
    'a wrong type in an unused user': root({
      users: [
        { name: 'u', user: { token: 't' } },
        { name: 'v', user: { token: 1 } },
      ],
    }),
    'a wrong type in a field without effect': root({ preferences: { colors: 'yes' } }),
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
      // biome-ignore format: a table reads better in rows
      [
        '123', '"123"', 'yes', 'null', '~', '0x1F', '017', '1e3', '1_000', '2001-01-01', '12:30', 'abc # c',
        "'a b'", '!!str 123', '!!int "5"', '!!binary dA==', '|\n        t', '>-\n        a\n        b',
        '"\\x74"', '"a\\tb"', '"t\\n"', '"t "', '" t"', '"ü"', '"\u{1f600}"', '"a\\u0001b"', '"a\\u007fb"',
        '"\\u00a0t"', '""',
      ].map((scalar) => [`a token written ${JSON.stringify(scalar)}`, token(scalar)]),
    ),
    'a token in the last line, in a block without its end': one(
      `${stringify(config(undefined, undefined, { users: undefined }))}users:\n- name: u\n  user:\n    token: |\n      t`,
    ),
  };
}
